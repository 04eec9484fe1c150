//! SELinux contexts: an extended attribute of the file itself, links not followed.

use crate::host::errno::failed;
use mclive_compiler::vocab::{HostError, HostErrorKind};
use rustix::fs::{XattrFlags, lgetxattr, lremovexattr, lsetxattr};
use rustix::io::Errno;

const NAME: &str = "security.selinux";

pub(crate) fn label(path: &str) -> Result<Option<Vec<u8>>, HostError> {
    let mut value = vec![0; 4 << 10];
    match lgetxattr(path, NAME, value.as_mut_slice()) {
        Ok(len) => {
            value.truncate(len);
            Ok(Some(value))
        }
        Err(Errno::NODATA) => Ok(None),
        Err(errno) => Err(unsupported(path, errno)),
    }
}

pub(crate) fn set_label(path: &str, label: Option<&[u8]>) -> Result<(), HostError> {
    let done = match label {
        Some(label) => lsetxattr(path, NAME, label, XattrFlags::empty()),
        None => match lremovexattr(path, NAME) {
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
            "setting SELinux context not supported on this filesystem".to_owned(),
        ),
        errno => failed("label", path, errno),
    }
}
