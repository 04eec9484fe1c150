//! `mount`: manages an fstab entry and the matching mount. Resource spec, 9.

mod anew;
mod options;
mod point;
mod shown;
mod source;

use crate::kinds::required::{PolicyList, Required};
use anew::{is_in_memory, is_kept, mount_over, tried};
use shown::Shown;
use source::{device, device_path, is_device, is_source, place, sources};

use crate::kinds::rules::{ensure, exists_or_absent, file_exists};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Claim, Decision, Field, FieldDefault, HostType, Kind, KindDecl, Read, Seen, Traits, Want};
use crate::value::Value;
use crate::vocab::file_systems::file_system;
use crate::vocab::fstab::Entry;
use crate::vocab::mount::{self, Mounted};
use crate::vocab::{Datum, Edit, FactSpec, Finding, HostErrorKind, Probe, Step, Watch, file};

/// The kind `mount`.
pub(crate) struct Mount;

static DECL: KindDecl = KindDecl {
    name: "mount",
    doc: "Manages an fstab entry and the corresponding mount.",
    fields: &[
        Field::str("state", "State", "`exists` or `absent`.").required(),
        Field::str(
            "device",
            "Device",
            "Device path, or `UUID=`, `LABEL=`, `PARTUUID=` or `PARTLABEL=` followed by an \
                                        identifier.",
        ),
        Field::str("type", "Type", "File system type."),
        Field::new(
            "options",
            "Options",
            HostType::STR_MAP,
            "Mount options as a map from name to value. Options without a value map to an empty string.",
        )
        .default(FieldDefault::StrMap(&[("defaults", "")]))
        .options(),
        Field::int("freq", "Freq", HostType::Int, "Fifth fstab column: whether `dump` backs it up."),
        Field::int("passno", "PassNo", HostType::Int, "Sixth fstab column: the order in which `fsck` checks it."),
    ],
    traits: Traits::NONE,
    constants: &[],
    policy: &[
        Required::list(PolicyList::Mounts),
        Required::list(PolicyList::Reads),
        Required::list(PolicyList::Paths).case("the source of the mount"),
        Required::list(PolicyList::Commands),
        Required::list(PolicyList::Privileges).case("some types and options"),
    ],
};

