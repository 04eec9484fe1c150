//! The surplus entries of a copied or purged directory that may be removed: neither the source nor, with `purge`, files
//! that other resources manage. A link or a mount may give these another path, so entries are also compared by identity.

use super::apply::{File, refuse};
use super::copy::id;
use super::path::clean;
use crate::gather;
use crate::kinds::accounts;
use crate::kinds::kind::{Decision, Seen};
use crate::kinds::walk::Walk;
use crate::vocab::{FileKind, FileStat, Finding, Probe, account, file};

/// An entry of the directory.
type Entry<'t> = (&'t String, &'t FileStat);
/// What is in a directory, by its path below it.
type Inner = [(String, FileStat)];

/// Of these entries, those that may be removed.
pub(super) fn removable<'t>(
    file: &File,
    source: &str,
    mut surplus: Vec<Entry<'t>>,
    walk: &mut Walk,
    seen: &Seen,
) -> Result<Vec<Entry<'t>>, Decision> {
    if surplus.is_empty() {
        return Ok(surplus);
    }
    let below = format!("{}/", clean(&file.bare).trim_end_matches('/'));
    let protected = protected(file, walk, seen)?;
    let (here, elsewhere): (Vec<&str>, Vec<&str>) =
        protected.iter().map(String::as_str).partition(|path| path.starts_with(&below));
    surplus.retain(|(name, _)| {
        let path = format!("{below}{name}");
        let is_kept =
            |kept: &&str| kept.strip_prefix(&*path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        !here.iter().any(is_kept)
    });
    if source.is_empty() && elsewhere.is_empty() {
        return Ok(surplus);
    }
    let dir = file.bare.trim_end_matches('/');
    let list = |name: &str| Probe::File(file::Probe::List { path: format!("{dir}/{name}"), recursive: true });
    let dirs = surplus.iter().filter(|(_, stat)| stat.kind == FileKind::Dir);
    let mut probes: Vec<Probe> = dirs.map(|(name, _)| list(name)).collect();
    if !source.is_empty() {
        probes.push(Probe::File(file::Probe::Stat { path: source.to_owned(), follow: true }));
    }
    let mut found = walk.look(probes)?.iter();
    let mut all: Vec<(Entry<'t>, &Inner)> = Vec::new();
    for entry in surplus {
        let is_dir = entry.1.kind == FileKind::Dir;
        all.push((entry, if is_dir { found.next().map(inner).unwrap_or_default() } else { &[] }));
    }
    if let Some(Finding::File(file::Finding::Stat(Some(source_stat)))) = found.next()
        && all.iter().any(|(entry, inner)| holds(entry, inner, &|stat| id(stat) == id(source_stat)))
    {
        return refuse(format!("cannot copy {source} over the directory that contains it: {}", file.path));
    }
    // Behind a link or a mount, a path still ends with the same name.
    let names = |(entry, inner): &(Entry<'t>, &Inner)| {
        let inner = inner.iter().map(|(name, _)| last(name).to_owned());
        inner.chain([last(entry.0).to_owned()]).collect::<Vec<String>>()
    };
    let names = gather::set(all.iter().flat_map(names));
    let others = elsewhere.into_iter().filter(|path| names.contains(last(path)));
    let stat = |path: &str| Probe::File(file::Probe::Stat { path: path.to_owned(), follow: false });
    let others = walk.look(others.map(stat).collect())?;
    let others = gather::set(others.iter().filter_map(|finding| match finding {
        Finding::File(file::Finding::Stat(Some(stat))) => Some(id(stat)),
        _ => None,
    }));
    all.retain(|(entry, inner)| !holds(entry, inner, &|stat| others.contains(&id(stat))));
    Ok(all.into_iter().map(|(entry, _)| entry).collect())
}

/// With `purge`, files managed by other resources stay, with their directories.
fn protected(file: &File, walk: &mut Walk, seen: &Seen) -> Result<Vec<String>, Decision> {
    if !file.want.bool("purge") {
        return Ok(Vec::new());
    }
    let (in_homes, mut kept): (Vec<String>, Vec<String>) =
        seen.managed.iter().cloned().partition(|path| path.starts_with('~'));
    let owners = gather::set(in_homes.iter().filter_map(|path| account::Watch::owner(path)));
    let look = |name: &&str| Probe::Account(account::Probe::User { name: (*name).to_owned() });
    for (owner, finding) in owners.iter().zip(walk.look(owners.iter().map(look).collect())?) {
        // The files of an account that does not exist yet do not exist either.
        let Some(entry) = accounts::user(finding)? else { continue };
        let own = in_homes.iter().filter(|path| account::Watch::owner(path) == Some(*owner));
        kept.extend(own.map(|path| clean(&account::Watch::in_home(path, &entry.home))));
    }
    Ok(kept)
}

/// What is in a directory that is to be removed. If that cannot be read, its removal says why.
fn inner(finding: &Finding) -> &Inner {
    match finding {
        Finding::File(file::Finding::Entries(entries)) => entries,
        _ => &[],
    }
}

/// Whether such a file is removed with an entry.
fn holds((_, stat): &Entry, inner: &Inner, is: &dyn Fn(&FileStat) -> bool) -> bool {
    is(stat) || inner.iter().any(|(_, stat)| is(stat))
}

/// The last name of a path.
fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
