//! Packages of the distribution: what is installed, what could be, and transactions.

pub mod version;

use super::{Change, Changes, Learn, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `Packages`: each of these names, in this order. With `offers` also what could be installed, which takes
    /// longer.
    Packages { names: Vec<String>, offers: bool },
    /// → `Preview`: what a transaction would come to. Who may not take the step may not see it either.
    Preview(Transaction),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// `lists_age_s`: seconds since the lists of what could be installed were fetched; `None`: never.
    Packages {
        packages: Vec<Package>,
        lists_age_s: Option<u64>,
    },
    Preview(Preview),
}

/// What there is under a name, as the package system knows it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Package {
    pub name: String,
    pub installed: Option<Installed>,
    /// The version that the package system would install by itself.
    pub candidate: Option<String>,
    /// Versions that could be installed, highest first.
    pub offers: Vec<Offer>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Installed {
    pub version: String,
    /// The word for a state in which it does not work, such as `half-configured`; empty for an installed package.
    pub broken: String,
    /// The administrator holds it at its version.
    pub is_held: bool,
}

impl Installed {
    pub fn is_whole(&self) -> bool {
        self.broken.is_empty()
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Offer {
    pub version: String,
    pub is_free: bool,
    pub is_supported: bool,
}

/// All that is installed, or all that is removed, in one go.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Transaction {
    pub changes: Vec<PackageChange>,
    pub allow_downgrade: bool,
    pub allow_untrusted: bool,
    /// What it changes beside that, once it is known; for people and the policy.
    pub also: Preview,
}

/// What becomes of one package.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PackageChange {
    pub name: String,
    pub now: Option<Installed>,
    /// The version that is installed; `None` removes it.
    pub to: Option<String>,
    /// Not the version that the package system would take by itself.
    pub is_pinned: bool,
}

/// What a transaction changes beside what was asked for, sorted by name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Preview {
    /// Name and version.
    pub installs: Vec<(String, String)>,
    pub removes: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Fetches the lists of what could be installed. Unless it `must` succeed a failure is only told.
    Refresh {
        must: bool,
    },
    Transaction(Transaction),
}

/// What is installed, and what could be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Fact {
    /// `List` of `Bytes`: the paths that an installed package brought, sorted, directories with a slash at the end;
    /// empty when it is not installed. Again on change.
    Files { name: String },
}

/// What a host without a package system says.
pub const NO_SYSTEM: &str = "cannot find a supported package manager: dpkg and apt (/var/lib/dpkg/status does not \
     exist) or PackageKit (the package `packagekit` is not installed)";

/// The letters of a package's name, with or without its architecture. What begins with a dash would be an option.
pub fn is_name(name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_' | ':');
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(word)
}

/// The letters of a package's version.
pub fn is_version(version: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '~' | ':' | '_');
    version.starts_with(|c: char| c.is_ascii_alphanumeric()) && version.chars().all(word)
}

/// The paths of a package in the order of [`Fact::Files`]: one that others lie below is a directory.
pub fn files<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    // `/a/b` comes before `/a-b` when each ends with a slash, so that what lies below a path follows it.
    let mut all: Vec<String> = paths.map(|path| format!("{}/", path.trim_end_matches('/'))).collect();
    all.sort();
    all.dedup();
    let is_dir: Vec<bool> = all.windows(2).map(|pair| pair[1].starts_with(&pair[0])).chain([false]).collect();
    for (path, _) in all.iter_mut().zip(is_dir).filter(|(_, is_dir)| !is_dir) {
        path.pop();
    }
    all.retain(|path| !matches!(path.as_str(), "" | "/" | "/." | "/./"));
    all.sort();
    all
}

impl Transaction {
    /// Every package that it names or takes away.
    fn names(&self) -> impl Iterator<Item = &str> {
        let named = self.changes.iter().map(|change| change.name.as_str());
        named.chain(self.also.removes.iter().map(String::as_str))
    }

    fn powers(&self) -> Vec<Power<'_>> {
        self.names().map(Power::Package).collect()
    }
}

impl Look for Probe {
    type Finding = Finding;

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Probe::Packages { .. } => Vec::new(),
            Probe::Preview(transaction) => transaction.powers(),
        }
    }

    fn waits(&self) -> bool {
        true
    }
}

