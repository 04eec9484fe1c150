//! `apt-cache policy`: the installable versions of packages, and the repositories that have them.

use super::bare;
use super::tool::ask;
use crate::host::subject::Context;
use crate::host::subject::package::database;
use mclive_base::vocab::HostError;
use mclive_base::vocab::package::{Offer, Package};
use std::collections::{BTreeMap, HashMap};

/// Adds the installable versions. Returns the names without any: other packages provide or need them.
pub(in crate::host::subject::package) fn offers(
    at: &Context,
    packages: &mut [Package],
) -> Result<Vec<String>, HostError> {
    let mut args = vec!["policy".to_owned(), "--".to_owned()];
    args.extend(packages.iter().map(|package| package.name.clone()));
    let policy = Policy::parse(&ask(at, "apt-cache", &args)?);
    let all = ask(at, "apt-cache", &["policy".to_owned()])?;
    let sources = sources(&all);
    let distribution = distribution();
    let mut only_named = Vec::new();
    for package in packages {
        let Some(known) = policy.0.get(bare(&package.name)) else { continue };
        if known.versions.is_empty() {
            only_named.push(package.name.clone());
        }
        package.candidate.clone_from(&known.candidate);
        for (version, from) in &known.versions {
            // A version that only the host has cannot be installed again.
            let from: Vec<&Release> = from.iter().filter_map(|source| sources.get(source.as_str())).collect();
            if !from.is_empty() {
                package.offers.push(Offer {
                    version: version.clone(),
                    is_free: from.iter().any(|source| source.is_free()),
                    is_supported: from.iter().any(|source| source.is_supported(&distribution)),
                });
            }
        }
    }
    Ok(only_named)
}

/// The output of `apt-cache policy NAME...`, by name.
struct Policy(HashMap<String, PackagePolicy>);

#[derive(Default, Debug, PartialEq)]
struct PackagePolicy {
    candidate: Option<String>,
    /// Highest first, each with the lines of its sources.
    versions: Vec<(String, Vec<String>)>,
}

impl Policy {
    fn parse(text: &str) -> Policy {
        let mut all: HashMap<String, PackagePolicy> = HashMap::new();
        let mut name = String::new();
        for line in text.lines() {
            if !line.starts_with(' ') {
                name = line.trim_end_matches(':').to_owned();
                continue;
            }
            let known = all.entry(name.clone()).or_default();
            let entry = line.strip_prefix("     ").or_else(|| line.strip_prefix(" *** "));
            if let Some(candidate) = line.strip_prefix("  Candidate: ") {
                known.candidate = (candidate != "(none)").then(|| candidate.to_owned());
            } else if let Some(version) = entry.filter(|entry| !entry.starts_with(' ')) {
                let version = version.split(' ').next().unwrap_or_default();
                known.versions.push((version.to_owned(), Vec::new()));
            } else if let (Some(source), Some((_, from))) = (entry, known.versions.last_mut()) {
                // A priority shorter than four characters indents the entry by the difference.
                from.push(without_priority(source).to_owned());
            }
        }
        Policy(all)
    }
}

/// `500 http://deb.debian.org/debian bookworm/main amd64 Packages` without the number.
fn without_priority(line: &str) -> &str {
    line.trim_start().split_once(' ').map_or("", |(_, rest)| rest)
}

/// The description of a repository.
#[derive(Default, Debug, PartialEq)]
struct Release {
    origin: String,
    component: String,
}

impl Release {
    /// Only packages known to be non-free are not free.
    fn is_free(&self) -> bool {
        let word = self.component.rsplit('/').next().unwrap_or_default();
        !["contrib", "non-free", "restricted", "multiverse"].iter().any(|other| word.starts_with(other))
    }

    /// A repository without an origin is the administrator's own.
    fn is_supported(&self, distribution: &[String]) -> bool {
        self.origin.is_empty() || distribution.iter().any(|name| name.eq_ignore_ascii_case(&self.origin))
    }
}