impl Kind for Mount {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        exists_or_absent(&want.text("state"))?;
        let (kind, is_bind) = (want.text("type"), mount::is_bind(&options(want)));
        if want.text("state") == "exists" {
            // A bind mount has the type of its source.
            let known = file_system(&kind).is_some() || is_bind && matches!(&*kind, "" | "none");
            ensure(known, unknown_type(&kind))?;
            if let Some((one, other)) = options::contradiction(&options(want)) {
                return Err(format!("the options `{one}` and `{other}` are mutually exclusive"));
            }
            if let Some((option, instead)) = options::exposed(&kind, &options(want)) {
                return Err(format!("every user could read the value of the option `{option}`: {instead}"));
            }
        }
        ensure(!want.name.contains("//"), "the name must not contain a double slash")?;
        let device = want.text("device");
        let is_there = device.is_empty() && !is_bind || device_path(&device).is_some_and(|path| path.starts_with('/'));
        ensure(
            is_there || !mount::is_placed(&kind, &options(want)),
            "the device must be an absolute path, or an identifier such as `UUID=…`",
        )
    }

    /// The mount point and the device must exist, unless the device is optional.
    fn asks_host(&self, want: &Want) -> Vec<FactSpec> {
        let paths = [Some(want.name.to_owned()), place(want).filter(|_| !is_optional(&options(want)))];
        paths.into_iter().flatten().map(|path| FactSpec::File(file::Fact::State { path })).collect()
    }

    fn validate_there(&self, want: &Want, facts: &[Option<Datum>]) -> Result<(), String> {
        let is_there = |at: usize| facts.get(at).and_then(Option::as_ref).is_none_or(file_exists);
        ensure(is_there(0), format!("no such mount point: {}", want.name))?;
        ensure(is_there(1), format!("no such device: {}", want.text("device")))
    }

    fn backend(&self) -> &'static str {
        "`mount` and `umount` (package `mount`) and `/etc/fstab`. The file and the mount table of the kernel are \
         watched; if systemd runs, it reads the file again after a change. Options with a secret that every user could \
         read in the list of processes, such as `secret` of Ceph, are refused."
    }

    fn claims(&self, want: &Want) -> Vec<Claim> {
        vec![Claim::Mount(format!("{}/", target(want).trim_end_matches('/')))]
    }

    /// The mount point, its parent folders, what is mounted there, and the source: also the layers of an overlay.
    fn wants_on_hosts(&self, want: &Want) -> Vec<Claim> {
        if want.text("state") != "exists" {
            return Vec::new();
        }
        let above = target(want).match_indices('/').skip(1).map(|(at, _)| format!("{}/", &target(want)[..at]));
        let above = above.flat_map(|folder| [Claim::Mount(folder.clone()), Claim::File(folder)]);
        let both = |path: &str| [path.to_owned(), format!("{path}/")];
        let sources = sources(want).flat_map(|path| both(path.trim_end_matches('/')));
        both(target(want)).into_iter().chain(sources).map(Claim::File).chain(above).collect()
    }

    /// The mount point: what is mounted there is not removed.
    fn puts(&self, want: &Want) -> Vec<String> {
        (want.text("state") == "exists").then(|| target(want).to_owned()).into_iter().collect()
    }

    /// The source, which may be in another mount. A mount is busy as long as something is mounted below it.
    fn reads(&self, want: &Want) -> Vec<Read> {
        if want.text("state") != "exists" {
            return vec![Read::mounts(target(want))];
        }
        sources(want).filter_map(|path| Read::of(path.trim_end_matches('/'))).collect()
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, seen.kept, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn keep(&self, want: &Want, seen: &Seen) -> Option<Datum> {
        tried(&entry(want), seen)
    }

    /// A device may appear later.
    fn watches(&self, want: &Want) -> Vec<Watch> {
        let files = [Some(FSTAB.to_owned()), place(want)].into_iter().flatten();
        let files = files.map(|path| file::Watch { path, recursive: false }.into());
        std::iter::once(mount::Watch.into()).chain(files).collect()
    }
}

fn unknown_type(kind: &str) -> String {
    match kind {
        "" => "`type` is missing, such as `ext4`".to_owned(),
        _ => format!("`type` must be a file system, such as `ext4`, `xfs`, `nfs` or `tmpfs`, not `{kind}`"),
    }
}

const FSTAB: &str = "/etc/fstab";
/// Longer than any mount table.
const LONGEST: u64 = 1 << 20;

/// As `/etc/fstab` writes them.
fn options(want: &Want) -> Vec<String> {
    let text = |value: &Value| value.as_text().unwrap_or_default().into_owned();
    let given = want.map("options");
    let options = given.iter().map(|(name, value)| match text(value) {
        value if value.is_empty() => text(name),
        value => format!("{}={value}", text(name)),
    });
    options::ordered(options.collect())
}

/// Without its device it stays unmounted, which is not a failure.
fn is_optional(options: &[String]) -> bool {
    options.iter().any(|option| option == "nofail")
}

/// Whether systemd mounts it at its first use, which has not happened yet.
fn is_on_demand(wanted: &Entry, mounted: &Mounted) -> bool {
    mounted.kind == "autofs" && wanted.options.iter().any(|option| option == "x-systemd.automount")
}

