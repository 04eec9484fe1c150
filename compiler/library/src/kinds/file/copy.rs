//! A `file` copied from another file, or from a directory tree; and `purge`. Resource spec, 2.1, step 3.

use super::apply::{Existence, File, refuse, stat};
use super::path::clean;
use super::surplus;
use crate::gather;
use crate::kinds::kind::{Decision, Seen};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::vocab::{Attributes, Content, FileKind, FileStat, Finding, HostErrorKind, Probe, Step, file};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn source(file: &mut File, walk: &mut Walk, seen: &Seen) -> Result<(), Decision> {
    let source = file.want.text("source").into_owned();
    if file.state == Existence::Absent || source.is_empty() && !file.want.bool("purge") {
        return Ok(());
    }
    if file.is_dir { tree(file, &source, walk, seen) } else { single(file, &source, walk) }
}

/// Copies one file.
fn single(file: &mut File, source: &str, walk: &mut Walk) -> Result<(), Decision> {
    let from = stat(&walk.look(vec![Probe::File(file::Probe::Stat { path: source.to_string(), follow: true })])?[0])?;
    let Some(from) = from else { return refuse(format!("open {source}: no such file or directory")) };
    if from.kind != FileKind::File {
        return refuse(format!("{source} is not a regular file"));
    }
    let before = file.now.clone();
    let is_new = file.can_become_file()?;
    if !is_new && let Some(now) = &before {
        let is_itself = id(now) == id(&from);
        let may_be_same = now.size == from.size && !file.must_be_new;
        if is_itself || may_be_same && same(source, &file.bare.clone(), walk)? {
            return Ok(());
        }
    }
    let content = Content::CopyOf(source.to_string());
    let mode = copied_bits(&from);
    file.steps.push(Step::File(file::Step::Write {
        path: file.bare.clone(),
        content,
        attributes: Attributes::of_mode(Some(mode)),
    }));
    file.copied(mode);
    Ok(())
}

/// The bits of a copy. Set-ID bits are not copied: the copy has another owner, and users who may write to the source
/// would get that owner's rights.
fn copied_bits(from: &FileStat) -> u32 {
    from.mode & 0o1777
}

fn same(one: &str, other: &str, walk: &mut Walk) -> Result<bool, Decision> {
    let hash = |path: &str| Probe::File(file::Probe::Hash { path: path.to_string() });
    match walk.look(vec![hash(one), hash(other)])? {
        [Finding::File(file::Finding::Hash(one)), Finding::File(file::Finding::Hash(other))] => Ok(one == other),
        [Finding::File(file::Finding::Hash(_)), other] | [other, _] => Err(cannot_tell(other)),
        _ => Ok(false),
    }
}

type Entries = BTreeMap<String, FileStat>;

