//! [`Record`]: the trace of a run, which replays anywhere (`mclive_base::protocol::trace`).
//!
//! What cannot be written ends the recording, never the run: what was recorded until then is whole, and replays.

use crate::host::io_words;
use crate::output::tell;
use mclive_base::protocol::trace::{self, Header};
use mclive_base::protocol::{Input, Moment};
use rustix::fs::OFlags;
use std::fs::File;
use std::io::{Error, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A trace takes no more.
const LARGEST: u64 = 1 << 30;

pub(crate) struct Record {
    path: PathBuf,
    /// Until the recording ends.
    file: Option<File>,
    length: u64,
    bytes: Vec<u8>,
}

impl Record {
    pub(crate) fn create(path: &Path, hostname: &str) -> std::io::Result<Record> {
        // It holds what files and commands said: for its owner alone. A pipe without a reader must not hold us up.
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
        let mut file =
            File::options().write(true).create(true).truncate(true).mode(0o600).custom_flags(flags).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(Error::other("a trace is recorded to a regular file"));
        }
        let header = Header::new(hostname).to_bytes();
        file.write_all(&header)?;
        Ok(Record { path: path.to_owned(), file: Some(file), length: header.len() as u64, bytes: Vec::new() })
    }

    /// Inputs that are about to be handed in: with the system before anything follows from them, so
    /// that a kill leaves all that led to what was done.
    pub(crate) fn write(&mut self, now: Moment, inputs: &[Input]) {
        let Some(file) = &mut self.file else { return };
        self.bytes.clear();
        inputs.iter().for_each(|input| trace::write(now, input, &mut self.bytes));
        let length = self.length + self.bytes.len() as u64;
        let written = match length > LARGEST {
            true => Err(Error::other(format!("it would take more than {LARGEST} bytes"))),
            false => file.write_all(&self.bytes),
        };
        match written {
            Ok(()) => self.length = length,
            Err(error) => {
                // The last record stays whole.
                let _ = file.set_len(self.length);
                self.file = None;
                let (path, why) = (self.path.display(), io_words(&error));
                tell(&format!("mclive: warning: cannot record to {path}: {why}; the trace ends here, the run goes on"));
            }
        }
    }
}
