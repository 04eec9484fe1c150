//! Changes accounts with the shadow utilities, one at a time, since they lock the account files.

use super::super::{Place, refused};
use crate::host::account_files::{GROUP, PASSWD};
use crate::host::exec;
use crate::host::program::Asker;
use mclive_base::vocab::account::{PutUser, Step};
use mclive_base::vocab::{CommandSpec, HostError, HostErrorKind, Power};
use std::time::{Duration, Instant};

/// The directories of the utilities.
const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";
/// How long to wait for another program's lock of the account files.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);

/// The tools add and remove the group of a user's own name with the user, so another step may have done this one.
pub(super) fn apply(at: &Place, step: &Step) -> Result<(), HostError> {
    let _one_at_a_time = at.shared.account_tools.lock();
    let number = |name: &str| Ok::<_, HostError>(GROUP.read()?.named(name).map(|line| gid_of(line).to_owned()));
    let (tool, args) = match step {
        Step::PutUser(user) if user.now.is_some() => ("usermod", user_args(user)),
        Step::PutUser(user) => {
            let is_free = user.gid.is_none() && user.group.is_none();
            // Without it, `useradd` refuses a name that a group has.
            let own = number(&user.name)?.filter(|_| is_free);
            if let Some(gid) = &own {
                let power = Power::Group(&user.name, gid.parse().ok());
                at.shared.policy.power(&power).map_err(refused)?;
            }
            let group = own.map(|_| user.name.clone()).or_else(|| user.group.clone());
            ("useradd", user_args(&PutUser { group, ..user.clone() }))
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
    let program = find(tool)?;
    let mut argv = vec![program];
    argv.extend(args);
    let env = [("PATH", PATH), ("LC_ALL", "C")].map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    run(at, tool, &CommandSpec { argv, env, signal: "SIGTERM".into(), ..CommandSpec::default() })
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

fn find(tool: &str) -> Result<String, HostError> {
    let found = PATH.split(':').map(|dir| format!("{dir}/{tool}")).find(|file| std::path::Path::new(file).is_file());
    found.ok_or_else(|| {
        let why = "install the package `passwd` (`shadow-utils` on some systems)";
        HostError::new(HostErrorKind::Unavailable, format!("{tool} is not installed: {why}"))
    })
}

fn run(at: &Place, tool: &str, spec: &CommandSpec) -> Result<(), HostError> {
    let program = at.shared.may_run(Asker::Tool(&at.id.kind), spec)?;
    let began = Instant::now();
    loop {
        let outcome = exec::run(spec, &program, at.running, &|_| {})?;
        let said = String::from_utf8_lossy(&outcome.output.unwrap_or_default()).trim().replace('\n', "; ");
        let is_locked = said.contains("cannot lock") || said.contains("try again later");
        match outcome.status {
            Some(0) => return Ok(()),
            Some(1 | 10) if is_locked && began.elapsed() < PATIENCE && !at.running.is_stopped() => {
                std::thread::sleep(PAUSE);
            }
            status => return Err(failed(tool, status, &said)),
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
