//! Steps whose outcome cannot be predicted: whether files and accounts show that they would fail. Also archives, which
//! consist of files.

use super::Rehearsal;
use super::change::{is_readable, takes_file};
use super::look::{Hashed, hashed, list};
use super::tree::Tree;
use crate::host::accounts;
use crate::host::errno::failed;
use crate::host::fs::{self, Last, native};
use crate::host::program::Executable;
use crate::host::subject::Place;
use crate::policy::Permit;
use mclive_base::vocab::path::escaped;
use mclive_base::vocab::{CommandSpec, Content, FileKind, HostError, HostErrorKind, account, archive, mount};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;

/// An archive's inputs must exist, and so must its folder.
pub(super) fn archive(tree: &mut Tree, at: &Place, step: &archive::Step) -> Result<(), HostError> {
    match step {
        archive::Step::Compress { from, to, .. } => {
            if let Content::CopyOf(from) = from {
                is_readable(tree, at, from)?;
            }
            takes_file(tree, at, to)
        }
        archive::Step::Pack { inputs, to, .. } => {
            if concerns(tree, inputs) {
                manifest(tree, at, inputs)?;
            }
            takes_file(tree, at, to)
        }
    }
}

/// Whether planned steps affect the inputs of an archive.
fn concerns(tree: &Tree, inputs: &[String]) -> bool {
    let holds = |path: &str| {
        let spot = tree.find("open", path, Last::Itself);
        spot.is_ok_and(|spot| tree.below(&spot.place).next().is_some())
    };
    inputs.iter().map(|input| input.trim_end_matches('/')).any(|path| tree.is_touched(path) || holds(path))
}

/// The predicted finding of a probe of an archive's inputs; `None` if no planned step affects them.
pub(super) fn probe(
    tree: &Tree,
    at: &Place,
    archive::Probe { inputs }: &archive::Probe,
) -> Option<Result<archive::Finding, HostError>> {
    concerns(tree, inputs).then(|| manifest(tree, at, inputs).map(archive::Finding::Manifest))
}

fn manifest(tree: &Tree, at: &Place, inputs: &[String]) -> Result<[u8; 32], HostError> {
    let mut manifest = Sha256::new();
    for input in inputs {
        let path = input.trim_end_matches('/');
        let spot = tree.find("open", path, Last::Itself)?;
        at.shared.policy.reads().judge(&native(&spot.place), path)?;
        let Some(stat) = &spot.found else { return Err(failed("open", path, Errno::NOENT)) };
        if stat.kind != FileKind::Dir {
            manifest.update(archive::line(path, Some(hash(tree, at, path, stat.kind)?)));
            continue;
        }
        if !input.ends_with('/') {
            manifest.update(archive::line(path, None));
        }
        for (below, stat) in list(tree, &spot, path, true)? {
            let path = format!("{path}/{below}");
            let hash = match stat.kind {
                FileKind::Dir => None,
                kind => Some(hash(tree, at, &path, kind)?),
            };
            manifest.update(archive::line(&path, hash));
        }
    }
    Ok(manifest.finalize().into())
}

fn hash(tree: &Tree, at: &Place, path: &str, kind: FileKind) -> Result<[u8; 32], HostError> {
    if kind == FileKind::Other {
        return Err(HostError::new(HostErrorKind::Other, format!("tar: cannot add non-regular file {path}")));
    }
    let spot = tree.find("open", path, Last::Itself)?;
    at.shared.policy.reads().judge(&native(&spot.place), path)?;
    if let Some(target) = spot.found.as_ref().and_then(|stat| stat.target.as_deref()) {
        return Ok(archive::link(target));
    }
    match hashed(tree, &spot, path)? {
        Hashed::Known(hash) => Ok(hash),
        Hashed::Of(place) => fs::hash_file(Permit::ALL, &place, &|| at.running.is_stopped()),
    }
}

/// A mount needs a mount point.
pub(super) fn mount(tree: &Tree, step: &mount::Step) -> Result<(), HostError> {
    let mount::Step::Mount { target, .. } = step else { return Ok(()) };
    match tree.find("mount", target, Last::Followed)?.found {
        Some(_) => Ok(()),
        None => Err(failed("mount", target, Errno::NOENT)),
    }
}

impl Rehearsal {
    /// A command starts only if its program, folder and user exist.
    pub(super) fn begins(&self, spec: &CommandSpec, program: &Executable) -> Result<(), HostError> {
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
        let tree = self.tree.lock();
        let kind = |verb: &str, path: &str| match tree.find(verb, path, Last::Followed) {
            Ok(spot) => spot.found.map(Some).ok_or_else(|| failed(verb, path, Errno::NOENT)),
            // The kernel follows links of other users as well; their targets are not checked here.
            Err(error) if error.kind == HostErrorKind::Refused => Ok(None),
            Err(error) => Err(error),
        };
        if spec.cwd.starts_with('/')
            && let Some(stat) = kind("chdir", &spec.cwd)?
            && stat.kind != FileKind::Dir
        {
            return Err(failed("chdir", &spec.cwd, Errno::NOTDIR));
        }
        let file = escaped(program.file().as_os_str().as_bytes());
        if file.starts_with('/')
            && let Some(stat) = kind("fork/exec", &file)?
        {
            if stat.kind != FileKind::File || stat.mode & 0o111 == 0 {
                return Err(failed("fork/exec", &file, Errno::ACCESS));
            }
            // The kernel reports the script itself as missing.
            if !tree.is_touched(&file)
                && let Some(interpreter) = interpreter(&file)
                && kind("fork/exec", &interpreter).is_err_and(|error| error.kind == HostErrorKind::NotFound)
            {
                return Err(failed("fork/exec", &file, Errno::NOENT));
            }
        }
        Ok(())
    }
}

/// The interpreter in the first line of a script of the host, if it is an absolute path.
fn interpreter(file: &str) -> Option<String> {
    let mut head = [0; 256];
    let n = fs::open_regular(Permit::ALL, file).ok()?.read(&mut head).ok()?;
    let line = head[..n].strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    // Nothing else ends the name: of a line that ends as on Windows, the kernel looks for `/bin/sh\r`.
    let name = line.split(|byte| matches!(byte, b' ' | b'\t')).find(|word| !word.is_empty())?;
    name.starts_with(b"/").then(|| escaped(name).into_owned())
}
