//! `mount`: Manages an fstab entry and the matching mount. Resource spec, 9.

mod options;
mod systems;

use crate::kinds::rules::{ensure, exists_or_absent, file_exists};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Claim, Decision, Field, FieldDefault, HostType, Kind, KindDecl, Seen, Traits, Want};
use crate::value::Value;
use crate::vocab::fstab::Entry;
use crate::vocab::mount::{self, Mounted};
use crate::vocab::{Datum, Edit, FactSpec, Finding, HostErrorKind, Probe, Step, Watch, file};
use systems::FILE_SYSTEMS;

/// The kind `mount`.
pub(crate) struct Mount;

static DECL: KindDecl = KindDecl {
    name: "mount",
    doc: "Manages an fstab entry and the matching mount.",
    fields: &[
        Field::str("state", "State", "exists or absent (mandatory).").required(),
        Field::str("device", "Device", "Device, or UUID=/LABEL=/PARTUUID=/PARTLABEL= spec."),
        Field::str("type", "Type", "File system type."),
        Field::new(
            "options",
            "Options",
            HostType::STR_MAP,
            "Mount options as name to value; valueless options map to the empty string.",
        )
        .default(FieldDefault::StrMap(&[("defaults", "")])),
        Field::int("freq", "Freq", HostType::Int, "Fifth fstab column: whether `dump` backs it up."),
        Field::int("passno", "PassNo", HostType::Int, "Sixth fstab column: the order in which `fsck` checks it."),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for Mount {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        exists_or_absent(&want.text("state"))?;
        let kind = want.text("type");
        if want.text("state") == "exists" {
            let known = FILE_SYSTEMS.contains(&&*kind) || is_bind(want) && matches!(&*kind, "" | "none");
            ensure(known, "type must be a valid filesystem type (see /proc/filesystems)")?;
        }
        ensure(!want.name.contains("//"), "the name must not contain a double slash")?;
        let device = path_of_device(want);
        ensure(
            device.is_none_or(|path| path.starts_with('/')),
            "the device must be an absolute path or a `KEY=` of one",
        )
    }

    /// The folder comes before what is mounted there, and so does what is mounted.
    fn wants_on_hosts(&self, want: &Want) -> Vec<Claim> {
        let folder = |path: &str| Claim::File(format!("{}/", path.trim_end_matches('/')));
        let device = path_of_device(want).into_iter().flat_map(|path| [folder(&path), Claim::File(path)]);
        let options = want.map("options");
        let layers = options.iter().flat_map(|(name, value)| match name.as_text().as_deref() {
            Some("lowerdir" | "upperdir" | "workdir") => {
                let value = value.as_text().unwrap_or_default();
                value.split(':').filter(|path| path.starts_with('/')).map(folder).collect()
            }
            _ => Vec::new(),
        });
        std::iter::once(folder(want.name)).chain(device).chain(layers).collect()
    }

    /// The mount point and the device must be there.
    fn asks_host(&self, want: &Want) -> Vec<FactSpec> {
        // A device that may be missing is waited for.
        let device = path_of_device(want).filter(|_| !may_be_missing(want));
        let paths = [Some(want.name.to_owned()), device];
        paths.into_iter().flatten().map(|path| FactSpec::File(file::Fact::State { path })).collect()
    }

    fn validate_there(&self, want: &Want, facts: &[Option<Datum>]) -> Result<(), String> {
        let is_there = |at: usize| facts.get(at).and_then(Option::as_ref).is_none_or(file_exists);
        ensure(is_there(0), format!("no such mount point: {}", want.name))?;
        ensure(is_there(1), format!("no such device: {}", want.text("device")))
    }

    fn backend(&self) -> &'static str {
        "`mount` and `umount` (package `mount`) and `/etc/fstab`; the kernel's table of mounts and inotify wake it. What a \
         policy must allow: `mounts`, `paths` and `commands`."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        let file = |path: String| file::Watch { path, recursive: false }.into();
        let device = path_of_device(want).filter(|_| may_be_missing(want));
        [mount::Watch.into(), file(FSTAB.into())].into_iter().chain(device.map(file)).collect()
    }
}

const FSTAB: &str = "/etc/fstab";
/// Longer than any table of mounts.
const LONGEST: u64 = 1 << 20;

fn has_option(want: &Want, option: &str) -> bool {
    want.map("options").iter().any(|(name, _)| name.as_text().is_some_and(|name| name == option))
}

fn is_bind(want: &Want) -> bool {
    has_option(want, "bind") || has_option(want, "rbind")
}

fn may_be_missing(want: &Want) -> bool {
    has_option(want, "nofail")
}

