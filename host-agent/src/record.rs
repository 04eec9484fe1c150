//! [`Record`]: the trace of a run, which can be replayed anywhere (`mclive_base::protocol::trace`).
//!
//! A write error ends the recording, never the run: the trace up to that point is complete, and can be replayed.

use crate::host::{io_words, random};
use crate::output::file::Written;
use crate::output::{self, tell};
use mclive_base::protocol::trace::{self, Header};
use mclive_base::protocol::{Input, Moment};
use mclive_base::vocab::password::{LETTERS, Secret};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fs::File;
use std::io::{Error, Write};
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

/// Secrets are not recorded. Each is replaced by a text of as many bytes, the same one for the same secret, which
/// reveals nothing without the key of this recording. From then on it is replaced wherever it appears: a program may read
/// it again, from a store or a file.
struct Veil {
    key: [u8; 32],
    /// Text and replacement, which have the same number of bytes; the longest first, since one may contain another.
    known: Vec<(Vec<u8>, Vec<u8>)>,
    /// How many of them were found on the host. Those that it calls secrets, it limits itself.
    n_found: usize,
}

/// The maximum number of secrets found on the host that are looked for.
const MOST_FOUND: usize = 1_000;

impl Veil {
    fn new() -> std::io::Result<Veil> {
        Ok(Veil { key: random()?, known: Vec::new(), n_found: 0 })
    }

    fn over<'a>(&mut self, input: &'a Input) -> Cow<'a, Input> {
        let mut told = Cow::Borrowed(input);
        if matches!(input, Input::Probed(..) | Input::Secret(_)) {
            // As a whole, before a part of one that is known already.
            for secret in told.to_mut().secrets() {
                let replacement = self.replacement(&secret.0);
                self.learn(&secret.0, &replacement, matches!(input, Input::Secret(_)));
                secret.0 = replacement;
            }
        }
        match self.without_known(&told) {
            Some(other) => Cow::Owned(other),
            None => told,
        }
    }

    fn replacement(&self, secret: &str) -> String {
        let letters = |at: usize| {
            let hash = Sha256::new().chain_update(self.key).chain_update(secret).chain_update(at.to_le_bytes());
            char::from(LETTERS[usize::from(hash.finalize()[0]) % LETTERS.len()])
        };
        (0..secret.len()).map(letters).collect()
    }

    /// Replaces this text from now on wherever it appears. A short one is replaced only where it is known to be a secret.
    fn learn(&mut self, secret: &str, replacement: &str, is_told: bool) {
        let first = self.known.partition_point(|(known, _)| known.len() > secret.len());
        let end = self.known.partition_point(|(known, _)| known.len() >= secret.len());
        let is_known = self.known[first..end].iter().any(|(known, _)| known == secret.as_bytes());
        if is_known || secret.len() < Secret::SHORTEST_HIDDEN || !is_told && self.n_found == MOST_FOUND {
            return;
        }
        self.n_found += usize::from(!is_told);
        self.known.insert(end, (secret.as_bytes().to_vec(), replacement.as_bytes().to_vec()));
    }

    /// `None`: it contains none. Replacements have the length of the original, so the form of the input stays.
    fn without_known(&self, input: &Input) -> Option<Input> {
        if self.known.is_empty() {
            return None;
        }
        let mut bytes = postcard::to_allocvec(input).ok()?;
        let mut is_changed = false;
        for (secret, replacement) in &self.known {
            let found: Vec<usize> = memchr::memmem::find_iter(&bytes, secret).collect();
            is_changed |= !found.is_empty();
            for at in found {
                bytes[at..at + secret.len()].copy_from_slice(replacement);
            }
        }
        is_changed.then(|| postcard::from_bytes(&bytes).ok()).flatten()
    }
}

impl Record {
    pub(crate) fn create(path: &Path, hostname: &str) -> std::io::Result<Record> {
        // It contains the contents of files and the output of commands.
        let mut file = output::file::create(path, Written::Trace)?;
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
            trace::write(now, &self.veil.over(input), &mut self.bytes);
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

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::protocol::Ticket;
    use mclive_base::vocab::Datum;

    #[test]
    fn a_value_that_is_called_a_secret_is_recorded_as_another_text_of_its_length() {
        let mut veil = Veil::new().unwrap();
        for secret in ["hush-hush", "schl\u{fc}ssel \u{1f511}"] {
            let fact = Input::Fact(Ticket(2), Ok(Datum::text(format!("password={secret}"))));
            let told = veil.over(&Input::Secret(Secret(secret.into()))).into_owned();
            let Input::Secret(Secret(told)) = told else { panic!("{told:?}") };
            assert!(told.len() == secret.len() && told != secret, "{told}");
            let Input::Fact(_, Ok(Datum::Bytes(value))) = veil.over(&fact).into_owned() else { panic!("no fact") };
            assert_eq!(String::from_utf8(value).unwrap(), format!("password={told}"));
        }
    }

    /// What is recorded of a fact with this value.
    fn recorded(veil: &mut Veil, value: &str) -> String {
        let fact = Input::Fact(Ticket(2), Ok(Datum::text(value)));
        let Input::Fact(_, Ok(Datum::Bytes(told))) = veil.over(&fact).into_owned() else { panic!("no fact") };
        String::from_utf8(told).unwrap()
    }

    #[test]
    fn a_secret_that_contains_another_one_is_recorded_as_one_text() {
        let mut veil = Veil::new().unwrap();
        let told = ["hush-hush", "ab hush-hush cd"].map(|secret| {
            let input = Input::Secret(Secret(secret.into()));
            let Input::Secret(Secret(told)) = veil.over(&input).into_owned() else { panic!("no secret") };
            told
        });
        assert_eq!(recorded(&mut veil, "<ab hush-hush cd>"), format!("<{}>", told[1]));
        assert_eq!(recorded(&mut veil, "<hush-hush>"), format!("<{}>", told[0]));
    }

    #[test]
    fn of_many_secrets_the_last_one_is_not_recorded_either() {
        let mut veil = Veil::new().unwrap();
        for n in 0..=MOST_FOUND {
            veil.over(&Input::Secret(Secret(format!("hush-hush-{n:04}"))));
        }
        let last = format!("hush-hush-{MOST_FOUND:04}");
        assert_ne!(recorded(&mut veil, &last), last);
    }
}
