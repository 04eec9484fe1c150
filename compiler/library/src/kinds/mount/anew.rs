//! File systems that keep some options when they are remounted: they are unmounted and mounted again. What could not be
//! mounted again is not unmounted. Where that has no effect, because the device is also mounted in another mount
//! namespace, which the table does not show, it is tried once.

use super::shown::Shown;
use super::unmount;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Seen};
use crate::vocab::fstab::Entry;
use crate::vocab::mount::{self, Mounted};
use crate::vocab::{Datum, Finding, file};

/// Unmounts and mounts a file system if it lacks options that a remount does not give it. One in memory must be empty.
/// `tried`: what [`tried`] has kept.
pub(super) fn mount_over(
    walk: &mut Walk,
    wanted: &Entry,
    point: &str,
    shown: &Shown,
    tried: Option<&Datum>,
) -> Result<(), Decision> {
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
    if tried.is_some_and(|tried| *tried == told(wanted, mounts)) {
        return Err(Decision::CannotTell(format!(
            "{target} did not get {kept} when it was unmounted and mounted again: {} may be mounted in another mount \
             namespace; unmount it there, then run `umount {target}`",
            top.source
        )));
    }
    walk.act(vec![unmount(target), super::mount(wanted)])?;
    // For `tried`.
    walk.look(vec![mount::Probe::Table.into()]).map(drop)
}

/// What the table shows after a file system was mounted again in this check. If it still shows that in the next one, it
/// had no effect.
pub(super) fn tried(wanted: &Entry, seen: &Seen) -> Option<Datum> {
    let tables = seen.findings.iter().filter_map(|finding| match finding {
        Finding::Mount(mount::Finding::Table(mounts)) => Some(mounts),
        _ => None,
    });
    // Two are looked at before.
    tables.skip(2).last().map(|mounts| told(wanted, mounts))
}

/// All mounts of the wanted type, with their devices and options.
fn told(wanted: &Entry, mounts: &[Mounted]) -> Datum {
    let same = mounts.iter().filter(|it| it.is_of_type(&wanted.kind));
    let lines: Vec<String> = same.map(|it| format!("{} {} {}", it.target, it.source, it.options.join(","))).collect();
    Datum::text(lines.join("\n"))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::check::Draft;
    use crate::value::Value;
    use crate::vocab::Outcome;

    /// The table with a disk that has these options.
    fn table(options: &str) -> Finding {
        let options = options.split(',').map(str::to_owned).collect();
        let (target, source) = ("/srv/data".to_owned(), "/dev/vdb".to_owned());
        Finding::Mount(mount::Finding::Table(vec![Mounted { target, source, kind: "vfat".into(), options }]))
    }

    /// A check of a disk without its owner. `after`: the table after it was mounted again.
    fn checked(after: Option<&str>, kept: Option<&Datum>) -> (Decision, Option<Datum>) {
        let draft = Draft::new("mount", "/srv/data").text("state", "exists").text("device", "/dev/vdb");
        let draft = draft.text("type", "vfat").set("options", Value::map([("uid".into(), "7".into())]));
        let device = Finding::Mount(mount::Finding::Device(Some("/dev/vdb".into())));
        let no_entry = Finding::File(file::Finding::Bytes(Vec::new()));
        let mut findings = vec![no_entry, table("rw,fmask=0022"), device, table("rw,fmask=0022")];
        findings.extend(after.map(table));
        // The entry in `/etc/fstab`, and the two steps of mounting it again.
        let outcomes = vec![Outcome::Done; if after.is_some() { 3 } else { 1 }];
        let seen = Seen { findings: &findings, outcomes: &outcomes, kept, ..Seen::first() };
        let want = draft.want();
        (draft.kind.decide(&want, &seen), draft.kind.keep(&want, &seen))
    }

    #[test]
    fn what_has_no_effect_is_tried_once() {
        let (mended, kept) = checked(Some("rw,fmask=0022"), None);
        assert_eq!(mended, Decision::Mended(Vec::new()));
        let why = "/srv/data did not get uid=7 when it was unmounted and mounted again: /dev/vdb may be mounted in another \
                   mount namespace; unmount it there, then run `umount /srv/data`";
        assert_eq!(checked(None, kept.as_ref()).0, Decision::CannotTell(why.into()));
        // It had an effect, and another drift comes later.
        let (mended, kept) = checked(Some("rw,uid=7,fmask=0022"), None);
        assert_eq!(mended, Decision::Mended(Vec::new()));
        assert!(matches!(checked(None, kept.as_ref()).0, Decision::Drifted(steps) if steps.len() == 2));
    }
}
