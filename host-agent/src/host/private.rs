//! Files with a secret of the user who runs a command: no other user can read them.

use super::fs;
use super::io_failed;
use crate::policy::Permit;
use mclive_base::vocab::path::escaped;
use mclive_base::vocab::{HostError, HostErrorKind};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Larger files have something else in them.
const LARGEST: u64 = 64 << 10;

/// Reads such a file; refuses it if others can read or change it.
pub(crate) fn read_private(path: &Path) -> Result<Vec<u8>, HostError> {
    let path = escaped(path.as_os_str().as_bytes());
    let fails = |error: std::io::Error| io_failed("read", &path, &error);
    let file = fs::open_regular(Permit::ALL, &path)?;
    let mode = file.metadata().map_err(fails)?.permissions().mode() & 0o7777;
    if mode & 0o077 != 0 {
        let message = format!("other users can access it (mode {mode:04o}): fix this with `chmod 600`");
        return Err(HostError::new(HostErrorKind::Refused, message));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).map_err(fails)?;
    Ok(bytes)
}

/// Creates such a file, and the directories to it; one that exists is left alone.
pub(crate) fn create_private(path: &Path, content: &str) -> std::io::Result<()> {
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    let written = fill(&mut file, content);
    if written.is_err() {
        // Half a secret is useless.
        let _ = std::fs::remove_file(path);
    }
    written
}

fn fill(file: &mut File, content: &str) -> std::io::Result<()> {
    file.write_all(content.as_bytes())?;
    // On some file systems this fails although the file is written.
    match file.sync_all() {
        Err(error) if error.kind() != ErrorKind::InvalidInput => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::Scratch;

    #[test]
    fn a_secret_is_created_once_and_for_its_owner_alone() {
        let dir = Scratch::new("private");
        let path = dir.join("a/b/key");
        create_private(&path, "secret").unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
        assert_eq!(read_private(&path).unwrap(), b"secret");
        assert_eq!(create_private(&path, "other").unwrap_err().kind(), ErrorKind::AlreadyExists);
        let link = dir.join("link");
        std::os::unix::fs::symlink(dir.join("nowhere"), &link).unwrap();
        assert_eq!(create_private(&link, "other").unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(read_private(&path).unwrap(), b"secret");
        for mode in [0o640, 0o604, 0o660] {
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            assert!(read_private(&path).unwrap_err().message.contains("other users can access it"), "{mode:o}");
        }
    }
}
