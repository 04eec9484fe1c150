//! Changes accounts with the shadow utilities, one at a time, since they lock the account files.

use super::super::{Context, refused};
use super::entries;
use super::lock::{Held, Wait};
use super::primary::{self, Primary};
use crate::host::account_files::{Accounts, GROUP, PASSWD};
use crate::host::exec;
use crate::host::fs::{Last, locate};
use crate::host::program::Asker;
use crate::policy::{Permit, Policy};
use mclive_base::vocab::account::{PutUser, Step};
use mclive_base::vocab::{CommandSpec, HostError, HostErrorKind, Power};

/// The directories of the utilities.
const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// The tools add and remove the group of a user's own name with the user, so another step may have done this one.
pub(super) fn apply(at: &Context, step: &Step) -> Result<(), HostError> {
    let _one_at_a_time = at.shared.subjects.account.tools.lock();
    judge(at, step)?;
    let number = |name: &str| Ok::<_, HostError>(GROUP.read()?.named(name).map(|line| gid_of(line).to_owned()));
    let (tool, args) = match step {
        Step::PutUser(user) if user.now.is_some() => ("usermod", user_args(user)),
        Step::PutUser(user) => {
            let mut args = Vec::new();
            let mut group = user.group.clone();
            if primary::is_open(user) {
                // The tool does exactly what has been judged.
                match (primary::is_own()?, number(&user.name)?) {
                    // Without it, `useradd` refuses a name that a group has.
                    (true, Some(_)) => group = Some(user.name.clone()),
                    (true, None) => args.push("--user-group".to_owned()),
                    (false, _) => args.push("--no-user-group".to_owned()),
                }
            }
            let changes = at.shared.policy.changes();
            if user.home.as_deref().is_some_and(|home| !may_be_created(changes, home)) {
                args.push("--no-create-home".to_owned());
            }
            args.extend(user_args(&PutUser { group, ..user.clone() }));
            ("useradd", args)
        }
        Step::RemoveUser { name, .. } if PASSWD.read()?.named(name).is_none() => return Ok(()),
        Step::RemoveUser { name, .. } => ("userdel", vec![name.clone()]),
        Step::PutGroup { name, gid, .. } => {
            let now = number(name)?;
            let wanted = gid.map(|gid| gid.to_string());
            if now.is_some() && (wanted.is_none() || wanted == now) {
                return Ok(());
            }
            let mut args = Vec::new();
            args.extend(wanted.into_iter().flat_map(|gid| ["-g".to_owned(), gid]));
            args.push(name.clone());
            (if now.is_some() { "groupmod" } else { "groupadd" }, args)
        }
        Step::RemoveGroup { name, .. } if number(name)?.is_none() => return Ok(()),
        Step::RemoveGroup { name, .. } => ("groupdel", vec![name.clone()]),
    };
    run(at, tool, &spec(find(tool)?, args))
}

/// The command line of a tool.
pub(super) fn spec(program: String, args: Vec<String>) -> CommandSpec {
    let argv = std::iter::once(program).chain(args).collect();
    let env = [("PATH", PATH), ("LC_ALL", "C")].map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    CommandSpec { argv, env, signal: "SIGTERM".into(), ..CommandSpec::default() }
}

