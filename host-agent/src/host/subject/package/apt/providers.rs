//! `apt-cache showpkg`: the packages that provide a name.

use super::bare;
use super::tool::ask;
use crate::host::subject::Context;
use mclive_base::vocab::HostError;

/// The packages that provide this name, in any order.
pub(in crate::host::subject::package) fn providers(at: &Context, name: &str) -> Result<Vec<String>, HostError> {
    let args = ["showpkg", "--", bare(name)].map(str::to_owned);
    Ok(parse(&ask(at, "apt-cache", &args)?))
}

/// The last part of the answer has a line for each version of a package that provides the name.
fn parse(said: &str) -> Vec<String> {
    let lines = said.lines().skip_while(|line| !line.starts_with("Reverse Provides:")).skip(1);
    lines.filter_map(|line| line.split_once(' ')).map(|(name, _)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAILER: &str = "Package: mailer\nVersions: \n\nReverse Depends: \n  report,mailer\nDependencies: \nProvides: \nReverse Provides: \npostfix 3.7.11-0+deb12u1 (= )\nexim4-light:i386 4.96-15 (= 1.0)\n";

    #[test]
    fn those_that_provide_a_name_are_read() {
        assert_eq!(parse(MAILER), ["postfix", "exim4-light:i386"]);
        assert_eq!(parse("Package: tiny\nVersions: \n1.0 (/srv/Packages)\n\nReverse Provides: \n"), [""; 0]);
        assert_eq!(parse(""), [""; 0]);
    }
}
