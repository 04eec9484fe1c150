//! The groups that `useradd` and `userdel` add, assign and remove with a user although the program does not name them.
//! The configuration of the tools decides which ones.

use super::super::Context;
use super::tools;
use crate::host::account_files::Accounts;
use crate::host::errno::io_failed;
use crate::host::exec;
use crate::host::program::Executable;
use mclive_base::vocab::account::PutUser;
use mclive_base::vocab::{HostError, HostErrorKind};
use std::io::ErrorKind;

/// The configuration of the tools; some systems keep the one of the distribution apart.
const CONFIGURATION: [&str; 2] = ["/etc/login.defs", "/usr/etc/login.defs"];

/// The properties of new users for which no option is given.
const DEFAULTS: [&str; 2] = ["/etc/default/useradd", "/usr/etc/default/useradd"];

/// The primary group that the system chooses for a new user.
pub(in crate::host) struct Primary {
    /// Empty if the group has no name here.
    pub(in crate::host) name: String,
    /// `None`: it is added with the user.
    pub(in crate::host) gid: Option<u32>,
}

/// Whether the system chooses the primary group of this user.
pub(super) fn is_open(user: &PutUser) -> bool {
    user.now.is_none() && user.gid.is_none() && user.group.is_none()
}

/// Whether a new user gets a group of the same name here, which is removed with the user. Otherwise, all new users share
/// a group.
pub(super) fn is_own() -> Result<bool, HostError> {
    Ok(gives_own(&first_of(CONFIGURATION)?))
}

/// The content of the first of these files that exists; empty without one.
fn first_of(paths: [&str; 2]) -> Result<String, HostError> {
    for path in paths {
        match std::fs::read(path) {
            Ok(bytes) => return Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(io_failed("read", path, &error)),
        }
    }
    Ok(String::new())
}

/// The last definition counts.
fn gives_own(text: &str) -> bool {
    let blank = [' ', '\t', '"'];
    let value = |line: &str| {
        let (name, value) = line.trim_start().split_once([' ', '\t'])?;
        let word = value.trim_start_matches(blank).split(blank).next()?;
        (name == "USERGROUPS_ENAB").then(|| word.eq_ignore_ascii_case("yes"))
    };
    text.lines().filter_map(value).next_back().unwrap_or(false)
}

/// The number of the group that all new users share.
pub(super) fn shared(at: &Context) -> Result<u32, HostError> {
    let spec = tools::spec(tools::find("useradd")?, vec!["-D".into()]);
    let outcome = exec::look(&spec, &Executable::any(&spec)?, at.running)?;
    let said = outcome.stdout.unwrap_or_default();
    let unknown = || HostError::new(HostErrorKind::Other, "useradd -D does not show the group of new users");
    shared_of(&String::from_utf8_lossy(&said)).ok_or_else(unknown)
}

fn shared_of(defaults: &str) -> Option<u32> {
    defaults.lines().find_map(|line| line.strip_prefix("GROUP=")?.trim().parse().ok())
}

/// The other groups of a new user for whom none are given, by name or number. Older tools know none.
pub(super) fn others() -> Result<Vec<String>, HostError> {
    Ok(others_of(&first_of(DEFAULTS)?))
}

/// The last definition counts.
fn others_of(defaults: &str) -> Vec<String> {
    let last = defaults.lines().filter_map(|line| line.strip_prefix("GROUPS=")).next_back().unwrap_or_default();
    last.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The number of the group that is removed with a user: the one of its name, if it is the primary group and has no other
/// members.
pub(super) fn removed_with(name: &str, users: &Accounts, groups: &Accounts) -> Option<u32> {
    let group: Vec<&str> = groups.named(name)?.split(':').collect();
    let primary = users.named(name)?.split(':').nth(3)?;
    let has_others = group.get(3)?.split(',').any(|member| !member.is_empty() && member != name);
    if has_others || group[2] != primary {
        return None;
    }
    primary.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_definition_counts() {
        assert!(gives_own("# USERGROUPS_ENAB no\nUMASK\t022\nUSERGROUPS_ENAB yes\n"));
        assert!(gives_own("  USERGROUPS_ENAB\t \"YES\"\n"));
        assert!(!gives_own("USERGROUPS_ENAB yes\nUSERGROUPS_ENAB no\n"));
        for text in ["", "USERGROUPS_ENAB", "USERGROUPS_ENABLED yes", "#USERGROUPS_ENAB yes"] {
            assert!(!gives_own(text), "{text}");
        }
        assert_eq!(shared_of("GROUP=100\nGROUPS=\nHOME=/home\n"), Some(100));
        assert_eq!(shared_of("HOME=/home\n"), None);
        assert_eq!(others_of("GROUP=100\n# GROUPS=wheel\nGROUPS=adm\nGROUPS=www,7\n"), ["www", "7"]);
        assert!(others_of("GROUP=100\nGROUPS=\n").is_empty());
    }

    #[test]
    fn a_group_of_others_stays() {
        let users = Accounts::parse("ann:x:1:1::/:\nbob:x:2:7::/:\ncat:x:3:3::/:\ndan:x:4:4::/:\n");
        let groups = Accounts::parse("ann:x:1:\nbob:x:2:\ncat:x:3:cat,ann\ndan:x:4:dan\n");
        let removed = ["ann", "bob", "cat", "dan", "eve"].map(|name| removed_with(name, &users, &groups));
        assert_eq!(removed, [Some(1), None, None, Some(4), None]);
    }
}