/// Where that is which is mounted, if it is on this host.
fn path_of_device(want: &Want) -> Option<String> {
    let (device, kind) = (want.text("device"), want.text("type"));
    // Without a type nobody knows better.
    let is_path = is_bind(want) || systems::is_on_device(&kind) || !FILE_SYSTEMS.contains(&&*kind);
    systems::device_path(&device).filter(|_| is_path)
}

/// The entry of the table that is wanted.
fn entry(want: &Want) -> Entry {
    let text = |value: &Value| value.as_text().unwrap_or_default().into_owned();
    let options = want.map("options");
    let options = options.iter().map(|(name, value)| match text(value) {
        value if value.is_empty() => text(name),
        value => format!("{}={value}", text(name)),
    });
    let (device, kind) = (want.text("device"), want.text("type").into_owned());
    // The table has a word in this place in any case.
    let kind = if kind.is_empty() && is_bind(want) { "none".to_owned() } else { kind };
    Entry {
        // A file system without a device is named by its type.
        spec: if device.is_empty() { kind.clone() } else { device.into_owned() },
        target: target(want).to_owned(),
        kind,
        options: options.collect(),
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

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
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
    let mounted = match mounts {
        Finding::Mount(mount::Finding::Table(mounts)) => mounts.iter().rfind(|mounted| mounted.target == target),
        other => return Err(cannot_tell(other)),
    };
    match &wanted {
        None if mounted.is_some() => steps.push(Step::Mount(mount::Step::Unmount { target: target.to_owned() })),
        None => {}
        // Somebody else says when it is mounted.
        Some(wanted) if wanted.options.iter().any(|option| option == "noauto") => {}
        Some(wanted) => steps.extend(active(walk, wanted, mounted)?.into_iter().map(Step::Mount)),
    }
    if steps.is_empty() {
        return Ok(Decision::InState(Vec::new()));
    }
    walk.act(steps)?;
    Ok(Decision::Mended(Vec::new()))
}

/// What makes the active mount as the entry says.
fn active(walk: &mut Walk, wanted: &Entry, mounted: Option<&Mounted>) -> Result<Vec<mount::Step>, Decision> {
    let target = wanted.target.clone();
    let mount = mount::Step::Mount {
        target: target.clone(),
        source: wanted.spec.clone(),
        kind: wanted.kind.clone(),
        options: wanted.options.clone(),
    };
    let is_device = systems::is_on_device(&wanted.kind);
    let Some(mounted) = mounted else {
        let is_waited_for = is_device && wanted.options.iter().any(|option| option == "nofail");
        if is_waited_for && device(walk, wanted)?.is_none() {
            return Ok(Vec::new());
        }
        return Ok(vec![mount]);
    };
    if !is_source(walk, wanted, mounted)? {
        return Ok(vec![mount::Step::Unmount { target }, mount]);
    }
    if options::differing(&wanted.options, &mounted.options).is_empty() {
        return Ok(Vec::new());
    }
    let (options, now) = (wanted.options.clone(), mounted.options.clone());
    Ok(vec![mount::Step::Remount { target, options, now }])
}

/// What is mounted is what the entry names.
fn is_source(walk: &mut Walk, wanted: &Entry, mounted: &Mounted) -> Result<bool, Decision> {
    let is_bind = wanted.options.iter().any(|option| matches!(option.as_str(), "bind" | "rbind"));
    if is_bind {
        // The kernel does not tell what a bind mount was made of, but both sides are one file.
        let stat = |path: &String| Probe::File(file::Probe::Stat { path: path.clone(), follow: true });
        let found = walk.look(vec![stat(&wanted.spec), stat(&wanted.target)])?;
        return match found {
            [Finding::File(file::Finding::Stat(Some(one))), Finding::File(file::Finding::Stat(Some(other)))] => {
                Ok((one.device, one.inode) == (other.device, other.inode))
            }
            [Finding::File(file::Finding::Stat(_)), Finding::File(file::Finding::Stat(_))] => Ok(false),
            [failed @ Finding::Failed(_), _] | [_, failed] | [failed] => Err(cannot_tell(failed)),
            _ => Err(Decision::CannotTell("the host did not answer".into())),
        };
    }
    if !systems::is_on_device(&wanted.kind) {
        return Ok(mounted.kind == wanted.kind && mounted.source == wanted.spec);
    }
    match device(walk, wanted)? {
        Some(device) => Ok(mounted.source == device && mounted.kind == wanted.kind),
        None => Err(Decision::CannotTell(format!("there is no device {} yet", wanted.spec))),
    }
}

/// The device that the entry names; `None`: it is not there yet.
fn device(walk: &mut Walk, wanted: &Entry) -> Result<Option<String>, Decision> {
    let look = Probe::Mount(mount::Probe::Device { spec: wanted.spec.clone() });
    match &walk.look(vec![look])?[0] {
        Finding::Mount(mount::Finding::Device(device)) => Ok(device.clone()),
        other => Err(cannot_tell(other)),
    }
}
