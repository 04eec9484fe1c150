//! [`Record`]: the trace of a run, which replays anywhere: JSON lines of moment and input.

use mclive_compiler::protocol::{Input, Moment};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

pub(crate) struct Record {
    file: BufWriter<File>,
}

impl Record {
    pub(crate) fn create(path: &Path) -> std::io::Result<Record> {
        use std::os::unix::fs::OpenOptionsExt;
        // It holds what files and commands said: for its owner alone.
        let file = File::options().write(true).create(true).truncate(true).mode(0o600).open(path)?;
        Ok(Record { file: BufWriter::new(file) })
    }

    pub(crate) fn write(&mut self, now: Moment, inputs: &[Input]) {
        for input in inputs {
            let line = serde_json::json!({ "at": now, "input": input });
            // A trace that cannot be written must not stop what it watches.
            let _ = writeln!(self.file, "{line}");
        }
        let _ = self.file.flush();
    }
}
