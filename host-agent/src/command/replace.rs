//! [`Replacement`]: replaces the program while the agent runs. The previous version stays active until the new one is
//! known to be valid.

use super::compile;
use crate::embed::contract::{Program, Report, Severity, Shown, SourceFile};
use crate::host::Events;
use crate::origin::Origins;
use crate::policy::Policy;
use crate::program::{Failure, Loaded};
use crate::show::Show;
use mclive_base::protocol::{Deploy, Event, Input, Moment, Options, What};
use std::sync::Arc;
use std::time::Instant;

/// What a version is judged and run with.
pub(super) struct Replacement {
    /// The environment that programs are checked with.
    pub(super) environment: Vec<(String, String)>,
    pub(super) options: Options,
    pub(super) policy: Policy,
    pub(super) shown: Shown,
    pub(super) show: Arc<Show>,
    pub(super) events: Arc<Events>,
    pub(super) origins: Arc<Origins>,
    /// The beginning of the driver's time.
    pub(super) start: Instant,
}

/// Why a version is not put into force.
pub(super) enum Problem {
    Unreadable(Failure),
    Refused(Report),
}

impl Problem {
    pub(super) fn text(&self) -> String {
        match self {
            Problem::Unreadable(failure) => failure.to_string(),
            Problem::Refused(report) => report.rendered.clone(),
        }
    }

    /// The same in a line.
    pub(super) fn summary(&self) -> String {
        match self {
            Problem::Unreadable(failure) => failure.to_string(),
            Problem::Refused(report) => {
                let mut errors = report.diagnostics.iter().filter(|one| one.severity != Severity::Warning);
                errors.next().map_or_else(String::new, |one| format!("{}: {}", one.code, one.message))
            }
        }
    }
}

impl Replacement {
    /// Whether the policy and the compiler accept a program, with its warnings.
    pub(super) fn judge(&self, loaded: &Loaded) -> Result<Report, Problem> {
        super::run::judge_places(&self.policy, loaded).map_err(Problem::Unreadable)?;
        let shown = loaded.shown(self.shown.colour);
        let report = compile::judge(&loaded.program, &self.options.hostname, &shown);
        let report = report.map_err(Problem::Unreadable)?;
        if report.refused { Err(Problem::Refused(report)) } else { Ok(report) }
    }

    /// Puts an accepted program into force.
    pub(super) fn put(&self, loaded: Loaded, report: &Report, words: String) {
        self.say(words);
        self.show.warnings(report);
        self.origins.replace(&loaded);
        let Program { files, entry, environment: _ } = loaded.program;
        let files = files.into_iter().map(|SourceFile { path, content }| (path, content)).collect();
        self.events.put(Input::Deploy(Deploy { files, entry, options: self.options.clone() }));
    }

    /// Reports why a version is not put into force.
    pub(super) fn reject(&self, problem: &Problem, text: &str) {
        let report = if let Problem::Refused(report) = problem { Some(report) } else { None };
        self.show.rejected(self.now(), text, report);
        self.show.flush();
    }

    pub(super) fn say(&self, text: String) {
        self.show.event(&Event { at: self.now(), what: What::Log { text }, because: Vec::new() });
        self.show.flush();
    }

    fn now(&self) -> Moment {
        Moment(u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}
