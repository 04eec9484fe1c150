//! [`Record`]: the trace of a run, which replays anywhere (`mclive_base::protocol::trace`).

use mclive_base::protocol::trace::{self, Header};
use mclive_base::protocol::{Input, Moment};
use std::fs::File;
use std::io::Write;
use std::path::Path;

pub(crate) struct Record {
    file: File,
    bytes: Vec<u8>,
}

impl Record {
    pub(crate) fn create(path: &Path, hostname: &str) -> std::io::Result<Record> {
        use std::os::unix::fs::OpenOptionsExt;
        // It holds what files and commands said: for its owner alone.
        let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(path)?;
        file.write_all(&Header::new(hostname).to_bytes())?;
        Ok(Record { file, bytes: Vec::new() })
    }

    /// Inputs that are about to be handed in: with the system before anything follows from them, so
    /// that a kill leaves all that led to what was done.
    pub(crate) fn write(&mut self, now: Moment, inputs: &[Input]) {
        self.bytes.clear();
        inputs.iter().for_each(|input| trace::write(now, input, &mut self.bytes));
        // A trace that cannot be written must not stop what it watches.
        let _ = self.file.write_all(&self.bytes);
    }
}