/// Every repository by its line, as `apt-cache policy` lists them.
fn sources(text: &str) -> BTreeMap<&str, Release> {
    let mut sources: BTreeMap<&str, Release> = BTreeMap::new();
    let mut line_of = "";
    // A priority of four digits stands at the beginning of its line.
    for line in text.lines().skip(1).take_while(|line| *line != "Pinned packages:") {
        let text = line.trim_start();
        if let Some(release) = text.strip_prefix("release ") {
            let field =
                |key: &str| release.split(',').find_map(|field| field.strip_prefix(key)).unwrap_or_default().to_owned();
            if let Some(source) = sources.get_mut(line_of) {
                (source.origin, source.component) = (field("o="), field("c="));
            }
        } else if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            line_of = without_priority(text);
            if line_of != database::STATUS {
                sources.insert(line_of, Release::default());
            }
        }
    }
    sources
}

/// The names under which this distribution signs: `debian`.
fn distribution() -> Vec<String> {
    let text = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let fields = text.lines().filter_map(|line| line.strip_prefix("ID=").or_else(|| line.strip_prefix("ID_LIKE=")));
    fields.flat_map(|value| value.trim_matches('"').split(' ')).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &str = "Package files:\n 100 /var/lib/dpkg/status\n     release a=now\n 500 http://deb.debian.org/debian bookworm/contrib amd64 Packages\n     release v=12.11,o=Debian,a=stable,n=bookworm,l=Debian,c=contrib,b=amd64\n     origin deb.debian.org\n 500 file:/srv/repo ./ Packages\n     release c=\nPinned packages:\n     x -> 1\n";
    const OF: &str = "tiny:\n  Installed: 1.0\n  Candidate: 2.0\n  Version table:\n     2.0 500\n        500 file:/srv/repo ./ Packages\n *** 1.0 100\n        100 /var/lib/dpkg/status\nvirtual:\n  Installed: (none)\n  Candidate: (none)\n  Version table:\n";

    #[test]
    fn the_answers_of_apt_are_read() {
        let policy = Policy::parse(OF);
        let tiny = &policy.0["tiny"];
        assert_eq!(tiny.candidate.as_deref(), Some("2.0"));
        assert_eq!(tiny.versions[0], ("2.0".to_owned(), vec!["file:/srv/repo ./ Packages".to_owned()]));
        assert_eq!(tiny.versions[1].0, "1.0");
        assert_eq!(policy.0["virtual"], PackagePolicy::default());
        let sources = sources(ALL);
        let debian = &sources["http://deb.debian.org/debian bookworm/contrib amd64 Packages"];
        assert!(!debian.is_free() && debian.is_supported(&["debian".to_owned()]));
        assert!(!debian.is_supported(&["ubuntu".to_owned()]));
        let own = &sources["file:/srv/repo ./ Packages"];
        assert!(own.is_free() && own.is_supported(&["debian".to_owned()]));
        assert_eq!(sources.len(), 2, "what is only installed is no source");
    }

    #[test]
    fn a_priority_has_any_length() {
        let of = "tiny:\n  Installed: 1.0\n  Candidate: 2.0\n  Package pin: 2.0\n  Version table:\n     2.0 1001\n       1001 file:/srv/repo ./ Packages\n *** 1.0 100\n         -1 file:/srv/old ./ Packages\n        100 /var/lib/dpkg/status\n";
        let entry = |version: &str, from: &[&str]| {
            let from: Vec<String> = from.iter().map(|source| (*source).to_owned()).collect();
            (version.to_owned(), from)
        };
        let versions = vec![
            entry("2.0", &["file:/srv/repo ./ Packages"]),
            entry("1.0", &["file:/srv/old ./ Packages", "/var/lib/dpkg/status"]),
        ];
        assert_eq!(Policy::parse(of).0["tiny"].versions, versions);
        let all = "Package files:\n 100 /var/lib/dpkg/status\n     release a=now\n1001 file:/srv/repo ./ Packages\n     release o=Local,c=\n  -1 file:/srv/old ./ Packages\n     release c=\nPinned packages:\n     x -> 1\n";
        let sources = sources(all);
        assert_eq!(sources.keys().collect::<Vec<_>>(), [&"file:/srv/old ./ Packages", &"file:/srv/repo ./ Packages"]);
        assert_eq!(sources["file:/srv/repo ./ Packages"].origin, "Local");
    }
}
