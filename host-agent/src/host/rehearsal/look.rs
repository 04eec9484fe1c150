//! Reads files in their predicted state.

use super::tree::{Body, Spot, Tree};
use crate::host::errno::failed;
use crate::host::fs::{self, Last, native};
use crate::host::subject::Context;
use crate::policy::Permit;
use mclive_base::vocab::file::{Finding, Probe};
use mclive_base::vocab::{FileKind, FileStat, HostError, HostErrorKind};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use std::time::Instant;

/// The predicted finding of a probe; `None` if no planned step affects it.
pub(super) fn probe(tree: &Tree, at: &Context, probe: &Probe) -> Option<Result<Finding, HostError>> {
    let (verb, path, last) = match probe {
        Probe::Stat { path, follow: true } => ("stat", path, Last::Followed),
        Probe::Stat { path, follow: false } => ("lstat", path, Last::Itself),
        Probe::Read { path, .. } | Probe::Hash { path } | Probe::List { path, .. } => ("open", path, Last::Followed),
        Probe::Label { path } => ("label", path, Last::Itself),
        Probe::Umask => return None,
    };
    let spot = match tree.find(verb, path, last) {
        Ok(spot) => spot,
        // Nothing exists below a missing directory.
        Err(error) if error.kind == HostErrorKind::NotFound && matches!(probe, Probe::Stat { .. }) => {
            return tree.is_touched(path).then_some(Ok(Finding::Stat(None)));
        }
        Err(error) => return tree.is_touched(path).then_some(Err(error)),
    };
    let is_listed = matches!(probe, Probe::List { .. });
    let holds_planned = is_listed && (tree.below(&spot.place).next().is_some() || tree.unmounts_within(&spot.place));
    if !spot.is_touched && !holds_planned {
        return None;
    }
    Some(seen(tree, at, probe, &spot, verb, path))
}

impl Tree {
    /// Whether a planned step affects a path or a directory on the way to it. Links before the last part are followed.
    pub(super) fn is_touched(&self, path: &str) -> bool {
        let cuts = path.char_indices().filter(|(at, char)| *char == '/' && *at > 0).map(|(at, _)| at);
        let prefixes = cuts.chain([path.len()]).map(|end| &path[..end]);
        prefixes
            .map(|prefix| self.find("stat", prefix, Last::Itself))
            .any(|spot| spot.is_ok_and(|spot| spot.is_touched))
    }
}

fn seen(tree: &Tree, at: &Context, probe: &Probe, spot: &Spot, verb: &str, path: &str) -> Result<Finding, HostError> {
    let reads = at.shared.policy.reads();
    reads.judge(&native(&spot.place), path)?;
    let missing = || failed(verb, path, Errno::NOENT);
    match probe {
        Probe::Stat { path, .. } => match &spot.found {
            Some(stat) if path.ends_with('/') && stat.kind == FileKind::File => Err(failed(verb, path, Errno::NOTDIR)),
            found => Ok(Finding::Stat(found.clone())),
        },
        Probe::Read { limit, .. } => content(tree, spot, path, *limit).map(Finding::Bytes),
        Probe::Hash { path } => match hashed(tree, spot, path)? {
            Hashed::Known(hash) => Ok(Finding::Hash(hash)),
            Hashed::Of(place) => {
                let began = Instant::now();
                fs::hash_file(Permit::ALL, &place, &|| at.running.leaves_off(began)).map(Finding::Hash)
            }
        },
        Probe::List { recursive, .. } => list(tree, spot, path, *recursive).map(Finding::Entries),
        Probe::Label { .. } => match (tree.node(&spot.place), &spot.found) {
            (Some(node), _) => Ok(Finding::Label(node.label.clone())),
            (None, Some(_)) => fs::label(Permit::ALL, &spot.place).map(Finding::Label),
            (None, None) => Err(missing()),
        },
        Probe::Umask => unreachable!("the umask belongs to a process"),
    }
}

/// The predicted content of a regular file; more than `limit` bytes are an error.
pub(super) fn content(tree: &Tree, spot: &Spot, path: &str, limit: u64) -> Result<Vec<u8>, HostError> {
    match body(tree, spot, path)? {
        Body::Bytes(bytes) if bytes.len() as u64 > limit => {
            Err(HostError::new(HostErrorKind::Other, format!("read {path}: more than {limit} bytes")))
        }
        Body::Bytes(bytes) => Ok(bytes),
        Body::As(place) => fs::read_file(Permit::ALL, &place, limit),
        Body::NewDir | Body::SameDir | Body::Link => Err(failed("read", path, Errno::ISDIR)),
    }
}

/// The source of a regular file's content.
pub(super) fn body(tree: &Tree, spot: &Spot, path: &str) -> Result<Body, HostError> {
    match (&spot.found, tree.node(&spot.place)) {
        (None, _) => Err(failed("open", path, Errno::NOENT)),
        (Some(stat), _) if stat.kind == FileKind::Dir => Err(failed("read", path, Errno::ISDIR)),
        (Some(stat), _) if stat.kind != FileKind::File => {
            Err(HostError::new(HostErrorKind::Other, format!("read {path}: not a regular file")))
        }
        (Some(_), Some(node)) => Ok(node.body.clone()),
        (Some(_), None) => Ok(Body::As(spot.place.clone())),
    }
}

pub(super) enum Hashed {
    Known([u8; 32]),
    Of(String),
}

pub(super) fn hashed(tree: &Tree, spot: &Spot, path: &str) -> Result<Hashed, HostError> {
    match body(tree, spot, path)? {
        Body::Bytes(bytes) => Ok(Hashed::Known(Sha256::digest(&bytes).into())),
        Body::As(place) => Ok(Hashed::Of(place)),
        Body::NewDir | Body::SameDir | Body::Link => Err(failed("read", path, Errno::ISDIR)),
    }
}

/// The predicted entries of a directory, in the host's order.
pub(super) fn list(
    tree: &Tree,
    spot: &Spot,
    path: &str,
    recursive: bool,
) -> Result<Vec<(String, FileStat)>, HostError> {
    match &spot.found {
        None => return Err(failed("open", path, Errno::NOENT)),
        Some(stat) if stat.kind != FileKind::Dir => return Err(failed("open", path, Errno::NOTDIR)),
        Some(_) => {}
    }
    let root = spot.place.trim_end_matches('/');
    let is_new =
        tree.is_anew(&spot.place) || matches!(tree.node(&spot.place).map(|node| &node.body), Some(Body::NewDir));
    let mut entries = if is_new { Vec::new() } else { fs::list_dir(Permit::ALL, &spot.place, recursive)? };
    let is_kept = |relative: &str| {
        let place = format!("{root}/{relative}");
        !tree.is_anew(&place) && !tree.has(&place)
    };
    entries.retain(|(relative, _)| is_kept(relative));
    for (place, node) in tree.below(&spot.place) {
        let relative = &place[root.len() + 1..];
        if let Some(node) = node.filter(|_| recursive || !relative.contains('/')) {
            entries.push((relative.to_owned(), node.stat.clone()));
        }
    }
    entries.sort_by(|one, other| native(&one.0).cmp(&native(&other.0)));
    Ok(entries)
}
