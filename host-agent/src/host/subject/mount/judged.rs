//! What a mount shows, judged: every place that its source and its options name.
//!
//! A file system that is mounted elsewhere has its own paths, by which the policy would judge what is in it. So what
//! it is made of must be allowed as it stands: for reading, and for changing unless it is mounted read-only. What an
//! overlay is made of is not found again behind its paths, so all that is in such a folder must be allowed.

use super::super::Place;
use super::{device, point};
use crate::host::fs::{Last, locate};
use crate::policy::Permit;
use mclive_base::vocab::fstab::Entry;
use mclive_base::vocab::path::{escaped, shown};
use mclive_base::vocab::{HostError, HostErrorKind};
use rustix::fs::{AtFlags, CWD, FileType, statat};
use std::os::unix::ffi::OsStrExt;

/// What `mount` is told: places without links.
pub(super) struct Judged {
    pub(super) source: String,
    pub(super) options: Vec<String>,
}

pub(super) fn judged(at: &Place, source: &str, kind: &str, options: &[String]) -> Result<Judged, HostError> {
    let policy = &at.shared.policy;
    if !policy.judges_mounts() {
        return Ok(Judged { source: point::source(at, kind, source)?, options: options.to_vec() });
    }
    let refused = |why| HostError::new(HostErrorKind::Refused, why);
    policy.mounting(kind, options).map_err(refused)?;
    let words = || options.iter().flat_map(|option| option.split(','));
    let use_of_source = if words().any(|word| word == "ro") { policy.reads() } else { policy.changes() };
    let source = match kind {
        // What stands there is a name, or a share of another host.
        "tmpfs" | "ramfs" | "overlay" | "cifs" | "smb3" => source.to_owned(),
        _ => {
            let path = match source.split_once('=').filter(|_| !source.starts_with('/')) {
                Some(_) => device(at, source)?.unwrap_or_else(|| source.to_owned()),
                None => source.to_owned(),
            };
            let place = point::source(at, kind, &path)?;
            if place.starts_with('/') {
                let stat = statat(CWD, &place, AtFlags::SYMLINK_NOFOLLOW)
                    .map_err(|errno| crate::host::errno::failed("mount", &place, errno))?;
                locate(policy.reads(), "mount", &place, Last::Followed)?;
                locate(use_of_source, "mount", &place, Last::Followed)?;
                if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && !is_bind(options) {
                    policy.loops(options).map_err(refused)?;
                }
            }
            place
        }
    };
    let options = words().map(|option| named(at, option)).collect::<Result<_, _>>()?;
    Ok(Judged { source, options })
}

/// An entry of the table, before it is written there: it is mounted at the next start, if not before.
pub(in crate::host::subject) fn judge_entry(at: &Place, entry: &Entry) -> Result<(), HostError> {
    if at.shared.policy.judges_mounts() {
        point::target(at, &entry.target)?;
        judged(at, &entry.spec, &entry.kind, &entry.options)?;
    }
    Ok(())
}

fn is_bind(options: &[String]) -> bool {
    options.iter().flat_map(|option| option.split(',')).any(|word| matches!(word, "bind" | "rbind"))
}

/// An option whose value is a place.
fn named(at: &Place, option: &str) -> Result<String, HostError> {
    let policy = &at.shared.policy;
    let Some((name, value)) = option.split_once('=') else { return Ok(option.to_owned()) };
    let place = |permit: Permit, path: &str, with_all: bool| -> Result<String, HostError> {
        if !path.starts_with('/') {
            let why = format!("mount: `{}` in `{name}` is no absolute path", shown(path));
            return Err(HostError::new(HostErrorKind::Refused, why));
        }
        let place = locate(permit, "mount", path, Last::Followed)?;
        if with_all && !permit.allows_below(place.path()) {
            let text = escaped(place.path().as_bytes()).into_owned();
            let why = format!(
                "the policy does not allow `{name}` at `{0}`: no pattern matches everything in it, as `{0}/**` does",
                shown(&text)
            );
            return Err(HostError::new(HostErrorKind::Refused, why));
        }
        point::steady("mount", place.path())
    };
    let value = match name {
        "lowerdir" => {
            let layers = value.split(':').map(|layer| match layer {
                // Two colons: what follows holds data alone.
                "" => Ok(String::new()),
                layer => place(policy.reads(), layer, true),
            });
            layers.collect::<Result<Vec<_>, _>>()?.join(":")
        }
        "upperdir" | "workdir" => {
            let changed = place(policy.changes(), value, true)?;
            place(policy.reads(), &changed, true)?
        }
        "credentials" | "cred" | "secretfile" => place(policy.reads(), value, false)?,
        _ => return Ok(option.to_owned()),
    };
    Ok(format!("{name}={value}"))
}
