//! The audit log: one JSON line per step that was asked of this host, with how it went.
//!
//! It says what and where, never with which content: secrets stay out of it. Of a command that is its
//! program, its directory and its user, and how many words it was given; the words themselves, which is
//! where passwords hide, and the environment are in the program under the resource's name.

use mclive_base::protocol::ResourceId;
use mclive_base::vocab::{HostError, Outcome, Step};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) struct Audit {
    file: Option<File>,
}

impl Audit {
    pub(crate) fn open(path: &Path) -> std::io::Result<Audit> {
        use std::os::unix::fs::OpenOptionsExt;
        let file = File::options().append(true).create(true).mode(0o600).open(path)?;
        Ok(Audit { file: Some(file) })
    }

    /// Of a plan, which changes nothing.
    pub(crate) fn none() -> Audit {
        Audit { file: None }
    }

    pub(crate) fn write(&self, of: &ResourceId, step: &Step, outcome: &Outcome) {
        let (went, why) = match outcome {
            Outcome::Done => ("done", None),
            Outcome::Command(_) => ("ran", None),
            Outcome::Failed(error) => ("failed", Some(error.message.as_str())),
        };
        self.line(&of.to_string(), &step.audit(), went, why);
    }

    /// What a function changed, or was not allowed to.
    pub(crate) fn effect(&self, function: &str, words: &str, failed: Option<&HostError>) {
        let went = if failed.is_some() { "failed" } else { "done" };
        self.line(function, words, went, failed.map(|error| error.message.as_str()));
    }

    fn line(&self, of: &str, step: &str, went: &str, why: Option<&str>) {
        let Some(mut file) = self.file.as_ref() else { return };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let line = serde_json::json!({
            "time": now.as_secs_f64(), "resource": of, "step": step, "outcome": went, "why": why,
        });
        // One write per line: lines of several threads do not mix. A full disk must not end the run.
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}
