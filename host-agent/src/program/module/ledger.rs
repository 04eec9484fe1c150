//! [`Ledger`]: the modules that mclive downloaded.
//!
//! It is kept with the agent's own files, away from all modules and programs, so that their content cannot claim to be
//! downloaded. One process at a time can open it.

use crate::home;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{DirBuilder, File};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

pub(super) struct Ledger {
    dir: PathBuf,
    /// Locked while it is open.
    _lock: File,
}

/// The record of a download.
#[derive(Serialize, Deserialize)]
pub(super) struct Mark {
    pub(super) place: PathBuf,
    pub(super) url: String,
    pub(super) commit: String,
    /// The digest of the files as written ([`super::tree::Files::digest`]).
    pub(super) digest: String,
}

impl Ledger {
    /// Opens it; waits while another process has it open.
    pub(super) fn open() -> Result<Ledger, String> {
        let dir = home::usual().ok_or("no home directory for the record of downloads; set HOME")?;
        let dir = dir.join("modules");
        let fails = |error: std::io::Error| format!("{}: {error}", dir.display());
        DirBuilder::new().recursive(true).mode(0o700).create(&dir).map_err(fails)?;
        let lock = File::options().create(true).append(true).open(dir.join("lock")).map_err(fails)?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => {
                crate::output::tell("mclive: waiting for another mclive process that is downloading modules");
                flock(&lock, FlockOperation::LockExclusive)
            }
            done => done,
        }
        .map_err(|errno| fails(errno.into()))?;
        Ok(Ledger { dir, _lock: lock })
    }

    /// The record of a place, if mclive downloaded its content.
    pub(super) fn read(&self, place: &Path) -> Result<Option<Mark>, String> {
        let file = self.file(place, "json");
        let fails = |why: String| format!("{}: {why}", file.display());
        let text = match std::fs::read(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fails(error.to_string())),
        };
        let mark: Mark = serde_json::from_slice(&text).map_err(|error| fails(error.to_string()))?;
        Ok(Some(mark).filter(|mark| mark.place == place))
    }

    pub(super) fn write(&self, mark: &Mark) -> Result<(), String> {
        let file = self.file(&mark.place, "json");
        let text = serde_json::to_vec(mark).map_err(|error| error.to_string())?;
        crate::host::rewrite(&file.to_string_lossy(), &text).map_err(|error| error.message)
    }

    /// The directory for fetching the repository of a place.
    pub(super) fn scratch(&self, place: &Path) -> PathBuf {
        self.file(place, "git")
    }

    fn file(&self, place: &Path, end: &str) -> PathBuf {
        let hash = Sha256::digest(place.as_os_str().as_encoded_bytes());
        let hex: String = hash[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        self.dir.join(format!("{hex}.{end}"))
    }
}
