//! Packages of the distribution: installed ones, available ones, and transactions.

pub mod names;
pub mod version;

use super::{Change, Changes, HostError, HostErrorKind, Learn, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A query to the package system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Probe {
    /// → `Packages`: each of these names, in this order. With `offers` also the available versions, which takes longer.
    Packages { names: Vec<String>, offers: bool },
    /// → `Preview`: the effects of a transaction. Needs the same permissions as the step.
    Preview(Transaction),
}

/// The answers to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// State of the packages.
    Packages {
        /// In the order of the query.
        packages: Vec<Package>,
        /// Age of the package lists in seconds; `None`: they were never fetched.
        lists_age_s: Option<u64>,
    },
    /// The effects of the transaction.
    Preview(Preview),
    /// The same as `Packages`, where some that are not installed are held.
    Holding {
        /// In the order of the query.
        packages: Vec<Package>,
        /// Age of the package lists in seconds; `None`: they were never fetched.
        lists_age_s: Option<u64>,
        /// The names of those that are held without being installed.
        held: Vec<String>,
    },
}

impl Finding {
    /// The state of packages, of which the `held` are not installed.
    pub fn of(packages: Vec<Package>, lists_age_s: Option<u64>, held: Vec<String>) -> Finding {
        match held.is_empty() {
            true => Finding::Packages { packages, lists_age_s },
            false => Finding::Holding { packages, lists_age_s, held },
        }
    }

    /// What it shows of packages: their state, those that are held without being installed, and whether there are lists.
    fn state(&self) -> Option<(&[Package], &[String], bool)> {
        match self {
            Finding::Packages { packages, lists_age_s } => Some((packages, &[], lists_age_s.is_some())),
            Finding::Holding { packages, lists_age_s, held } => Some((packages, held, lists_age_s.is_some())),
            Finding::Preview(_) => None,
        }
    }
}

/// A package as the package system knows it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// The installed version, if any.
    pub installed: Option<Installed>,
    /// The version that the package system would install by default.
    pub candidate: Option<String>,
    /// Available versions, highest first.
    pub offers: Vec<Offer>,
}

/// An installed package.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Installed {
    /// The version.
    pub version: String,
    /// The state that keeps it from working, such as `half-configured`; empty if it works.
    pub broken: String,
    /// Whether the administrator holds it at its version.
    pub is_held: bool,
}

impl Installed {
    /// Whether it is completely installed.
    pub fn is_whole(&self) -> bool {
        self.broken.is_empty()
    }
}

/// An available version.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Offer {
    /// The version.
    pub version: String,
    /// Whether it is free software.
    pub is_free: bool,
    /// Whether the distribution supports it.
    pub is_supported: bool,
}

/// Installs or removes several packages at once.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Transaction {
    /// The changes.
    pub changes: Vec<PackageChange>,
    /// Whether downgrades are allowed.
    pub allow_downgrade: bool,
    /// Whether unsigned packages are allowed.
    pub allow_untrusted: bool,
    /// Its side effects, once they are known; for display and the policy.
    pub also: Preview,
}

/// The change of one package.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PackageChange {
    /// Its name.
    pub name: String,
    /// The installed version that was seen.
    pub now: Option<Installed>,
    /// The version to install; `None` removes it.
    pub to: Option<String>,
    /// Whether the version differs from the default one.
    pub is_pinned: bool,
}

/// The side effects of a transaction, sorted by name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Preview {
    /// Name and version of each package that is also installed.
    pub installs: Vec<(String, String)>,
    /// Packages that are also removed.
    pub removes: Vec<String>,
}

/// A change by the package system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Fetches the package lists.
    Refresh {
        /// Whether a failure is an error; otherwise it is only logged.
        must: bool,
    },
    /// Installs and removes packages.
    Transaction(Transaction),
}

/// Changes of installed and available packages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch;

/// A property of packages.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Fact {
    /// `List` of `Bytes`: the paths of an installed package, sorted, directories with a trailing slash; empty if it is
    /// not installed. Reported again on change.
    Files { name: String },
}

/// The error of a host without a package system.
pub const NO_SYSTEM: &str = "cannot find a supported package manager: dpkg and apt (/var/lib/dpkg/status does not \
     exist) or PackageKit (the package `packagekit` is not installed)";

/// Package lists older than this, in seconds, are fetched again before anything is installed.
pub const OLD_LISTS_S: u64 = 24 * 60 * 60;

/// Whether this is a valid package name, with or without an architecture. A leading dash would make it an option.
pub fn is_name(name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_' | ':');
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(word)
}

/// Whether this is a valid package version.
pub fn is_version(version: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '~' | ':' | '_');
    version.starts_with(|c: char| c.is_ascii_alphanumeric()) && version.chars().all(word)
}

/// Sorts the paths of a package as in [`Fact::Files`]; a path that contains others is a directory.
pub fn files<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    // With trailing slashes `/a/b` sorts before `/a-b`, so that a directory is followed by its entries.
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

impl Preview {
    /// Checks that only predicted packages are removed. Errors: another one, which `tool` would remove now.
    pub fn is_within(&self, foreseen: &Preview, tool: &str) -> Result<(), HostError> {
        match self.removes.iter().find(|name| !foreseen.removes.contains(name)) {
            Some(name) => {
                let message = format!("{tool}: it would also remove {name}, which was not planned; check again");
                Err(HostError::new(HostErrorKind::Other, message))
            }
            None => Ok(()),
        }
    }
}

impl Transaction {
    /// Every package that it installs or removes.
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

    /// The age of the lists is ignored.
    fn is_same(one: &Finding, other: &Finding) -> bool {
        match (one.state(), other.state()) {
            (Some(one), Some(other)) => one == other,
            _ => one == other,
        }
    }
}

/// The maximum number of packages listed by name; of others only the number is shown.
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
    fn files_are_distinguished_from_directories() {
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
    fn packages_are_the_same_with_older_lists() {
        let found = |names: &[&str], lists_age_s: Option<u64>, held: &[&str]| {
            let package = |name: &&str| Package { name: (*name).to_owned(), ..Package::default() };
            let held = held.iter().map(|name| (*name).to_owned()).collect();
            super::super::Finding::from(Finding::of(names.iter().map(package).collect(), lists_age_s, held))
        };
        let (now, later) = (found(&["a"], Some(1), &["a"]), found(&["a"], Some(3), &["a"]));
        assert!(now != later && now.is_same(&later));
        for other in [found(&["b"], Some(1), &["a"]), found(&["a"], Some(1), &[]), found(&["a"], None, &["a"])] {
            assert!(!now.is_same(&other), "{other:?}");
        }
        let preview = super::super::Finding::from(Finding::Preview(Preview::default()));
        assert!(preview.is_same(&preview) && !preview.is_same(&now));
    }

    #[test]
    fn nothing_goes_that_was_not_foreseen() {
        let removes = |names: &[&str]| Preview {
            removes: names.iter().map(|name| name.to_string()).collect(),
            ..Preview::default()
        };
        assert_eq!(removes(&["rival"]).is_within(&removes(&["rival", "other"]), "apt-get"), Ok(()));
        let refused = removes(&["rival", "third"]).is_within(&removes(&["rival"]), "apt-get").unwrap_err();
        assert_eq!(refused.message, "apt-get: it would also remove third, which was not planned; check again");
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