/// The entry of the table that is wanted.
fn entry(want: &Want) -> Entry {
    let (device, kind) = (want.text("device"), want.text("type").into_owned());
    let kind = if kind.is_empty() { "none".to_owned() } else { kind };
    Entry {
        // A file system without a device is named by its type.
        spec: if device.is_empty() { kind.clone() } else { device.into_owned() },
        target: target(want).to_owned(),
        kind,
        options: options(want),
        freq: want.int("freq"),
        passno: want.int("passno"),
    }
}

fn target<'a>(want: &Want<'a>) -> &'a str {
    match want.name.trim_end_matches('/') {
        "" => "/",
        target => target,
    }
}

fn walk(want: &Want, tried: Option<&Datum>, walk: &mut Walk) -> Result<Decision, Decision> {
    let target = target(want);
    let wanted = (want.text("state") == "exists").then(|| entry(want));
    let read = Probe::File(file::Probe::Read { path: FSTAB.into(), limit: LONGEST });
    let [table, mounts] = walk.look(vec![read, mount::Probe::Table.into()])? else {
        return Err(Decision::CannotTell("the host did not answer".into()));
    };
    let mut steps = Vec::new();
    let table = match table {
        Finding::File(file::Finding::Bytes(table)) => table.as_slice(),
        Finding::Failed(error) if error.kind == HostErrorKind::NotFound => &[],
        other => return Err(cannot_tell(other)),
    };
    let edit = Edit::Fstab { target: target.to_owned(), entry: wanted.clone() };
    if edit.apply(table).is_some() {
        steps.push(Step::File(file::Step::Edit { path: FSTAB.into(), edit, mode: Some(0o644) }));
    }
    let Finding::Mount(mount::Finding::Table(mounts)) = mounts else { return Err(cannot_tell(mounts)) };
    let point = point::resolved(walk, target, mounts)?;
    // The later over the earlier.
    let here: Vec<&Mounted> = mounts.iter().filter(|it| it.target == point).collect();
    let shown = match &wanted {
        Some(wanted) => Shown::of(walk, wanted, mounts, here.last().copied())?,
        None => Shown::default(),
    };
    let mut has_acted = false;
    let is_automatic = |wanted: &&Entry| !wanted.options.iter().any(|option| option == "noauto");
    let mounted = wanted.as_ref().filter(is_automatic).zip(here.last());
    let is_waiting = mounted.is_some_and(|(wanted, top)| is_on_demand(wanted, top));
    let mounted = mounted.filter(|_| !is_waiting);
    let is_kept = match mounted {
        // Without its device, what is mounted there is someone else's.
        Some((wanted, top)) if shown.missing(top).iter().any(|option| is_kept(wanted, option)) => {
            !is_missing(walk, wanted)?
        }
        Some(_) | None => false,
    };
    match &wanted {
        None => steps.extend(here.iter().map(|_| unmount(target))),
        // With `noauto` something else mounts it.
        Some(wanted) if !is_automatic(&wanted) => {}
        Some(_) if is_waiting => {}
        Some(wanted) => match here.split_last() {
            None => steps.extend(mount_anew(walk, wanted)?),
            // Of two in memory under one name, the lower one is the wanted one if only it has the options.
            Some((top, beneath @ [.., under]))
                if is_in_memory(wanted)
                    && !shown.missing(top).is_empty()
                    && shown.missing(under).is_empty()
                    && is_source(walk, wanted, under)? =>
            {
                steps.extend(uncover(walk, wanted, &shown, beneath)?);
            }
            Some((top, _)) if is_source(walk, wanted, top)? => steps.extend(remount(wanted, &shown, top)),
            Some((_, [.., under])) if mount::is_bind(&wanted.options) => {
                // What it covers cannot be looked at before.
                steps.push(unmount(target));
                walk.act(std::mem::take(&mut steps))?;
                has_acted = true;
                steps.extend(if is_source(walk, wanted, under)? {
                    remount(wanted, &shown, under)
                } else {
                    Some(mount(wanted))
                });
            }
            Some((_, beneath)) => steps.extend(uncover(walk, wanted, &shown, beneath)?),
        },
    }
    if steps.is_empty() && !has_acted && !is_kept {
        return Ok(Decision::InState(Vec::new()));
    }
    let is_remounted = matches!(steps.last(), Some(Step::Mount(mount::Step::Remount { .. })));
    if !steps.is_empty() {
        walk.act(steps)?;
    }
    if let Some(wanted) = wanted.filter(|_| is_remounted || is_kept) {
        mount_over(walk, &wanted, &point, &shown, tried)?;
    }
    Ok(Decision::Mended(Vec::new()))
}

