//! Archives and mounts: whether files show that they would fail.

use super::change::{is_readable, takes_file};
use super::look::{Hashed, hashed, list};
use super::tree::Tree;
use crate::host::errno::failed;
use crate::host::fs::{self, Last, native};
use crate::host::subject::Context;
use crate::policy::Permit;
use mclive_base::vocab::{Content, FileKind, HostError, HostErrorKind, archive, mount};
use rustix::io::Errno;
use sha2::{Digest, Sha256};

/// An archive's inputs must exist, and so must its folder.
pub(super) fn archive(tree: &mut Tree, at: &Context, step: &archive::Step) -> Result<(), HostError> {
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
    at: &Context,
    archive::Probe { inputs }: &archive::Probe,
) -> Option<Result<archive::Finding, HostError>> {
    concerns(tree, inputs).then(|| manifest(tree, at, inputs).map(archive::Finding::Manifest))
}

fn manifest(tree: &Tree, at: &Context, inputs: &[String]) -> Result<[u8; 32], HostError> {
    let mut manifest = Sha256::new();
    for input in inputs {
        let path = input.trim_end_matches('/');
        let spot = tree.find("open", path, Last::Itself)?;
        at.shared.policy.reads().judge(&native(&spot.place), path)?;
        let Some(stat) = &spot.found else { return Err(failed("open", path, Errno::NOENT)) };
        if stat.kind != FileKind::Dir {
            manifest.update(archive::entry(path, stat, Some(hash(tree, at, path, stat.kind)?)));
            continue;
        }
        if !input.ends_with('/') {
            manifest.update(archive::entry(path, stat, None));
        }
        for (below, stat) in list(tree, &spot, path, true)? {
            let path = format!("{path}/{below}");
            let hash = match stat.kind {
                FileKind::Dir => None,
                kind => Some(hash(tree, at, &path, kind)?),
            };
            manifest.update(archive::entry(&path, &stat, hash));
        }
    }
    Ok(manifest.finalize().into())
}

fn hash(tree: &Tree, at: &Context, path: &str, kind: FileKind) -> Result<[u8; 32], HostError> {
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
