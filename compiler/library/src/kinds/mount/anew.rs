//! File systems that keep some options when they are remounted: they are mounted anew. What could not be mounted again is
//! not unmounted.

use super::shown::Shown;
use super::unmount;
use crate::kinds::Decision;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::vocab::fstab::Entry;
use crate::vocab::{Finding, file, mount};

/// Mounts a file system anew if it lacks options that a remount does not give it. One in memory must be empty.
pub(super) fn mount_over(walk: &mut Walk, wanted: &Entry, point: &str, shown: &Shown) -> Result<(), Decision> {
    if kept(wanted).is_empty() {
        return Ok(());
    }
    let mounts = match &walk.look(vec![mount::Probe::Table.into()])?[0] {
        Finding::Mount(mount::Finding::Table(mounts)) => mounts,
        other => return Err(cannot_tell(other)),
    };
    let Some(top) = mounts.iter().rfind(|it| it.target == point) else { return Ok(()) };
    let missing = shown.missing(top).into_iter();
    let is_in_memory = is_in_memory(wanted);
    // A remount always changes the size.
    let counts = |option: &String| if is_in_memory { !option.starts_with("size=") } else { is_kept(wanted, option) };
    let kept: Vec<String> = missing.filter(counts).collect();
    if kept.is_empty() {
        return Ok(());
    }
    // Without these it could not be mounted again.
    if let Some((what, name)) = kept.iter().find_map(|option| unknown_account(option)) {
        return Err(Decision::CannotTell(format!("cannot find {what} {name}")));
    }
    let (target, kept) = (&wanted.target, kept.join(","));
    if is_in_memory {
        let list = file::Probe::List { path: target.clone(), recursive: false };
        match &walk.look(vec![list.into()])?[0] {
            Finding::File(file::Finding::Entries(entries)) if entries.is_empty() => {}
            Finding::File(file::Finding::Entries(_)) => {
                return Err(Decision::CannotTell(format!(
                    "{target} can only get {kept} by being unmounted and mounted again, which would delete its files; \
                    if they are not needed, run `umount {target}`"
                )));
            }
            other => return Err(cannot_tell(other)),
        }
    } else if let Some(other) = mounts.iter().find(|it| it.source == top.source && !std::ptr::eq(*it, top)) {
        // Another mount of a device gets the options of the first one, also beneath this one.
        return Err(Decision::CannotTell(format!(
            "{target} can only get {kept} if {} is not mounted anywhere else: run `umount {}`",
            top.source, other.target
        )));
    }
    walk.act(vec![unmount(target), super::mount(wanted)]).map(drop)
}

/// The account in an option that is not the number of one: `uid=ann`, where names with an account have become numbers.
fn unknown_account(option: &str) -> Option<(&'static str, &str)> {
    let (key, name) = option.split_once('=')?;
    let what = match key {
        "uid" => "user",
        "gid" => "group",
        _ => return None,
    };
    let base = if name.len() > 1 && name.starts_with('0') { 8 } else { 10 };
    let is_number = u32::from_str_radix(name, base).is_ok_and(|id| id != u32::MAX);
    (!is_number).then_some((what, name))
}

/// Whether its files are lost when it is unmounted.
pub(super) fn is_in_memory(wanted: &Entry) -> bool {
    matches!(&*wanted.kind, "tmpfs" | "ramfs")
}

/// The options that a file system keeps when it is remounted. FAT has no owners and no modes: all its files get them from
/// its options.
fn kept(wanted: &Entry) -> &'static [&'static str] {
    match &*wanted.kind {
        _ if mount::is_bind(&wanted.options) => &[],
        "tmpfs" | "ramfs" => &["mode", "uid", "gid"],
        "vfat" | "msdos" | "exfat" => &["uid", "gid", "fmask", "dmask"],
        _ => &[],
    }
}

/// Whether a file system keeps this option when it is remounted.
pub(super) fn is_kept(wanted: &Entry, option: &str) -> bool {
    option.split_once('=').is_some_and(|(key, _)| kept(wanted).contains(&key))
}
