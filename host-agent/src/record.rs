//! [`Record`]: the trace of a run, which can be replayed anywhere (`mclive_base::protocol::trace`).
//!
//! A write error ends the recording, never the run: the trace up to then is complete, and can be replayed.

use crate::host::io_words;
use crate::output::{self, tell};
use mclive_base::protocol::trace::{self, Header};
use mclive_base::protocol::{Input, Moment};
use mclive_base::vocab::password::LETTERS;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{Error, Read, Write};
use std::path::{Path, PathBuf};

/// The maximum size of a trace.
const LARGEST: u64 = 1 << 30;

pub(crate) struct Record {
    path: PathBuf,
    /// Until the recording ends.
    file: Option<File>,
    length: u64,
    bytes: Vec<u8>,
    veil: Veil,
}

/// Secrets are not recorded. Each is replaced by a text of the same length, the same one for the same secret, which
/// reveals nothing without the key of this recording.
struct Veil {
    key: [u8; 32],
}

impl Veil {
    fn new() -> std::io::Result<Veil> {
        let mut key = [0; 32];
        File::open("/dev/urandom")?.read_exact(&mut key)?;
        Ok(Veil { key })
    }

    fn over(&self, input: &Input) -> Input {
        let mut input = input.clone();
        for secret in input.secrets() {
            let letters = |at: usize| {
                let hash = Sha256::new().chain_update(self.key).chain_update(&secret.0).chain_update(at.to_le_bytes());
                char::from(LETTERS[usize::from(hash.finalize()[0]) % LETTERS.len()])
            };
            secret.0 = (0..secret.0.chars().count()).map(letters).collect();
        }
        input
    }
}

impl Record {
    pub(crate) fn create(path: &Path, hostname: &str) -> std::io::Result<Record> {
        // It contains the contents of files and the output of commands.
        let mut file = output::file::create(path)?;
        let header = Header::new(hostname).to_bytes();
        file.write_all(&header)?;
        Ok(Record {
            path: path.to_owned(),
            file: Some(file),
            length: header.len() as u64,
            bytes: Vec::new(),
            veil: Veil::new()?,
        })
    }

    /// Records inputs before they are passed in: they are written before their consequences, so that after a kill the
    /// trace contains everything that led to what was done.
    pub(crate) fn write(&mut self, now: Moment, inputs: &[Input]) {
        let Some(file) = &mut self.file else { return };
        self.bytes.clear();
        for input in inputs {
            match input {
                Input::Probed(..) => trace::write(now, &self.veil.over(input), &mut self.bytes),
                _ => trace::write(now, input, &mut self.bytes),
            }
        }
        let length = self.length + self.bytes.len() as u64;
        let written = match length > LARGEST {
            true => Err(Error::other(format!("it would exceed {LARGEST} bytes"))),
            false => file.write_all(&self.bytes),
        };
        match written {
            Ok(()) => self.length = length,
            Err(error) => {
                // The last record stays complete.
                let _ = file.set_len(self.length);
                self.file = None;
                let (path, why) = (self.path.display(), io_words(&error));
                tell(&format!(
                    "mclive: warning: cannot record to {path}: {why}; the trace ends here, the run continues"
                ));
            }
        }
    }
}
