//! Archives in the tree. Content is stored uncompressed, in a format that every tool can read.

use super::{Answer, Context, Play, Simulated, absent, done};
use crate::World;
use crate::tree::Tree;
use crate::vocab::archive::tar::{END, Format, Member, header, padding};
use crate::vocab::archive::{Finding, Probe, Step, entry, gzip, link};
use crate::vocab::path::native;
use crate::vocab::subjects::Archive;
use crate::vocab::{Content, Datum, FileKind, FileStat, HostError, HostErrorKind, Outcome};
use mclive_base::hash::sha256;

impl Simulated for Archive {
    type State = ();
}

impl Play for Archive {
    absent! { fact }

    fn probe(at: &mut Context, Probe { inputs }: &Probe) -> Answer<Finding> {
        let tree = &at.world.tree;
        let manifest = entries(tree, inputs).and_then(|entries| {
            let line = |found: &Found| {
                let hash = match (found.stat.kind, &found.stat.target) {
                    (FileKind::Dir, _) => None,
                    (_, Some(target)) => Some(link(target)),
                    (_, None) => Some(sha256(tree.read(&found.path)?)),
                };
                Ok(entry(&found.path, &found.stat, hash))
            };
            entries.iter().map(line).collect::<Result<String, HostError>>()
        });
        manifest.map(|text| Finding::Manifest(sha256(text.as_bytes()))).into()
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        let tree = &mut at.world.tree;
        let made = match step {
            Step::Compress { from: Content::Bytes(bytes), to, .. } => Ok((to, gzip::stored(bytes))),
            Step::Compress { from: Content::CopyOf(from), to, .. } => {
                tree.read(from).map(|bytes| (to, gzip::stored(bytes)))
            }
            Step::Pack { inputs, to, format } => pack(tree, inputs, *format).map(|bytes| (to, bytes)),
        };
        done(made.and_then(|(to, bytes)| tree.write(to, bytes, None)))
    }

    fn fingerprint(_: &World, watch: &Self::Watch) -> Option<u64> {
        match *watch {}
    }
}

/// A member of an archive.
struct Found {
    path: String,
    name: String,
    stat: FileStat,
}

/// The inputs with everything below them, in order.
fn entries(tree: &Tree, inputs: &[String]) -> Result<Vec<Found>, HostError> {
    let mut entries = Vec::new();
    for input in inputs {
        let path = input.trim_end_matches('/');
        let base = path.rsplit('/').next().unwrap_or_default();
        let missing = || HostError::new(HostErrorKind::NotFound, format!("open {path}: no such file or directory"));
        let stat = tree.stat(path, false)?.ok_or_else(missing)?;
        if stat.kind != FileKind::Dir {
            entries.push(Found { path: path.to_owned(), name: base.to_owned(), stat });
            continue;
        }
        let above = if input.ends_with('/') { String::new() } else { format!("{base}/") };
        if !above.is_empty() {
            entries.push(Found { path: path.to_owned(), name: above.clone(), stat });
        }
        for (below, stat) in tree.list(path, true)? {
            let slash = if stat.kind == FileKind::Dir { "/" } else { "" };
            entries.push(Found { path: format!("{path}/{below}"), name: format!("{above}{below}{slash}"), stat });
        }
    }
    match entries.iter().find(|entry| entry.stat.kind == FileKind::Other) {
        Some(odd) => {
            let why = format!("tar: cannot add non-regular file {}", odd.path);
            Err(HostError::new(HostErrorKind::Other, why))
        }
        None => Ok(entries),
    }
}

fn pack(tree: &Tree, inputs: &[String], format: Format) -> Result<Vec<u8>, HostError> {
    let mut out = Vec::new();
    for Found { path, name, stat } in entries(tree, inputs)? {
        let content = if stat.kind == FileKind::File { tree.read(&path)? } else { &[][..] };
        let (size, mtime) = (content.len() as u64, stat.mtime_ns / 1_000_000_000);
        let (name, target) = (native(&name), stat.target.as_deref().map(native));
        let (mode, target) = (stat.mode, target.as_deref());
        let member = Member { name: &name, mode, uid: stat.uid, gid: stat.gid, size, mtime, target };
        let head =
            header(&member, format).map_err(|why| HostError::new(HostErrorKind::Other, format!("tar: {why}")))?;
        out.extend(head);
        out.extend(content);
        out.extend(padding(size));
    }
    out.extend(END);
    Ok(out)
}
