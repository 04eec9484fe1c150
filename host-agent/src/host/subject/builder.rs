//! Images of virtual machines: `virt-builder` creates them next to their place.

mod log;

use super::lens::{judged, judged_whole};
use super::{Backend, Context, absent, tool};
use crate::host::errno::failed;
use crate::host::fs::{native, own_name};
use crate::host::{Host, Shared, io_failed};
use crate::policy::Permit;
use log::Log;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::builder::{Finding, PACKAGE, Probe, Step};
use mclive_base::vocab::path::shown;
use mclive_base::vocab::subjects::Builder;
use mclive_base::vocab::{CommandSpec, Datum, HostError, HostErrorKind, Outcome};
use rustix::fs::{AtFlags, CWD, RenameFlags, linkat, renameat_with};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

const TOOL: &str = "virt-builder";
/// The directory of the agent in an image.
const BIN: &str = "/usr/local/bin/";
/// How the names of log files end, and how many of a resource are kept.
const LOG: &str = ".log";
const MOST_LOGS: usize = 10;

impl Backend for Builder {
    type State = ();
    absent! { watch fact }

    fn probe(_: &Context, _: &Probe) -> Result<Finding, HostError> {
        Ok(Finding::Tool(tool::find(TOOL, PACKAGE).is_ok()))
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        let _mine = at.shared.files.lock(&step.output);
        if judged(TOOL, &step.output, at.shared.policy.changes())? {
            return Err(HostError::new(HostErrorKind::Exists, format!("{} already exists", step.output)));
        }
        let partial = partial(&step.output);
        judged(TOOL, &partial, Permit::ALL)?;
        // Left by an agent that was killed: no other program has files of this name.
        let _ = fs::remove_file(&partial);
        step.reads.iter().try_for_each(|path| judged_whole(TOOL, path, at.shared.policy.reads()))?;
        let built = build(at, step, &partial);
        match built {
            Ok(()) => put(&partial, &step.output)?,
            Err(error) => {
                let _ = fs::remove_file(&partial);
                return Err(error);
            }
        }
        Ok(Outcome::Done)
    }
}

/// The path of the image while it is built, next to its place.
fn partial(output: &str) -> String {
    let (above, name) = output.rsplit_once('/').unwrap_or(("", output));
    format!("{above}/{}", own_name(OsStr::new(name)))
}

/// Moves a complete image to its place. A build takes minutes: what someone else has put there in the meantime stays.
fn put(partial: &str, output: &str) -> Result<(), HostError> {
    let (from, to) = (native(partial), native(output));
    let placed = match renameat_with(CWD, &*from, CWD, &*to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => linkat(CWD, &*from, CWD, &*to, AtFlags::empty()),
        placed => placed,
    };
    // After a rename it has no such name.
    let _ = fs::remove_file(&*from);
    placed.map_err(|errno| match errno {
        Errno::EXIST => {
            let why = format!("{} was created by another program during the build", shown(output));
            HostError::new(HostErrorKind::Exists, why)
        }
        errno => failed("rename", output, errno),
    })
}

fn build(at: &Context, step: &Step, partial: &str) -> Result<(), HostError> {
    let mut argv = vec![tool::find(TOOL, PACKAGE)?, step.template.clone(), "--output".into(), partial.to_owned()];
    argv.extend_from_slice(&step.words);
    // A password must not be on a command line: the tool reads it from a file that only this user and root can open.
    let (selector, secret) = match step.password.0.split_once("password:") {
        Some((before, password)) => {
            let file = tool::memory("password", format!("{password}\n").as_bytes())?;
            (format!("{before}file:{}", tool::path(&file)), Some(file))
        }
        None => (step.password.0.clone(), None),
    };
    if !selector.is_empty() {
        argv.extend(["--root-password".to_owned(), selector]);
    }
    if step.has_agent {
        let ours = std::env::current_exe().map_err(|error| io_failed("readlink", "/proc/self/exe", &error))?;
        argv.extend(["--mkdir", BIN, "--copy-in"].map(str::to_owned));
        argv.push(format!("{}:{BIN}", ours.display()));
    }
    argv.extend_from_slice(&step.last_words);
    // The appliance and the templates are cached below the home.
    let env = std::env::var("HOME").map(|home| ("HOME".to_owned(), home)).into_iter().collect();
    let mut log = Log::new();
    let spec = CommandSpec { argv, env, ..CommandSpec::default() };
    let status = tool::follow(at, spec, |stream, bytes| log.add(stream, bytes));
    drop(secret);
    let (status, said) = (status?, log.errors());
    if step.logs {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        at.shared.state.write(at.id, &format!("{now}{LOG}"), &log.into_bytes())?;
        at.shared.state.keep_last(at.id, LOG, MOST_LOGS)?;
    }
    if status.success() {
        return Ok(());
    }
    Err(HostError::new(HostErrorKind::Other, format!("{TOOL} for {}: {said}", step.output)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Scratch;

    #[test]
    fn an_image_that_somebody_made_during_the_build_stays() {
        let dir = Scratch::new("builder-put");
        let output = dir.join("a.img").display().to_string();
        let partial = partial(&output);
        let complete = || fs::write(&partial, "built").unwrap();
        complete();
        fs::write(&output, "theirs").unwrap();
        let error = put(&partial, &output).unwrap_err();
        assert_eq!(error.kind, HostErrorKind::Exists);
        assert_eq!(error.message, format!("{output} was created by another program during the build"));
        assert_eq!(fs::read_to_string(&output).unwrap(), "theirs");
        assert!(!fs::exists(&partial).unwrap());
        fs::remove_file(&output).unwrap();
        complete();
        put(&partial, &output).unwrap();
        assert_eq!(fs::read_to_string(&output).unwrap(), "built");
        assert!(!fs::exists(&partial).unwrap());
    }
}
