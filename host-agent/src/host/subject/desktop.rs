//! Settings of desktops: `gsettings`, run as their owner, on the user's session bus if there is one.

use super::{Backend, Context, absent, refused, tool};
use crate::host::{Host, Shared, accounts};
use crate::policy::Policy;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::desktop::{Finding, Key, Probe, Step};
use mclive_base::vocab::subjects::Desktop;
use mclive_base::vocab::{CommandSpec, Datum, HostError, HostErrorKind, Outcome, Power};
use std::path::Path;

impl Backend for Desktop {
    type State = ();
    absent! { watch fact }

    /// Reading needs no bus: the values are in a file.
    fn probe(at: &Context, Probe { key }: &Probe) -> Result<Finding, HostError> {
        let gsettings = gsettings()?;
        let argv = [gsettings.as_str(), "get", &key.schema, &key.key].map(str::to_owned).to_vec();
        run(at, key, argv, "read").map(Finding::Value)
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        judge(&at.shared.policy, step)?;
        let Step { key, value, .. } = step;
        let gsettings = gsettings()?;
        let mut argv = Vec::new();
        if bus(key)?.is_none() {
            argv.extend([tool::find("dbus-run-session", "dbus-daemon")?, "--".to_owned()]);
        }
        argv.extend([gsettings.as_str(), "set", &key.schema, &key.key, value].map(str::to_owned));
        run(at, key, argv, "set").map(|_| Outcome::Done)
    }

    fn foresee(at: &Context, step: &Step) -> Result<(), HostError> {
        judge(&at.shared.policy, step)
    }
}

/// Judges the owner of the settings as an account, and the group. The key may name them by ID or not at all, and a name
/// may be another one of root.
fn judge(policy: &Policy, Step { key, .. }: &Step) -> Result<(), HostError> {
    let user = user(key)?;
    policy.power(&Power::User(&user.name, Some(user.uid))).map_err(refused)?;
    if key.group.is_empty() {
        return Ok(());
    }
    match accounts::group(&key.group) {
        Ok(gid) => policy.power(&Power::Group(&key.group, Some(gid))).map_err(refused),
        // The command does not start without it.
        Err(error) if error.kind == HostErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn gsettings() -> Result<String, HostError> {
    tool::find("gsettings", "libglib2.0-bin")
}

fn user(key: &Key) -> Result<accounts::User, HostError> {
    match key.user.as_str() {
        "" => accounts::user(&rustix::process::getuid().as_raw().to_string()),
        name => accounts::user(name),
    }
}

/// The socket of the user's session, if there is one.
fn bus(key: &Key) -> Result<Option<String>, HostError> {
    let socket = format!("/run/user/{}/bus", user(key)?.uid);
    Ok(Path::new(&socket).exists().then_some(socket))
}

fn run(at: &Context, key: &Key, argv: Vec<String>, verb: &str) -> Result<String, HostError> {
    let user = user(key)?;
    let mut env = vec![("HOME".to_owned(), user.home.clone()), ("USER".to_owned(), user.name.clone())];
    if let Some(socket) = bus(key)? {
        env.push(("XDG_RUNTIME_DIR".to_owned(), format!("/run/user/{}", user.uid)));
        env.push(("DBUS_SESSION_BUS_ADDRESS".to_owned(), format!("unix:path={socket}")));
    }
    let (as_user, as_group) = match key.user.as_str() {
        "" => (String::new(), key.group.clone()),
        _ if key.group.is_empty() => (user.name.clone(), user.gid.to_string()),
        _ => (user.name.clone(), key.group.clone()),
    };
    let spec = CommandSpec { argv, env, user: as_user, group: as_group, cwd: "/".into(), ..CommandSpec::default() };
    let outcome = tool::run(at, spec)?;
    match outcome.status {
        Some(0) => Ok(tool::said(outcome.stdout.as_deref())),
        _ => {
            let said = tool::said(outcome.stderr.as_deref());
            let why = format!("{verb} {} {}: {said}", key.schema, key.key);
            Err(HostError::new(HostErrorKind::Other, why))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(policy: &str, user: &str) -> Result<(), HostError> {
        let key = Key { schema: "org.x".into(), key: "y".into(), user: user.into(), group: String::new() };
        judge(&Policy::parse(policy).unwrap(), &Step { key, value: "1".into(), now: "0".into() })
    }

    #[test]
    fn a_group_is_judged_by_its_id_as_well() {
        let judged = |group: &str, groups: &str| {
            let me = rustix::process::getuid().as_raw();
            let policy = Policy::parse(&format!("users = ['root', '0', '{me}']\ngroups = {groups}")).unwrap();
            let (schema, name, user) = ("org.x".into(), "y".into(), String::new());
            let key = Key { schema, key: name, user, group: group.into() };
            judge(&policy, &Step { key, value: "1".into(), now: "0".into() }).map_err(|error| error.message)
        };
        for groups in ["[]", "['root']", "['*']"] {
            let said = judged("root", groups).unwrap_err();
            assert!(said.contains("changing the group `root`: list it in `groups`"), "{groups}: {said}");
        }
        assert_eq!(judged("root", "['root', '0']"), Ok(()));
        assert_eq!((judged("", "[]"), judged("no-such-group", "[]")), (Ok(()), Ok(())));
    }

    #[test]
    fn an_owner_is_judged_however_it_is_named() {
        let me = rustix::process::getuid().as_raw().to_string();
        for user in ["", "0", "root", &me] {
            for policy in ["users = []", "users = ['no-such-user']"] {
                let error = judged(policy, user).unwrap_err();
                assert_eq!(error.kind, HostErrorKind::Refused, "{user}: {policy}");
                assert!(error.message.contains("list it in `users`"), "{}", error.message);
            }
        }
        for user in ["0", "root"] {
            for policy in ["", "users = ['*']"] {
                assert!(judged(policy, user).is_err(), "{user}: {policy}");
            }
            judged("users = ['root', '0']", user).unwrap();
        }
        judged(&format!("users = ['root', '{me}']"), "").unwrap();
    }
}