/// Copies a directory, or (`purge` without a source) an empty one. Only directories of the destination that are also in
/// the source are searched: everything else is removed, or stays, as a whole.
fn tree(file: &mut File, source: &str, walk: &mut Walk, seen: &Seen) -> Result<(), Decision> {
    // A copy of a directory into itself is endless, and one over its parent would remove its own source.
    if !source.is_empty() && is_below(&file.bare, source) {
        return refuse(format!("cannot copy {source} into itself: {}", file.path));
    }
    if !source.is_empty() && is_below(source, &file.bare) {
        return refuse(format!("cannot copy {source} over the directory that contains it: {}", file.path));
    }
    let list = |path: String, recursive| Probe::File(file::Probe::List { path, recursive });
    let mut probes = vec![list(file.bare.clone(), false)];
    if !source.is_empty() {
        probes.push(list(source.to_string(), true));
    }
    let listed = walk.look(probes)?;
    let mut there = match &listed[0] {
        // It is made by the steps so far.
        finding if !file.steps.is_empty() && is_nothing(finding) => Entries::new(),
        finding => entries(finding)?,
    };
    let mut wanted = listed.get(1).map(entries).transpose()?.unwrap_or_default();
    // Links and mounts may hide that a directory is copied into itself.
    let is_inside = |now: &FileStat| wanted.values().any(|from| from.kind == FileKind::Dir && id(from) == id(now));
    if file.now.as_ref().is_some_and(|now| now.inode != 0 && is_inside(now)) {
        return refuse(format!("cannot copy {source} into itself: {}", file.path));
    }
    let in_source = |name: &str| format!("{}/{name}", source.trim_end_matches('/'));
    follow_links(&mut wanted, in_source, walk)?;
    let here = |name: &str| if file.bare == "/" { format!("/{name}") } else { format!("{}/{name}", file.bare) };
    let both: Vec<&String> =
        wanted.iter().filter(|(_, from)| from.kind == FileKind::Dir).map(|(name, _)| name).collect();
    let inner = walk.look(both.iter().map(|name| list(here(name), false)).collect())?;
    // Parents come first, so a directory reached through a link is not one.
    for (name, finding) in both.iter().zip(inner) {
        if !there.get(*name).is_some_and(|to| to.kind == FileKind::Dir) {
            continue;
        }
        match finding {
            finding if is_nothing(finding) => drop(there.remove(*name)),
            finding => {
                there.extend(entries(finding)?.into_iter().map(|(below, stat)| (format!("{name}/{below}"), stat)))
            }
        }
    }
    judge_links(&wanted, &mut there, here, walk)?;
    let unsure: Vec<&String> =
        wanted.iter().filter(|(name, from)| may_be_same(from, there.get(*name))).map(|(name, _)| name).collect();
    let hashes = unsure
        .iter()
        .flat_map(|name| [in_source(name), here(name)])
        .map(|path| Probe::File(file::Probe::Hash { path }));
    let hashes = walk.look(hashes.collect())?;
    let mut equal = BTreeSet::new();
    for (name, pair) in unsure.iter().zip(hashes.chunks(2)) {
        match pair {
            [Finding::File(file::Finding::Hash(from)), Finding::File(file::Finding::Hash(to))] if from == to => {
                equal.insert(name.as_str());
            }
            [Finding::File(file::Finding::Hash(_)), Finding::File(file::Finding::Hash(_))] => {}
            // A dangling link.
            [Finding::File(file::Finding::Hash(_)), Finding::Failed(error)]
                if error.kind == HostErrorKind::NotFound => {}
            [Finding::File(file::Finding::Hash(_)), other] | [other, ..] => return Err(cannot_tell(other)),
            [] => {}
        }
    }
    let mut steps = Vec::new();
    for (name, from) in &wanted {
        if !equal.contains(name.as_str()) {
            put(&mut steps, file.force, &here(name), in_source(name), from, there.get(name))?;
        }
    }
    let surplus = there.iter().filter(|(name, _)| !wanted.contains_key(*name)).collect();
    for (name, stat) in surplus::removable(file, source, surplus, walk, seen)? {
        steps.push(Step::File(file::Step::Remove { path: here(name), recursive: stat.kind == FileKind::Dir }));
    }
    file.steps.append(&mut steps);
    Ok(())
}

/// The identity of a file.
pub(super) fn id(stat: &FileStat) -> (u64, u64) {
    (stat.device, stat.inode)
}

/// A link to a file in the source is copied as that file, with its bits.
fn follow_links(wanted: &mut Entries, path: impl Fn(&str) -> String, walk: &mut Walk) -> Result<(), Decision> {
    let links = wanted.iter_mut().filter(|(_, from)| from.kind == FileKind::Symlink);
    let links: Vec<(&String, &mut FileStat)> = links.collect();
    let probes =
        links.iter().map(|(name, _)| Probe::File(file::Probe::Stat { path: path(name), follow: true })).collect();
    for ((_, from), finding) in links.into_iter().zip(walk.look(probes)?) {
        // A dangling one is reported when it is copied.
        if let Finding::File(file::Finding::Stat(Some(behind))) = finding
            && behind.kind == FileKind::File
        {
            *from = behind.clone();
        }
    }
    Ok(())
}

