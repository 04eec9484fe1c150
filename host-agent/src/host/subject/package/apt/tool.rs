//! The tools of apt and dpkg: how they are run without prompts, and the errors that they report.

use crate::host::exec;
use crate::host::program::{Asker, Executable};
use crate::host::subject::Context;
use crate::process::Stream;
use mclive_base::vocab::{CommandSpec, HostError, HostErrorKind};

const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";
/// apt trusts its cache if the status file has the same size and modification time in seconds: it misses two changes
/// within a second.
const NO_CACHE: &str = "Dir::Cache::pkgcache=";
/// The longest answer that is read: some hundred bytes for each package.
const LONGEST: usize = 64 << 20;
/// How much of a tool's output is included in a failure.
const LONGEST_REASON: usize = 2000;

/// Runs a read-only tool.
pub(super) fn ask(at: &Context, tool: &str, args: &[String]) -> Result<String, HostError> {
    let spec = spec(tool, args)?;
    let ran = run(at, &spec, &Executable::any(&spec)?)?;
    match ran.status {
        // A part of an answer would be taken for all of it.
        Some(0) if ran.said.len() >= LONGEST => {
            Err(HostError::new(HostErrorKind::Other, format!("{tool}: the answer is longer than {LONGEST} bytes")))
        }
        Some(0) => Ok(ran.said),
        _ => Err(failed(tool, &ran)),
    }
}

/// Runs a tool that changes something, if the policy allows it.
pub(super) fn change(at: &Context, tool: &str, args: &[String]) -> Result<(), HostError> {
    let spec = spec(tool, args)?;
    let program = at.shared.may_run(Asker::Tool(&at.id.kind), &spec)?;
    let ran = run(at, &spec, &program)?;
    match ran.status {
        Some(0) => Ok(()),
        _ => Err(failed(tool, &ran)),
    }
}

struct Ran {
    status: Option<i32>,
    said: String,
    complained: String,
}

fn run(at: &Context, spec: &CommandSpec, program: &Executable) -> Result<Ran, HostError> {
    let (mut said, mut complained) = (Vec::new(), Vec::new());
    let status = exec::follow(spec, program, at.running, |stream, bytes| {
        let into = match stream {
            Stream::Stdout => &mut said,
            Stream::Stderr => &mut complained,
        };
        let room = LONGEST.saturating_sub(into.len());
        into.extend_from_slice(&bytes[..bytes.len().min(room)]);
    })?;
    if at.running.is_stopped() {
        return Err(HostError::new(HostErrorKind::Cancelled, format!("{} was stopped", spec.argv[0])));
    }
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Ran { status: status.code(), said: text(said), complained: text(complained) })
}

fn spec(tool: &str, args: &[String]) -> Result<CommandSpec, HostError> {
    let found = PATH.split(':').map(|dir| format!("{dir}/{tool}")).find(|file| std::path::Path::new(file).is_file());
    let program = found.ok_or_else(|| {
        let package = if tool == "dpkg" { "dpkg" } else { "apt" };
        HostError::new(HostErrorKind::Unavailable, format!("{tool} is not installed: install the package `{package}`"))
    })?;
    let env = [
        ("PATH", PATH),
        ("LC_ALL", "C.UTF-8"),
        ("HOME", "/root"),
        ("DEBIAN_FRONTEND", "noninteractive"),
        ("DEBCONF_NONINTERACTIVE_SEEN", "true"),
        ("APT_LISTCHANGES_FRONTEND", "none"),
        ("NEEDRESTART_MODE", "l"),
    ];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let mut argv = vec![program];
    if tool != "dpkg" {
        argv.extend(["-o".to_owned(), NO_CACHE.to_owned()]);
    }
    argv.extend(args.iter().cloned());
    Ok(CommandSpec { argv, env, signal: "SIGTERM".into(), ..CommandSpec::default() })
}

/// The tool's errors, otherwise the end of its output.
fn failed(tool: &str, ran: &Ran) -> HostError {
    let error = |line: &&str| line.starts_with("E: ") || line.starts_with("dpkg: ");
    let mut reason: Vec<&str> =
        ran.complained.lines().filter(error).map(|line| line.trim_start_matches("E: ")).collect();
    if tool == "apt-get" {
        // The reasons for unmet dependencies come earlier in the output.
        let unmet = ran.said.lines().skip_while(|line| !line.contains("unmet dependencies")).skip(1);
        reason.extend(unmet.map(str::trim).filter(|line| !line.is_empty()).take(10));
    }
    if reason.is_empty() {
        let last = ran.complained.lines().chain(ran.said.lines()).rfind(|line| !line.trim().is_empty());
        reason.extend(last);
    }
    let mut reason = reason.join("; ");
    if reason.len() > LONGEST_REASON {
        reason.truncate(reason.floor_char_boundary(LONGEST_REASON));
        reason.push('…');
    }
    let text = match ran.status {
        None if reason.is_empty() => "it was killed".to_owned(),
        None => format!("it was killed: {reason}"),
        Some(status) if reason.is_empty() => format!("exit status {status}"),
        Some(_) => reason,
    };
    HostError::new(HostErrorKind::Other, format!("{tool}: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_apt_complained_of() {
        let ran =
            Ran { status: Some(100), said: String::new(), complained: "W: x\nE: Unable to locate package y\n".into() };
        assert_eq!(failed("apt-get", &ran).message, "apt-get: Unable to locate package y");
        let ran = Ran { status: None, said: String::new(), complained: String::new() };
        assert_eq!(failed("apt-get", &ran).message, "apt-get: it was killed");
        let ran = Ran { said: "Setting up tiny (1.0) ...\n".into(), ..ran };
        assert_eq!(failed("apt-get", &ran).message, "apt-get: it was killed: Setting up tiny (1.0) ...");
    }
}
