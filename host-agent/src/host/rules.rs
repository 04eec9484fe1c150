//! Files with rules of this host: policies, and the public keys of operators.

use super::fs;
use super::io_failed;
use crate::policy::Permit;
use mclive_base::vocab::path::escaped;
use mclive_base::vocab::{HostError, HostErrorKind};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Larger files have something else in them.
const LARGEST: u64 = 1 << 20;

/// Reads a file with rules: it must not be behind a link of another user, nor writable by all.
pub(crate) fn read_rules(path: &Path) -> Result<String, HostError> {
    let path = escaped(path.as_os_str().as_bytes());
    let fails = |error: std::io::Error| io_failed("read", &path, &error);
    let file = fs::open_regular(Permit::ALL, &path)?;
    let mode = file.metadata().map_err(fails)?.permissions().mode() & 0o7777;
    if mode & 0o002 != 0 {
        let message = format!("it is world-writable (mode {mode:04o}): remove that with `chmod o-w`");
        return Err(HostError::new(HostErrorKind::Refused, message));
    }
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).map_err(fails)?;
    Ok(text)
}
