//! tar: the members in the order of the inputs, and below each directory by name.

use super::super::Context;
use super::{Work, opened, pieces, write};
use crate::host::fs;
use mclive_base::vocab::archive::tar::{END, Format, Member, header, padding};
use mclive_base::vocab::path::native;
use mclive_base::vocab::{FileKind, FileStat, HostError, HostErrorKind};
use std::io::Write;

/// An entry of an archive.
pub(super) struct Packed {
    pub(super) path: String,
    name: String,
    pub(super) stat: FileStat,
}

/// The inputs with everything below them, in order.
pub(super) fn entries(at: &Context, inputs: &[String]) -> Result<Vec<Packed>, HostError> {
    let reads = at.shared.policy.reads();
    let mut entries = Vec::new();
    for input in inputs {
        let path = input.trim_end_matches('/');
        let base = path.rsplit('/').next().unwrap_or_default();
        let missing = || HostError::new(HostErrorKind::NotFound, format!("open {path}: no such file or directory"));
        let stat = fs::stat(reads, path, false)?.ok_or_else(missing)?;
        if stat.kind != FileKind::Dir {
            entries.push(Packed { path: path.to_owned(), name: base.to_owned(), stat });
            continue;
        }
        let above = if input.ends_with('/') { String::new() } else { format!("{base}/") };
        if !above.is_empty() {
            entries.push(Packed { path: path.to_owned(), name: above.clone(), stat });
        }
        for (below, stat) in fs::list_dir(reads, path, true)? {
            // The content of a link is its target.
            let stat = match stat.kind {
                FileKind::Symlink => fs::stat(reads, &format!("{path}/{below}"), false)?.unwrap_or(stat),
                FileKind::File | FileKind::Dir | FileKind::Other => stat,
            };
            let slash = if stat.kind == FileKind::Dir { "/" } else { "" };
            entries.push(Packed { path: format!("{path}/{below}"), name: format!("{above}{below}{slash}"), stat });
        }
    }
    match entries.iter().find(|entry| entry.stat.kind == FileKind::Other) {
        Some(odd) => Err(other(format!("cannot add non-regular file {}", odd.path))),
        None => Ok(entries),
    }
}

pub(super) fn all(work: &Work, inputs: &[String], format: Format, out: &mut dyn Write) -> Result<(), HostError> {
    for Packed { path, name, stat } in entries(work.at, inputs)? {
        work.goes_on()?;
        let is_file = stat.kind == FileKind::File;
        let size = if is_file { stat.size } else { 0 };
        let mtime = stat.mtime_ns.div_euclid(1_000_000_000);
        let (name, target) = (native(&name), stat.target.as_deref().map(native));
        let (mode, target) = (stat.mode, target.as_deref());
        let member = Member { name: &name, mode, uid: stat.uid, gid: stat.gid, size, mtime, target };
        write(out, &header(&member, format).map_err(other)?)?;
        if !is_file {
            continue;
        }
        // A member has the size that its header says, or there is no archive.
        let changed = || other(format!("the size of {path} changed while it was being read"));
        let mut length = 0;
        pieces(work, &mut opened(work.at, &path)?, |bytes| {
            length += bytes.len() as u64;
            if length > size { Err(changed()) } else { write(out, bytes) }
        })?;
        if length != size {
            return Err(changed());
        }
        write(out, padding(size))?;
    }
    write(out, &END)
}

fn other(why: String) -> HostError {
    HostError::new(HostErrorKind::Other, format!("tar: {why}"))
}