/// A link in the place of a file counts as what it leads to, if nothing can be written through it.
fn judge_links(
    wanted: &Entries,
    there: &mut Entries,
    path: impl Fn(&str) -> String,
    walk: &mut Walk,
) -> Result<(), Decision> {
    let is_file = |name: &str| wanted.get(name).is_some_and(|from| from.kind != FileKind::Dir);
    let links = there.iter_mut().filter(|(name, to)| to.kind == FileKind::Symlink && is_file(name));
    let links: Vec<(&String, &mut FileStat)> = links.collect();
    let probes =
        links.iter().map(|(name, _)| Probe::File(file::Probe::Stat { path: path(name), follow: true })).collect();
    for ((_, to), finding) in links.into_iter().zip(walk.look(probes)?) {
        if let Finding::File(file::Finding::Stat(Some(behind))) = finding
            && matches!(behind.kind, FileKind::Dir | FileKind::Other)
        {
            to.kind = behind.kind;
        }
    }
    Ok(())
}

/// Whether one path is strictly below the other, lexically.
fn is_below(path: &str, above: &str) -> bool {
    let (path, above) = (clean(path), clean(above));
    path != above && path.starts_with(&format!("{}/", above.trim_end_matches('/')))
}

/// Whether there is no directory to list.
fn is_nothing(finding: &Finding) -> bool {
    matches!(finding, Finding::Failed(error)
        if matches!(error.kind, HostErrorKind::NotFound | HostErrorKind::NotADirectory))
}

fn entries(finding: &Finding) -> Result<Entries, Decision> {
    match finding {
        Finding::File(file::Finding::Entries(entries)) => Ok(gather::map(entries.iter().cloned())),
        other => Err(cannot_tell(other)),
    }
}

/// Whether only the hashes can tell.
fn may_be_same(from: &FileStat, to: Option<&FileStat>) -> bool {
    let is_file = |stat: &FileStat| matches!(stat.kind, FileKind::File | FileKind::Symlink);
    let any_link = |to: &FileStat| from.kind == FileKind::Symlink || to.kind == FileKind::Symlink;
    to.is_some_and(|to| is_file(from) && is_file(to) && (any_link(to) || from.size == to.size))
}

/// Copies one entry of the source that differs.
fn put(
    steps: &mut Vec<Step>,
    force: bool,
    path: &str,
    source: String,
    from: &FileStat,
    to: Option<&FileStat>,
) -> Result<(), Decision> {
    let make_dir =
        || Step::File(file::Step::MakeDir { path: path.to_string(), parents: false, mode: Some(copied_bits(from)) });
    let remove = |recursive| Step::File(file::Step::Remove { path: path.to_string(), recursive });
    match (from.kind, to.map(|to| to.kind)) {
        (FileKind::Dir, Some(FileKind::Dir)) => {}
        (FileKind::Dir, None) => steps.push(make_dir()),
        (FileKind::Dir, Some(_)) if force => steps.extend([remove(false), make_dir()]),
        (FileKind::Dir, Some(_)) => {
            return refuse(format!("{path} is not a directory: set `force => true` to replace it"));
        }
        (FileKind::Other, _) => return refuse(format!("{source} is not a regular file")),
        (FileKind::File | FileKind::Symlink, to_kind) => {
            let mode = (from.kind == FileKind::File).then(|| copied_bits(from));
            match to_kind {
                Some(FileKind::Dir) if force => steps.push(remove(true)),
                Some(FileKind::Dir) => {
                    return refuse(format!("{path} is a directory: set `force => true` to replace it with a file"));
                }
                // A pipe, a socket, a device.
                Some(FileKind::Other) if force => steps.push(remove(false)),
                Some(FileKind::Other) => {
                    return refuse(format!("{path} is not a regular file: set `force => true` to replace it"));
                }
                Some(FileKind::File | FileKind::Symlink) | None => {}
            }
            let (content, attributes) = (Content::CopyOf(source), Attributes::of_mode(mode));
            steps.push(Step::File(file::Step::Write { path: path.to_string(), content, attributes }));
        }
    }
    Ok(())
}
