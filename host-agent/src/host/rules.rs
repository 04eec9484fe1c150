//! Files with rules of this host: policies, options (`--config`), and public keys.

use super::fs;
use super::io_failed;
use crate::policy::Permit;
use mclive_base::vocab::path::escaped;
use mclive_base::vocab::{HostError, HostErrorKind};
use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// Larger files have something else in them.
const LARGEST: u64 = 1 << 20;

/// Reads a file with rules: it must not be reached through a link of another user, nor writable by all.
pub(crate) fn read_rules(path: &Path) -> Result<String, HostError> {
    read(path, |meta| match mode(meta) & 0o002 {
        0 => Ok(()),
        _ => Err(format!("it is world-writable (mode {:04o}): fix this with `chmod o-w`", mode(meta))),
    })
}

/// Reads a file that determines who may decide for this host: only root and this user can change it.
pub(crate) fn read_trusted(path: &Path) -> Result<String, HostError> {
    let ours = rustix::process::geteuid().as_raw();
    read(path, |meta| match (mode(meta) & 0o022, meta.uid()) {
        (0, owner) if [0, ours].contains(&owner) => Ok(()),
        (0, owner) => Err(format!("it is owned by another user (UID {owner}): use `chown root`")),
        _ => Err(format!("others can change it (mode {:04o}): fix this with `chmod go-w`", mode(meta))),
    })
}

/// Reads a small file, unless `judge` says why not.
fn read(path: &Path, judge: impl Fn(&Metadata) -> Result<(), String>) -> Result<String, HostError> {
    let path = escaped(path.as_os_str().as_bytes());
    let fails = |error: std::io::Error| io_failed("read", &path, &error);
    let file = fs::open_regular(Permit::ALL, &path)?;
    let meta = file.metadata().map_err(fails)?;
    judge(&meta).map_err(|why| HostError::new(HostErrorKind::Refused, why))?;
    text(file).map_err(fails)
}

fn mode(meta: &Metadata) -> u32 {
    meta.permissions().mode() & 0o7777
}

fn text(file: File) -> std::io::Result<String> {
    let mut text = String::new();
    file.take(LARGEST + 1).read_to_string(&mut text)?;
    match text.len() as u64 > LARGEST {
        true => Err(std::io::Error::other(format!("it is larger than {} MiB", LARGEST >> 20))),
        false => Ok(text),
    }
}
