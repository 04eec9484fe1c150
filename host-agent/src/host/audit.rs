//! The audit log: one JSON line per step that was asked of this host, with how it went.
//!
//! It says what and where, never with which content: secrets stay out of it. Of a command that is its
//! program, its directory and its user, and how many words it was given; the words themselves, which is
//! where passwords hide, and the environment are in the program under the resource's name.

use mclive_base::protocol::ResourceId;
use mclive_base::vocab::{Outcome, Step};
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

    pub(crate) fn write(&self, of: &ResourceId, step: &Step, outcome: &Outcome) {
        let Some(mut file) = self.file.as_ref() else { return };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (went, why) = match outcome {
            Outcome::Done => ("done", None),
            Outcome::Command(_) => ("ran", None),
            Outcome::Failed(error) => ("failed", Some(error.message.as_str())),
        };
        let line = serde_json::json!({
            "time": now.as_secs_f64(), "resource": of.to_string(), "step": step.audit(), "outcome": went, "why": why,
        });
        // One write per line: lines of several threads do not mix. A full disk must not end the run.
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}