/// Judges what the policy cannot see in a step: the user who has the wanted id already, the id of a group that has
/// only its name here, and the groups that are added, assigned or removed with the user. Returns the primary group of a
/// new user if the system chooses it.
pub(in crate::host) fn judge(at: &Context, step: &Step) -> Result<Option<Primary>, HostError> {
    let policy = &at.shared.policy;
    let groups = GROUP.read()?;
    let user = match step {
        Step::PutUser(user) => user,
        Step::RemoveUser { name, .. } => {
            let removed = primary::removed_with(name, &*PASSWD.read()?, &groups);
            if let Some(gid) = removed
                && primary::is_own()?
            {
                policy.power(&Power::Group(name, Some(gid))).map_err(refused)?;
            }
            return Ok(None);
        }
        Step::PutGroup { .. } | Step::RemoveGroup { .. } => return Ok(None),
    };
    let sharer = match user.uid.filter(|_| user.allow_duplicate_uid) {
        Some(uid) => entries::user_of(at, uid)?,
        None => None,
    };
    let sharer = sharer.as_ref().map(|sharer| sharer.name.as_str());
    judge_user(policy, user, sharer, &groups)?;
    let number = |name: &str| groups.named(name).and_then(|line| gid_of(line).parse().ok());
    if user.now.is_none() && user.groups.is_none() {
        let mut others = primary::others()?.into_iter();
        others.try_for_each(|name| policy.power(&Power::Group(&name, number(&name))).map_err(refused))?;
    }
    if !primary::is_open(user) {
        return Ok(None);
    }
    let chosen = if primary::is_own()? {
        Primary { name: user.name.clone(), gid: number(&user.name) }
    } else {
        let gid = primary::shared(at)?;
        let line = groups.numbered(&gid.to_string()).unwrap_or_default();
        Primary { name: line.split(':').next().unwrap_or_default().to_owned(), gid: Some(gid) }
    };
    policy.power(&Power::Group(&chosen.name, chosen.gid)).map_err(refused)?;
    Ok(Some(chosen))
}

fn judge_user(policy: &Policy, user: &PutUser, sharer: Option<&str>, groups: &Accounts) -> Result<(), HostError> {
    // Who has the id of another user has its rights.
    let sharer = sharer.filter(|name| *name != user.name).map(|name| Power::User(name, user.uid));
    // Another name of the group `root` is that group.
    let named = user.group.iter().chain(user.groups.iter().flatten()).filter(|name| *name != "root");
    let named = named.filter_map(|name| Some(Power::Group(name, Some(gid_of(groups.named(name)?).parse().ok()?))));
    sharer.into_iter().chain(named).try_for_each(|power| policy.power(&power).map_err(refused))
}

/// Whether the policy lets a home be created. Some systems create it with the user, who may then write in it: next to the
/// files of a service that would be a way around `paths`.
fn may_be_created(changes: Permit, home: &str) -> bool {
    let may_be = || {
        let place = locate(changes, "useradd", home, Last::Followed)?;
        changes.judge_below(place.path())
    };
    changes.is_all() || may_be().is_ok()
}

/// The number in a line of `/etc/group`.
fn gid_of(line: &str) -> &str {
    line.split(':').nth(2).unwrap_or_default()
}

/// In the order of the resource specification. Validated names never begin with a dash.
fn user_args(user: &PutUser) -> Vec<String> {
    let mut args = Vec::new();
    if user.allow_duplicate_uid && user.uid.is_some() {
        args.push("--non-unique".to_owned());
    }
    let mut option = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            args.extend([name.to_owned(), value]);
        }
    };
    option("--uid", user.uid.map(|uid| uid.to_string()));
    option("--gid", user.gid.map(|gid| gid.to_string()));
    option("--gid", user.group.clone());
    option("--groups", user.groups.as_ref().map(|groups| groups.join(",")));
    option("--home", user.home.clone());
    option("--shell", user.shell.clone());
    args.push(user.name.clone());
    args
}

pub(super) fn find(tool: &str) -> Result<String, HostError> {
    let found = PATH.split(':').map(|dir| format!("{dir}/{tool}")).find(|file| std::path::Path::new(file).is_file());
    found.ok_or_else(|| {
        let why = "install the package `passwd` (`shadow-utils` on some systems)";
        HostError::new(HostErrorKind::Unavailable, format!("{tool} is not installed: {why}"))
    })
}