fn mount(wanted: &Entry) -> Step {
    let Entry { spec, target, kind, options, .. } = wanted.clone();
    Step::Mount(mount::Step::Mount { target, source: spec, kind, options })
}

fn unmount(target: &str) -> Step {
    Step::Mount(mount::Step::Unmount { target: target.to_owned() })
}

/// What gives the wanted mount its options, where they differ from those that the kernel is to show.
fn remount(wanted: &Entry, shown: &Shown, mounted: &Mounted) -> Option<Step> {
    let missing = shown.missing(mounted);
    let n_kept = missing.iter().filter(|option| is_kept(wanted, option)).count();
    // What is not in memory gets all its options when it is mounted again.
    let is_mounted_anew = if is_in_memory(wanted) { n_kept == missing.len() } else { n_kept > 0 };
    if missing.is_empty() || is_mounted_anew {
        return None;
    }
    let mut options = wanted.options.clone();
    // The kernel leaves the times of access as they are, unless a remount says something of them that is not a default.
    let says = |option: &String| matches!(&**option, "noatime" | "nodiratime" | "relatime" | "strictatime");
    let is_default = |option: &String| matches!(&**option, "atime" | "diratime");
    if missing.iter().any(is_default) && !options.iter().any(says) {
        options.push("relatime".to_owned());
    }
    // Some versions of `mount` leave what only `defaults` stands for as it is.
    let meant = missing.into_iter().filter(|option| matches!(&**option, "rw" | "exec"));
    options.extend(meant.filter(|option| !wanted.options.contains(option)));
    let (target, now) = (wanted.target.clone(), mounted.options.clone());
    Some(Step::Mount(mount::Step::Remount { target, options, now }))
}

/// Nothing is mounted there. Without a mount point nothing is done: an entry alone would stop the next boot.
fn mount_anew(walk: &mut Walk, wanted: &Entry) -> Result<Option<Step>, Decision> {
    let point = Probe::File(file::Probe::Stat { path: wanted.target.clone(), follow: true });
    // If the policy forbids reading, the mount itself fails.
    if let Finding::File(file::Finding::Stat(None)) = &walk.look(vec![point])?[0] {
        return Err(Decision::CannotTell(format!("no such mount point: {}", wanted.target)));
    }
    // `mount` says that all is well where it does nothing.
    Ok((!is_missing(walk, wanted)?).then(|| mount(wanted)))
}

/// Whether the device of an entry is not there, which is not a failure.
fn is_missing(walk: &mut Walk, wanted: &Entry) -> Result<bool, Decision> {
    Ok(is_optional(&wanted.options) && is_device(wanted) && device(walk, wanted)?.is_none())
}

/// Another mount is on top: it is removed. The declared one may be beneath it already, under others that were put there
/// as well.
fn uncover(walk: &mut Walk, wanted: &Entry, shown: &Shown, beneath: &[&Mounted]) -> Result<Vec<Step>, Decision> {
    let mut steps = vec![unmount(&wanted.target)];
    for under in beneath.iter().rev() {
        if is_source(walk, wanted, under)? {
            steps.extend(remount(wanted, shown, under));
            return Ok(steps);
        }
        steps.push(unmount(&wanted.target));
    }
    // Mounts under the topmost one were not asked to go.
    steps.truncate(1);
    steps.push(mount(wanted));
    Ok(steps)
}
