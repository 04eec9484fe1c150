//! The source of a mount: a device, by path or tag; a directory; or a word that a file system understands.

use super::{is_optional, options};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Want};
use crate::vocab::fstab::Entry;
use crate::vocab::mount::{self, Mounted};
use crate::vocab::{Finding, Probe, file};

/// Where to look for the device; `None`: there is none, or it is not on this host.
pub(super) fn place(want: &Want) -> Option<String> {
    let is_placed = mount::is_placed(&want.text("type"), &options(want));
    device_path(&want.text("device")).filter(|path| is_placed && path.starts_with('/'))
}

/// The folders that an overlay is made of.
fn layers(want: &Want) -> Vec<String> {
    let options = options(want);
    let values = options.iter().filter_map(|option| match option.split_once('=')? {
        ("lowerdir" | "upperdir" | "workdir", value) if want.text("type") == "overlay" => Some(value),
        _ => None,
    });
    values.flat_map(|value| value.split(':')).filter(|path| path.starts_with('/')).map(str::to_owned).collect()
}

/// The paths of what is mounted.
pub(super) fn sources(want: &Want) -> impl Iterator<Item = String> {
    place(want).into_iter().chain(layers(want))
}

/// Whether the mounted source is the one of the entry.
pub(super) fn is_source(walk: &mut Walk, wanted: &Entry, mounted: &Mounted) -> Result<bool, Decision> {
    if mount::is_bind(&wanted.options) {
        // The kernel does not report the source of a bind mount, but both sides are the same file.
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
    if !is_device(wanted) {
        let is_same = mounted.is_from(&wanted.kind, &wanted.spec);
        // `mount` looks up a tag for these, too.
        let is_tag = device_path(&wanted.spec).is_some_and(|path| path != wanted.spec);
        let is_found = !is_same && is_tag && device(walk, wanted)?.as_ref() == Some(&mounted.source);
        return Ok(mounted.is_of_type(&wanted.kind) && (is_same || is_found));
    }
    match device(walk, wanted)? {
        Some(device) => Ok(mounted.source == device && mounted.is_of_type(&wanted.kind)),
        // Something else is mounted there, by someone else.
        None if is_optional(&wanted.options) => Ok(true),
        None => Err(Decision::CannotTell(format!("the device {} does not exist yet", wanted.spec))),
    }
}

/// Whether the entry has a device, by path or tag.
pub(super) fn is_device(wanted: &Entry) -> bool {
    let is_named = wanted.spec.starts_with('/') || wanted.spec.contains('=');
    is_named && mount::is_placed(&wanted.kind, &wanted.options)
}

/// The current path of the device.
pub(super) fn device(walk: &mut Walk, wanted: &Entry) -> Result<Option<String>, Decision> {
    let look = Probe::Mount(mount::Probe::Device { spec: wanted.spec.clone() });
    match &walk.look(vec![look])?[0] {
        Finding::Mount(mount::Finding::Device(device)) => Ok(device.clone()),
        other => Err(cannot_tell(other)),
    }
}

/// The path of a device; `None` if the field is empty.
pub(super) fn device_path(device: &str) -> Option<String> {
    let keys = [("UUID=", "uuid"), ("LABEL=", "label"), ("PARTUUID=", "partuuid"), ("PARTLABEL=", "partlabel")];
    let by_key = |(key, dir): (&str, &str)| Some(format!("/dev/disk/by-{dir}/{}", device.strip_prefix(key)?));
    keys.into_iter().find_map(by_key).or_else(|| (!device.is_empty()).then(|| device.to_owned()))
}
