//! [`Trial`]: the progress of the running deploy: handed to the brain, with a graph, and good after a period without
//! errors.

use crate::deploy::Record;
use std::time::{Duration, Instant};

/// How long a deploy runs before it counts as good.
const PROOF: Duration = Duration::from_secs(60);

pub(super) struct Trial {
    /// The running deploy. `None`: nothing was deployed.
    record: Option<Record>,
    /// The one that had a graph before it.
    before: Option<Record>,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The brain does not have it yet: reports are about the previous one.
    Sent,
    /// It has no graph yet.
    Starting,
    /// It has a graph, and is good at this moment.
    Proving(Instant),
    /// Its state no longer changes.
    Over,
}

impl Trial {
    /// The first program.
    pub(super) fn of(record: Option<Record>) -> Trial {
        Trial { record, before: None, stage: Stage::Sent }
    }

    pub(super) fn record(&self) -> Option<&Record> {
        self.record.as_ref()
    }

    pub(super) fn before(&self) -> Option<&Record> {
        self.before.as_ref()
    }

    /// A newer deploy is on its way to the brain.
    pub(super) fn replace(&mut self, record: Record) {
        let had_graph = self.has_graph();
        let before = self.record.replace(record);
        if had_graph {
            self.before = before;
        }
        self.stage = Stage::Sent;
    }

    /// The one before is on its way to the brain again.
    pub(super) fn goes_back(&mut self, record: Record) {
        (self.record, self.before, self.stage) = (Some(record), None, Stage::Sent);
    }

    pub(super) fn handed_over(&mut self) {
        if self.stage == Stage::Sent {
            self.stage = Stage::Starting;
        }
    }

    /// Returns whether it is the first graph of the running deploy.
    pub(super) fn graph(&mut self, now: Instant) -> bool {
        let is_first = self.stage == Stage::Starting;
        if is_first {
            self.stage = Stage::Proving(now + PROOF);
        }
        is_first
    }

    /// It is kept, whatever the result.
    pub(super) fn stays(&mut self) {
        self.stage = Stage::Over;
    }

    pub(super) fn is_on_its_way(&self) -> bool {
        self.stage == Stage::Sent
    }

    pub(super) fn has_graph(&self) -> bool {
        matches!(self.stage, Stage::Proving(_) | Stage::Over)
    }

    /// Whether a failure would be its end.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.stage, Stage::Starting | Stage::Proving(_))
    }

    /// When it will be good.
    pub(super) fn due(&self) -> Option<Instant> {
        if let Stage::Proving(at) = self.stage { Some(at) } else { None }
    }

    /// Whether it has become good.
    pub(super) fn is_proved(&mut self, now: Instant) -> bool {
        let is_proved = self.due().is_some_and(|at| at <= now);
        if is_proved {
            (self.stage, self.before) = (Stage::Over, None);
        }
        is_proved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: u64) -> Record {
        Record { id, ..Record::after(None, "/main.mcl".into(), Vec::new()).unwrap() }
    }

    #[test]
    fn a_deploy_is_good_after_a_graph_and_a_minute() {
        let now = Instant::now();
        let mut trial = Trial::of(None);
        // A graph of the program before says nothing.
        assert!(!trial.graph(now) && !trial.has_graph() && !trial.is_open());
        trial.handed_over();
        assert!(trial.is_open() && !trial.has_graph());
        assert!(trial.graph(now) && !trial.graph(now));
        assert!(trial.has_graph() && !trial.is_proved(now + PROOF / 2) && trial.is_proved(now + PROOF));
        assert!(!trial.is_open() && trial.due().is_none());
    }

    #[test]
    fn the_one_before_is_the_last_with_a_graph() {
        let now = Instant::now();
        let mut trial = Trial::of(Some(record(1)));
        let before = |trial: &Trial| trial.before().map(|record| record.id);
        trial.handed_over();
        trial.graph(now);
        trial.replace(record(2));
        assert_eq!(before(&trial), Some(1));
        trial.handed_over();
        trial.replace(record(3));
        assert_eq!(before(&trial), Some(1));
        trial.goes_back(record(1));
        assert_eq!((before(&trial), trial.is_on_its_way()), (None, true));
    }
}
