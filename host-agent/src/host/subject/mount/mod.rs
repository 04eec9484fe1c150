//! Mounts: the kernel's table, whose changes `poll(2)` reports, and the tools `mount` and `umount`.

mod generated;
mod holders;
mod judged;
mod point;
mod programs;
mod table;
mod uncovered;

pub(super) use generated::reread;
pub(in crate::host) use judged::judge_table;
pub(super) use point::steady;

use super::{Audience, Backend, Context, SubjectState, absent, tool};
use judged::{Judge, Judged};
use uncovered::Uncovered;

use crate::host::exec;
use crate::host::program::{Asker, Executable};
use crate::host::{Host, Shared, io_failed, subscribe};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::mount::{Finding, Probe, Step, Watch};
use mclive_base::vocab::subjects::Mount;
use mclive_base::vocab::{CommandOutcome, CommandSpec, Datum, HostError, HostErrorKind, Outcome};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::fs::File;
use std::sync::Arc;

/// The watches, and what prevents mounting over a file system that was mounted after a check.
#[derive(Default)]
pub(super) struct Mounts {
    audience: Audience<Watch>,
    uncovered: Uncovered,
}

impl Mounts {
    pub(super) fn audience(&self) -> &Audience<Watch> {
        &self.audience
    }
}

impl SubjectState for Mounts {
    fn leave(&self, shared: &Arc<Shared>, ticket: Ticket) {
        self.audience.leave(shared, ticket);
    }
}

/// The directories of the tools.
const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

impl Backend for Mount {
    type State = Mounts;
    absent! { fact }

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        match probe {
            Probe::Table => table::read().map(Finding::Table),
            Probe::Device { spec } => device(at, spec).map(Finding::Device),
        }
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        let uncovered = &at.shared.subjects.mount.uncovered;
        let (tool, args, password) = match step {
            Step::Mount { target, source, kind, options } => {
                let Judged { target, source, options } = Judge::now(at).mount(target, source, kind, options)?;
                uncovered.judge(&target, &table::read()?)?;
                let (options, password) = without_password(kind, options);
                let kind = if kind.is_empty() { Vec::new() } else { vec!["-t".to_owned(), kind.clone()] };
                let rest = ["-o".to_owned(), options.join(","), "--".to_owned(), source, target];
                ("mount", kind.into_iter().chain(rest).collect(), password)
            }
            Step::Remount { target, options, .. } => {
                let target = Judge::now(at).remount(target, options)?;
                let table = table::read()?;
                let now = table.iter().rfind(|mounted| mounted.target == target);
                let kind = now.map_or("", |now| now.kind.as_str());
                let (options, password) = without_password(kind, options.clone());
                let options = [&["remount".to_owned()][..], &options].concat().join(",");
                ("mount", vec!["-o".to_owned(), options, "--".to_owned(), target], password)
            }
            Step::Unmount { target } => ("umount", vec!["--".to_owned(), Judge::now(at).target(target)?], None),
        };
        let uncovers = if matches!(step, Step::Unmount { .. }) { args.last().cloned() } else { None };
        let outcome = run(at, tool, args, password)?;
        if outcome.status == Some(0) {
            if let Some(place) = uncovers
                && let Ok(table) = table::read()
            {
                uncovered.note(&place, &table);
            }
            return Ok(Outcome::Done);
        }
        let said = String::from_utf8_lossy(&outcome.output.unwrap_or_default()).trim().replace('\n', "; ");
        let message = match step {
            Step::Unmount { target } if said.contains("busy") => format!("{said}{}", holders::told(target)),
            _ => said,
        };
        let message = match outcome.signal {
            _ if !message.is_empty() => message,
            Some(signal) => format!("{tool} was killed by signal: {signal}"),
            None => format!("{tool} failed"),
        };
        Err(HostError::new(HostErrorKind::Other, message))
    }

    fn foresee(at: &Context, step: &Step) -> Result<(), HostError> {
        judged::foresee(at, step)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        let shared = host.shared.clone();
        shared.subjects.mount.audience().join(host, ticket, *watch, || hear(shared.clone()))
    }
}