fn run(at: &Context, tool: &str, spec: &CommandSpec) -> Result<(), HostError> {
    let program = at.shared.may_run(Asker::Tool(&at.id.kind), spec)?;
    let mut wait = Wait::new();
    loop {
        let outcome = exec::run(spec, &program, at.running, &|_| {})?;
        let said = String::from_utf8_lossy(&outcome.output.unwrap_or_default()).trim().replace('\n', "; ");
        match (outcome.status, Held::read(&said)) {
            (Some(0), _) => return Ok(()),
            (Some(_), Some(held)) => wait.rest(at, tool, &held)?,
            (status, _) => return Err(failed(tool, status, &said)),
        }
    }
}

/// The tool's message, or the meaning of its exit status.
fn failed(tool: &str, status: Option<i32>, said: &str) -> HostError {
    let meaning = match status {
        Some(4) => "the ID is already in use",
        Some(6) => "no such user or group",
        Some(8) => "the user is logged in or has running processes",
        Some(9) => "the name is already in use",
        Some(10) => "cannot update the group file",
        Some(12) => "cannot create the home directory",
        Some(_) => "it failed",
        None => "it was killed",
    };
    let text = match said {
        "" => format!("{tool}: {meaning}"),
        said if said.starts_with(tool) => said.to_owned(),
        said => format!("{tool}: {said}"),
    };
    HostError::new(HostErrorKind::Other, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Scratch;

    #[test]
    fn a_home_is_created_where_the_policy_allows_changes() {
        let dir = Scratch::new("account-home");
        std::os::unix::fs::symlink("/etc", dir.join("link")).unwrap();
        let text = format!("paths = ['{0}/own', '{0}/own/**', '{0}/bare', '{0}/link/**']", dir.display());
        let limited = Policy::parse(&text).unwrap();
        let may = |policy: &Policy, home: &str| may_be_created(policy.changes(), home);
        for (home, expect) in [("own", true), ("own/", true), ("bare", false), ("link/new", false), ("other", false)] {
            assert_eq!(may(&limited, &dir.join(home).display().to_string()), expect, "{home}");
        }
        assert!(!may(&limited, "/etc/systemd/system/web.service.d"));
        assert!(may(&Policy::parse("").unwrap(), "/etc/new"));
    }

    #[test]
    fn who_shares_an_id_or_a_group_is_judged_by_what_they_are() {
        let groups = Accounts::parse("root:x:0:\nweb-a:x:7:\nweb-b:x:0:\n");
        let judged = |policy: &str, sharer: Option<&str>, group: &str| {
            let user = user("web-1", 1000, group);
            judge_user(&Policy::parse(policy).unwrap(), &user, sharer, &groups).map_err(|error| error.message)
        };
        let limited = "users = ['web-*']\ngroups = ['web-*']";
        for sharer in [None, Some("web-1"), Some("web-2")] {
            assert_eq!(judged(limited, sharer, "web-a"), Ok(()));
        }
        let said = judged(limited, Some("alice"), "web-a").unwrap_err();
        assert_eq!(said, "the policy does not allow changing the user `alice`: list it in `users`");
        assert_eq!(judged("users = ['web-*', 'alice']", Some("alice"), "web-a"), Ok(()));
        for policy in [limited, ""] {
            let said = judged(policy, None, "web-b").unwrap_err();
            assert_eq!(
                said,
                "the policy does not allow changing the group `web-b` with the ID `0`: list it in `groups`"
            );
        }
        assert_eq!(judged("groups = ['root', 'web-b', '0']", None, "web-b"), Ok(()));
        // It is not there yet, or was judged by its name.
        assert_eq!(judged(limited, None, "web-c"), Ok(()));
        assert_eq!(judged("groups = ['root']", None, "root"), Ok(()));
        assert!(judge_user(&Policy::all(), &user("toor", 0, "web-b"), Some("root"), &groups).is_ok());
    }

    fn user(name: &str, uid: u32, group: &str) -> PutUser {
        PutUser {
            name: name.into(),
            now: None,
            allow_duplicate_uid: true,
            uid: Some(uid),
            gid: None,
            group: None,
            groups: Some(vec![group.into()]),
            home: None,
            shell: None,
        }
    }
}
