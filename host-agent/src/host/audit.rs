//! The audit log: one JSON line per requested step, with its outcome. It rotates within a limit.
//!
//! It records what was done and where, but never content or secrets. For a command, it records the program, directory,
//! user and number of arguments; the arguments themselves, which may contain passwords, and the environment are in the
//! program under the resource's name.

use crate::lock::Mutex;
use crate::output::json_line;
use crate::rotate::{Bounds, Rotating};
use mclive_base::protocol::ResourceId;
use mclive_base::vocab::{HostError, Outcome, Step};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(crate) struct Audit {
    /// `None` for a plan.
    log: Option<Mutex<Rotating>>,
}

impl Audit {
    pub(crate) fn open(path: &Path, bounds: Bounds) -> std::io::Result<Audit> {
        Ok(Audit { log: Some(Mutex::new(Rotating::open(path, bounds)?)) })
    }

    /// The audit log of a plan, which changes nothing.
    pub(crate) fn none() -> Audit {
        Audit { log: None }
    }

    /// The limits of this log and of others beside it. `None` for a plan.
    pub(crate) fn bounds(&self) -> Option<Bounds> {
        self.log.as_ref().map(|log| log.lock().bounds())
    }

    pub(crate) fn write(&self, of: &ResourceId, step: &Step, outcome: &Outcome, took: Duration) {
        let (went, why) = match outcome {
            Outcome::Done => ("done", None),
            Outcome::Command(_) => ("ran", None),
            Outcome::Failed(error) => ("failed", Some(error.message.as_str())),
        };
        self.line(&of.to_string(), &step.audit(), went, why, took);
    }

    /// Records a change by a function, or its refusal.
    pub(crate) fn effect(&self, function: &str, words: &str, failed: Option<&HostError>, took: Duration) {
        let went = if failed.is_some() { "failed" } else { "done" };
        self.line(function, words, went, failed.map(|error| error.message.as_str()), took);
    }

    /// `time` is when it ended, in seconds since 1970; `took` is in seconds as well.
    fn line(&self, of: &str, step: &str, went: &str, why: Option<&str>, took: Duration) {
        let Some(log) = &self.log else { return };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let line = serde_json::json!({
            "time": now.as_secs_f64(), "resource": of, "step": step, "outcome": went, "why": why,
            "took": took.as_secs_f64(),
        });
        let line = json_line(&line.to_string());
        log.lock().write(line.as_bytes());
    }
}
