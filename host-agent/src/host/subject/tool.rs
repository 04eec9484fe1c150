//! Helpers of the subjects that run a tool.

use super::Context;
use crate::host::Shared;
use crate::host::errno::failed;
use crate::host::exec;
use crate::host::program::Asker;
use crate::host::running::Running;
use crate::process::{Input, Stream};
use mclive_base::vocab::{CommandOutcome, CommandSpec, HostError, HostErrorKind};
use rustix::fd::AsRawFd;
use rustix::fs::{MemfdFlags, memfd_create};
use std::fs::File;
use std::io::{Seek, Write};
use std::process::ExitStatus;

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The full path of a tool. Errors: the package that must be installed.
pub(super) fn find(tool: &str, package: &str) -> Result<String, HostError> {
    let found = PATH.split(':').map(|dir| format!("{dir}/{tool}")).find(|file| std::path::Path::new(file).is_file());
    found.ok_or_else(|| {
        HostError::new(HostErrorKind::Unavailable, format!("{tool} is not installed: install the package `{package}`"))
    })
}

/// Runs a tool that the policy allows, in the C locale, with only the given environment.
pub(super) fn run(at: &Context, spec: CommandSpec) -> Result<CommandOutcome, HostError> {
    feed(at.shared, &at.id.kind, at.running, spec, None)
}

/// The same for a resource of a kind, with a file on standard input.
pub(super) fn feed(
    shared: &Shared,
    kind: &str,
    running: &Running,
    spec: CommandSpec,
    input: Option<File>,
) -> Result<CommandOutcome, HostError> {
    let spec = plain(spec);
    let program = shared.may_run(Asker::Tool(kind), &spec)?;
    exec::feed(&spec, &program, running, input.map_or(Input::Nothing, Input::File))
}

/// Runs a tool to completion, and passes its standard output to `hears` as it arrives.
pub(super) fn hear(
    shared: &Shared,
    kind: &str,
    running: &Running,
    spec: CommandSpec,
    mut hears: impl FnMut(&[u8]),
) -> Result<(), HostError> {
    let spec = plain(spec);
    let program = shared.may_run(Asker::Tool(kind), &spec)?;
    let wrote = |stream, bytes: &[u8]| {
        if let Stream::Stdout = stream {
            hears(bytes);
        }
    };
    exec::follow(&spec, &program, running, wrote).map(drop)
}

/// Runs a tool to completion, and passes its outputs to `wrote` as they arrive. Errors: it was stopped as well.
pub(super) fn follow(
    at: &Context,
    spec: CommandSpec,
    wrote: impl FnMut(Stream, &[u8]),
) -> Result<ExitStatus, HostError> {
    let spec = plain(spec);
    let program = at.shared.may_run(Asker::Tool(&at.id.kind), &spec)?;
    let status = exec::follow(&spec, &program, at.running, wrote)?;
    if at.running.is_stopped() {
        return Err(HostError::new(HostErrorKind::Cancelled, format!("{} was stopped", spec.argv[0])));
    }
    Ok(status)
}

fn plain(mut spec: CommandSpec) -> CommandSpec {
    let plain = [("PATH", PATH), ("LC_ALL", "C.UTF-8")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    spec.env.extend(plain);
    spec.signal = "SIGTERM".into();
    spec
}

/// A file in memory.
pub(super) fn memory(name: &str, content: &[u8]) -> Result<File, HostError> {
    let file = memfd_create(name, MemfdFlags::CLOEXEC).map_err(|errno| failed("memfd_create", name, errno))?;
    let mut file = File::from(file);
    let fails = |error: std::io::Error| HostError::new(HostErrorKind::Other, error.to_string());
    file.write_all(content).and_then(|()| file.rewind()).map_err(fails)?;
    Ok(file)
}

/// The path by which child processes can open it.
pub(super) fn path(file: &File) -> String {
    format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd())
}

/// The output of a tool, in one line.
pub(super) fn said(bytes: Option<&[u8]>) -> String {
    String::from_utf8_lossy(bytes.unwrap_or_default()).trim().replace('\n', "; ")
}