/// Waits for changes of the table of mounts, once it runs. Errors: it cannot be watched.
fn hear(shared: Arc<Shared>) -> Result<impl FnOnce() + Send + 'static, HostError> {
    let file = File::open(table::FILE).map_err(|error| io_failed("open", table::FILE, &error))?;
    Ok(move || {
        loop {
            match poll(&mut [PollFd::new(&file, PollFlags::ERR | PollFlags::PRI)], None) {
                Ok(_) => {
                    let concerned = shared.subjects.mount.audience().concerned(|_| true);
                    let what = || Some("the mounts".to_owned());
                    concerned.into_iter().for_each(|ticket| subscribe::changed(&shared, ticket, what()));
                }
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    })
}

fn spec(tool: &str, args: Vec<String>) -> Result<CommandSpec, HostError> {
    let found = PATH.split(':').map(|dir| format!("{dir}/{tool}")).find(|file| std::path::Path::new(file).is_file());
    let program = found.ok_or_else(|| {
        HostError::new(HostErrorKind::Unavailable, format!("{tool} is not installed: install the package `util-linux`"))
    })?;
    let argv = [vec![program], args].concat();
    let env = [("PATH", PATH), ("LC_ALL", "C")].map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    Ok(CommandSpec { argv, env, signal: "SIGTERM".into(), ..CommandSpec::default() })
}

/// Options that may stand on a command line, which every user can see, and the password that may not: the tool of the
/// file system reads it from its environment.
fn without_password(kind: &str, mut options: Vec<String>) -> (Vec<String>, Option<String>) {
    let mut password = None;
    if matches!(kind, "cifs" | "smb3") {
        options.retain(|option| match option.split_once('=') {
            Some(("pass" | "password", value)) => {
                password = Some(value.to_owned());
                false
            }
            _ => true,
        });
    }
    if options.is_empty() && password.is_some() {
        options.push("defaults".to_owned());
    }
    (options, password)
}

fn run(at: &Context, tool: &str, args: Vec<String>, password: Option<String>) -> Result<CommandOutcome, HostError> {
    let mut spec = spec(tool, args)?;
    spec.env.extend(password.map(|password| ("PASSWD".to_owned(), password)));
    let program = at.shared.may_run(Asker::Tool(&at.id.kind), &spec)?;
    exec::run(&spec, &program, at.running, &|_| {})
}

/// The device of a path or a tag. Without links for tags, `blkid` is run.
fn device(at: &Context, wanted: &str) -> Result<Option<String>, HostError> {
    let real = |path: &str| std::fs::canonicalize(path).ok().map(|path| path.to_string_lossy().into_owned());
    let Some((tag, value)) = wanted.split_once('=').filter(|(tag, _)| !tag.starts_with('/')) else {
        return Ok(real(wanted));
    };
    if value.contains('/') {
        return Err(HostError::new(HostErrorKind::Refused, format!("`{wanted}` is not a valid device tag")));
    }
    if let Some(found) = real(&format!("/dev/disk/by-{}/{value}", tag.to_ascii_lowercase())) {
        return Ok(Some(found));
    }
    let Ok(spec) = spec("blkid", vec!["-o".into(), "device".into(), "-t".into(), wanted.into()]) else {
        return Ok(None);
    };
    named(wanted, &exec::look(&spec, &Executable::any(&spec)?, at.running)?)
}

/// The device that `blkid` names. Errors: it could not look.
fn named(wanted: &str, outcome: &CommandOutcome) -> Result<Option<String>, HostError> {
    match outcome.status {
        Some(0) => {
            let out = String::from_utf8_lossy(outcome.stdout.as_deref().unwrap_or_default());
            Ok(out.lines().next().map(str::to_owned))
        }
        // There is none.
        Some(2) => Ok(None),
        _ => {
            let said = tool::said(outcome.stderr.as_deref());
            let why = if said.is_empty() { "it failed" } else { &said };
            Err(HostError::new(HostErrorKind::Other, format!("blkid for {wanted}: {why}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_on_no_command_line() {
        let apart = |kind: &str, options: &[&str]| {
            let options = options.iter().map(|option| option.to_string()).collect();
            let (options, password) = without_password(kind, options);
            (options.join(","), password)
        };
        let hush = || Some("hush".to_owned());
        assert_eq!(apart("cifs", &["ro", "password=hush", "username=me"]), ("ro,username=me".into(), hush()));
        assert_eq!(apart("smb3", &["pass=hush"]), ("defaults".into(), hush()));
        assert_eq!(apart("cifs", &["password=a=b"]).1.as_deref(), Some("a=b"));
        assert_eq!(apart("cifs", &["guest"]), ("guest".into(), None));
        // Other tools would not look for it there.
        assert_eq!(apart("fuse.curlftpfs", &["pass=hush"]), ("pass=hush".into(), None));
    }

    #[test]
    fn a_device_is_missing_only_if_blkid_says_so() {
        let told = |status, stdout: &str, stderr: &str| {
            let bytes = |text: &str| (!text.is_empty()).then(|| text.as_bytes().to_vec());
            let (stdout, stderr) = (bytes(stdout), bytes(stderr));
            let outcome = CommandOutcome { status, signal: None, output: None, stdout, stderr };
            named("LABEL=data", &outcome).map_err(|error| error.message)
        };
        assert_eq!(told(Some(0), "/dev/vdb1\n/dev/vdc1\n", ""), Ok(Some("/dev/vdb1".into())));
        assert_eq!(told(Some(2), "", ""), Ok(None));
        assert_eq!(told(Some(1), "", "unknown option\n"), Err("blkid for LABEL=data: unknown option".into()));
        assert_eq!(told(None, "", ""), Err("blkid for LABEL=data: it failed".into()));
    }
}