/// So many packages are named, of others only the number is told.
const MOST_NAMED: usize = 20;

fn list<T>(f: &mut dyn Write, items: &[T], word: impl Fn(&T) -> String) -> std::fmt::Result {
    let named: Vec<String> = items.iter().take(MOST_NAMED).map(word).collect();
    f.write_str(&named.join(", "))?;
    match items.len().saturating_sub(MOST_NAMED) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}

impl Transaction {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        let removes = self.changes.iter().all(|change| change.to.is_none());
        f.write_str(if removes { "remove " } else { "install " })?;
        list(f, &self.changes, |PackageChange { name, now, to, .. }| match (to, now) {
            (None, Some(now)) => format!("{name} {}", now.version),
            (None, None) => name.clone(),
            (Some(to), None) => format!("{name} {to}"),
            (Some(to), Some(now)) if !now.is_whole() => format!("{name} {to} ({} is {})", now.version, now.broken),
            (Some(to), Some(now)) => format!("{name} {to} (have {})", now.version),
        })?;
        if !self.also.installs.is_empty() {
            f.write_str("; also installs ")?;
            list(f, &self.also.installs, |(name, version)| format!("{name} {version}"))?;
        }
        if !self.also.removes.is_empty() {
            f.write_str("; also removes ")?;
            list(f, &self.also.removes, String::clone)?;
        }
        Ok(())
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Step::Refresh { .. } => f.write_str("refresh the package lists"),
            Step::Transaction(transaction) => transaction.words(f),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Step::Refresh { .. } => Vec::new(),
            Step::Transaction(transaction) => transaction.powers(),
        }
    }

    fn waits(&self) -> bool {
        true
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str("the packages")
    }
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        let Fact::Files { name } = self;
        write!(f, "the files of the package {name}")
    }

    fn changes(&self) -> Changes {
        Changes::With(vec![Watch.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_from_directories() {
        let paths = ["/.", "/usr", "/usr/bin", "/usr/bin/a", "/usr/bin-b", "/etc/a.conf", "/etc"];
        let expect = ["/etc/", "/etc/a.conf", "/usr/", "/usr/bin-b", "/usr/bin/", "/usr/bin/a"];
        assert_eq!(files(paths.into_iter()), expect);
    }

    #[test]
    fn names_are_no_options_and_no_patterns() {
        for (name, expect) in
            [("g++", true), ("libc6:amd64", true), ("-y", false), ("a b", false), ("a*", false), ("", false)]
        {
            assert_eq!(is_name(name), expect, "{name}");
        }
        assert!(is_version("1:2.0~rc1-3+b1") && !is_version("1.0 -y") && !is_version("-1"));
    }

    #[test]
    fn words_tell_old_and_new_and_what_comes_along() {
        let now = |version: &str, broken: &str| {
            Some(Installed { version: version.into(), broken: broken.into(), is_held: false })
        };
        let change = |name: &str, now, to: Option<&str>| PackageChange {
            name: name.into(),
            now,
            to: to.map(Into::into),
            is_pinned: false,
        };
        let words = |changes: Vec<PackageChange>, also: Preview| {
            let transaction = Transaction { changes, allow_downgrade: false, allow_untrusted: false, also };
            super::super::Step::from(Step::Transaction(transaction)).to_string()
        };
        let also = Preview { installs: vec![("c".into(), "3".into())], removes: vec!["d".into()] };
        assert_eq!(
            words(vec![change("a", now("1.0", ""), Some("2.0")), change("b", None, Some("1"))], also),
            "install a 2.0 (have 1.0), b 1; also installs c 3; also removes d"
        );
        let half = now("1.0", "half-configured");
        assert_eq!(
            words(vec![change("a", half, Some("1.0"))], Preview::default()),
            "install a 1.0 (1.0 is half-configured)"
        );
        assert_eq!(words(vec![change("a", now("1.0", ""), None)], Preview::default()), "remove a 1.0");
        let many = (0..30).map(|n| change(&format!("p{n}"), None, Some("1"))).collect();
        assert!(words(many, Preview::default()).ends_with("p19 1 and 10 more"));
    }
}
