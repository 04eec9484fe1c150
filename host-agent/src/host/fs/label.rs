//! SELinux contexts: an extended attribute of the file itself, links not followed.

use super::place::{locate, native};
use crate::host::errno::failed;
use mclive_compiler::vocab::{HostError, HostErrorKind, path};
use rustix::fd::AsRawFd;
use rustix::fs::{Mode, OFlags, XattrFlags, lgetxattr, openat, removexattr, setxattr};
use rustix::io::Errno;

const NAME: &str = "security.selinux";

pub(crate) fn label(path: &str) -> Result<Option<Vec<u8>>, HostError> {
    let mut value = vec![0; 4 << 10];
    match lgetxattr(&*native(path), NAME, value.as_mut_slice()) {
        Ok(len) => {
            value.truncate(len);
            Ok(Some(value))
        }
        Err(Errno::NODATA) => Ok(None),
        Err(errno) => Err(unsupported(path, errno)),
    }
}

pub(crate) fn set_label(path: &str, label: Option<&[u8]>) -> Result<(), HostError> {
    let place = locate("label", path)?;
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let entry = openat(&place.dir, &place.name, flags, Mode::empty()).map_err(|errno| failed("label", path, errno))?;
    // What is opened only to be named, also a link, is itself what this name leads to.
    let itself = format!("/proc/self/fd/{}", entry.as_raw_fd());
    let done = match label {
        Some(label) => setxattr(&itself, NAME, label, XattrFlags::empty()),
        None => match removexattr(&itself, NAME) {
            Err(Errno::NODATA) => Ok(()),
            done => done,
        },
    };
    done.map_err(|errno| unsupported(path, errno))
}

fn unsupported(path: &str, errno: Errno) -> HostError {
    match errno {
        Errno::OPNOTSUPP => HostError::new(
            HostErrorKind::Unavailable,
            format!("setting SELinux context not supported on this filesystem: {}", path::shown(path)),
        ),
        errno => failed("label", path, errno),
    }
}
