//! Commands: their outcome cannot be predicted, but whether they start can.

use super::Rehearsal;
use super::look::content;
use super::tree::Tree;
use crate::host::accounts;
use crate::host::errno::failed;
use crate::host::fs::{self, Last};
use crate::host::program::Executable;
use crate::policy::Permit;
use mclive_base::vocab::path::escaped;
use mclive_base::vocab::{CommandSpec, FileKind, FileStat, HostError, HostErrorKind, account};
use rustix::io::Errno;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;

/// As much of a script as the kernel reads.
const HEAD: usize = 256;
/// Longer than any script.
const LONGEST: u64 = 1 << 20;

impl Rehearsal {
    /// Checks that a command can start: its program, directory and user exist.
    pub(super) fn begins(&self, spec: &CommandSpec, program: &Executable) -> Result<(), HostError> {
        self.may_become(spec)?;
        let tree = self.tree.lock();
        let here = folder(spec);
        if !spec.cwd.is_empty()
            && let Some(here) = &here
            && let Some(stat) = found(&tree, "chdir", &spec.cwd, here)?
            && stat.kind != FileKind::Dir
        {
            return Err(failed("chdir", &spec.cwd, Errno::NOTDIR));
        }
        let file = escaped(program.file().as_os_str().as_bytes());
        // A relative path is resolved in the command's working directory.
        let place = match (file.starts_with('/'), here) {
            (true, _) => file.clone().into_owned(),
            (false, Some(here)) => format!("{here}/{file}"),
            (false, None) => return Ok(()),
        };
        match found(&tree, "fork/exec", &file, &place)? {
            Some(stat) if !is_program(&stat) => return Err(failed("fork/exec", &file, Errno::ACCESS)),
            Some(_) => {}
            None => return Ok(()),
        }
        let Some(interpreter) = interpreter(&tree, &place) else { return Ok(()) };
        // The kernel reports the script itself.
        match found(&tree, "fork/exec", &file, &interpreter) {
            Err(error) if error.kind == HostErrorKind::NotFound => Err(failed("fork/exec", &file, Errno::NOENT)),
            Ok(Some(stat)) if !is_program(&stat) => Err(failed("fork/exec", &file, Errno::ACCESS)),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn may_become(&self, spec: &CommandSpec) -> Result<(), HostError> {
        let me = rustix::process::geteuid();
        if !spec.user.is_empty() {
            let uid = match self.accounts.lock().probe(&account::Probe::UserId { name: spec.user.clone() }) {
                Some(Ok(account::Finding::Id(uid))) => uid,
                Some(Err(missing)) => return Err(missing),
                Some(Ok(_)) | None => accounts::user(&spec.user)?.uid,
            };
            if !me.is_root() && uid != me.as_raw() {
                return Err(failed("setuid", &spec.user, Errno::PERM));
            }
        }
        if !spec.group.is_empty() {
            match self.accounts.lock().probe(&account::Probe::GroupId { name: spec.group.clone() }) {
                Some(found) => drop(found?),
                None => drop(accounts::group(&spec.group)?),
            }
        }
        Ok(())
    }
}

/// The absolute path of a command's working directory; `None`: that of the agent no longer exists.
fn folder(spec: &CommandSpec) -> Option<String> {
    if spec.cwd.starts_with('/') {
        return Some(spec.cwd.clone());
    }
    let own = std::env::current_dir().ok()?;
    Some(format!("{}/{}", escaped(own.as_os_str().as_bytes()), spec.cwd))
}

/// What is at a place, which the command names by this path. `None`: the kernel follows links of other users as well; their
/// targets are not checked here.
fn found(tree: &Tree, verb: &str, path: &str, place: &str) -> Result<Option<FileStat>, HostError> {
    match tree.find(verb, place, Last::Followed) {
        Ok(spot) => spot.found.map(Some).ok_or_else(|| failed(verb, path, Errno::NOENT)),
        Err(error) if error.kind == HostErrorKind::Refused => Ok(None),
        Err(error) => Err(error),
    }
}

/// No one, not even root, may run anything else.
fn is_program(stat: &FileStat) -> bool {
    stat.kind == FileKind::File && stat.mode & 0o111 != 0
}

/// The interpreter in the first line of a script, if it is an absolute path.
fn interpreter(tree: &Tree, place: &str) -> Option<String> {
    let head = if tree.is_touched(place) {
        let spot = tree.find("open", place, Last::Followed).ok()?;
        content(tree, &spot, place, LONGEST).ok()?
    } else {
        let mut head = vec![0; HEAD];
        let n = fs::open_regular(Permit::ALL, place).ok()?.read(&mut head).ok()?;
        head.truncate(n);
        head
    };
    let line = head[..head.len().min(HEAD)].strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    // Nothing else ends the name: of a line that ends as on Windows, the kernel looks for `/bin/sh\r`.
    let name = line.split(|byte| matches!(byte, b' ' | b'\t')).find(|word| !word.is_empty())?;
    name.starts_with(b"/").then(|| escaped(name).into_owned())
}
