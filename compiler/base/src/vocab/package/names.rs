//! Names of packages: which of them mean the same package, and names that packages only provide.

use crate::vocab::{HostError, HostErrorKind};

/// A package that provides a name which is not its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Provider {
    /// Its name.
    pub name: String,
    /// Whether it is installed.
    pub is_installed: bool,
}

/// The maximum number of providers that are listed.
const MOST_LISTED: usize = 10;

/// The error of a virtual package: no package has this name, but these provide it. Installed ones are listed first.
pub fn virtual_package(name: &str, providers: &[Provider]) -> HostError {
    let names = |is_installed: bool| {
        let those = providers.iter().filter(|provider| provider.is_installed == is_installed);
        let mut names: Vec<String> = those.map(|provider| provider.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    };
    let installed = names(true).into_iter().map(|name| format!("{name} (installed)"));
    let mut listed: Vec<String> = installed.chain(names(false)).collect();
    let more = match listed.len().saturating_sub(MOST_LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    listed.truncate(MOST_LISTED);
    let listed = listed.join(", ");
    let message = format!(
        "can't find package named '{name}': it is a virtual package; use a package that provides it: {listed}{more}"
    );
    HostError::new(HostErrorKind::NotFound, message)
}

/// What a name in a program means, compared with a name that the package system reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// The same package.
    Same,
    /// The same package, unless the one for this machine's architecture is installed.
    SameUnlessNative,
    /// Another package.
    Other,
}

/// Compares a name in a program with one that the package system reports, which has an architecture only if it is not
/// this machine's.
pub fn compare(name: &str, reported: &str) -> Meaning {
    let ((bare, arch), (reported, foreign)) = (parts(name), parts(reported));
    if bare != reported {
        return Meaning::Other;
    }
    match (arch, foreign) {
        // An architecture in the program may well be this machine's, whose name is not known here.
        (_, None) => Meaning::Same,
        (None | Some("any"), Some(_)) => Meaning::SameUnlessNative,
        (Some(arch), Some(foreign)) if arch == foreign => Meaning::Same,
        (Some(_), Some(_)) => Meaning::Other,
    }
}

/// The name without the architecture, and the architecture.
pub fn parts(name: &str) -> (&str, Option<&str>) {
    name.split_once(':').map_or((name, None), |(bare, arch)| (bare, Some(arch)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_and_without_an_architecture_are_compared() {
        for (name, reported, expect) in [
            ("tiny", "tiny", Meaning::Same),
            ("tiny:amd64", "tiny", Meaning::Same),
            ("tiny:native", "tiny", Meaning::Same),
            ("tiny:i386", "tiny:i386", Meaning::Same),
            ("tiny", "tiny:i386", Meaning::SameUnlessNative),
            ("tiny:any", "tiny:i386", Meaning::SameUnlessNative),
            ("tiny:native", "tiny:i386", Meaning::Other),
            ("tiny:amd64", "tiny:i386", Meaning::Other),
            ("tiny-dev", "tiny", Meaning::Other),
        ] {
            assert_eq!(compare(name, reported), expect, "{name} {reported}");
        }
    }

    #[test]
    fn a_virtual_package_lists_what_provides_it() {
        let provider = |n: usize| Provider { name: format!("p{n:02}"), is_installed: n == 3 };
        let said = |n: usize| virtual_package("mailer", &(0..n).map(provider).collect::<Vec<_>>()).message;
        let begins = "can't find package named 'mailer': it is a virtual package; use a package that provides it: ";
        assert_eq!(said(1), format!("{begins}p00"));
        assert_eq!(said(4), format!("{begins}p03 (installed), p00, p01, p02"));
        assert!(said(12).ends_with(", p08, p09 and 2 more"), "{}", said(12));
    }
}
