//! SELinux contexts: an extended attribute of the file itself; links are not followed.

use super::change::{open_changed, open_entry};
use super::place::{Last, native};
use crate::host::errno::failed;
use crate::policy::Permit;
use mclive_base::vocab::{HostError, HostErrorKind, path};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{XattrFlags, getxattr, lgetxattr, removexattr, setxattr};
use rustix::io::Errno;

pub(super) const NAME: &str = "security.selinux";

pub(crate) fn label(permit: Permit, path: &str) -> Result<Option<Vec<u8>>, HostError> {
    let mut value = vec![0; 4 << 10];
    let read = match permit.is_all() {
        true => lgetxattr(&*native(path), NAME, value.as_mut_slice()),
        false => getxattr(itself(&open_entry(permit, "label", path, Last::Itself)?), NAME, value.as_mut_slice()),
    };
    match read {
        Ok(len) => {
            value.truncate(len);
            Ok(Some(value))
        }
        Err(Errno::NODATA) => Ok(None),
        Err(errno) => Err(unsupported(path, errno)),
    }
}

pub(crate) fn set_label(permit: Permit, path: &str, label: Option<&[u8]>) -> Result<(), HostError> {
    let entry = open_changed(permit, "label", path, Last::Itself)?;
    let done = match label {
        Some(label) => setxattr(itself(&entry), NAME, label, XattrFlags::empty()),
        None => match removexattr(itself(&entry), NAME) {
            Err(Errno::NODATA) => Ok(()),
            done => done,
        },
    };
    done.map_err(|errno| unsupported(path, errno))
}

/// A path to the entry of an `O_PATH` descriptor, even if it is a link.
fn itself(entry: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", entry.as_raw_fd())
}

pub(super) fn unsupported(path: &str, errno: Errno) -> HostError {
    match errno {
        Errno::OPNOTSUPP => HostError::new(
            HostErrorKind::Unavailable,
            format!("setting SELinux context not supported on this filesystem: {}", path::shown(path)),
        ),
        errno => failed("label", path, errno),
    }
}
