//! Mount points and sources: places that only root can replace.
//!
//! `mount(8)` uses paths, and the kernel follows every link in them. So a path is resolved here first, without links of
//! other users, and is used only if each folder on it belongs to root or to this user: then it leads to the same place
//! a moment later.

use super::super::Context;
use crate::host::errno::failed;
use crate::host::fs::{Last, locate};
use crate::policy::Permit;
use mclive_base::vocab::path::{escaped, shown};
use mclive_base::vocab::{HostError, HostErrorKind, Power};
use rustix::fs::{AtFlags, CWD, FileType, Stat, statat};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The place of a mount point, if the policy allows it.
pub(super) fn target(at: &Context, path: &str) -> Result<String, HostError> {
    let place = locate(Permit::ALL, "mount", path, Last::Followed)?;
    let place = steady("mount", place.path())?;
    let refused = |why| HostError::new(HostErrorKind::Refused, why);
    at.shared.policy.power(&Power::Mount(&place)).map_err(refused)?;
    Ok(place)
}

/// The place of a source that is a path: a device, or a file or folder that may be read.
pub(super) fn source(at: &Context, kind: &str, path: &str) -> Result<String, HostError> {
    let is_share = matches!(kind, "cifs" | "smb3") && path.starts_with("//");
    if !path.starts_with('/') || is_share {
        return Ok(path.to_owned());
    }
    let place = locate(Permit::ALL, "mount", path, Last::Followed)?;
    let stat = statat(CWD, place.path(), AtFlags::SYMLINK_NOFOLLOW).map_err(|errno| failed("mount", path, errno))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::BlockDevice {
        locate(at.shared.policy.reads(), "mount", path, Last::Followed)?;
    }
    steady("mount", place.path())
}

/// A path without links, as text. Errors: another user could replace a part of it.
pub(in crate::host::subject) fn steady(verb: &'static str, path: &OsStr) -> Result<String, HostError> {
    let text = escaped(path.as_bytes()).into_owned();
    let look = |path: &Path| statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).map_err(|errno| failed(verb, &text, errno));
    let us = rustix::process::geteuid().as_raw();
    let is_ours = |stat: &Stat| stat.st_uid == 0 || stat.st_uid == us;
    let path = Path::new(path);
    let mut inner = look(path)?;
    for above in path.ancestors().skip(1) {
        let folder = look(above)?;
        let is_closed = folder.st_mode & 0o022 == 0;
        // In a folder with the sticky bit only the owner of an entry can move it.
        let is_kept = folder.st_mode & 0o1000 != 0 && is_ours(&inner);
        let is_folder = FileType::from_raw_mode(folder.st_mode) == FileType::Directory;
        if !is_folder || !is_ours(&folder) || !is_closed && !is_kept {
            let above = escaped(above.as_os_str().as_bytes()).into_owned();
            let (text, above) = (shown(&text), shown(&above));
            let message = format!("{verb}: other users can replace `{text}` because they can write to `{above}`");
            return Err(HostError::new(HostErrorKind::Refused, message));
        }
        inner = folder;
    }
    Ok(text)
}
