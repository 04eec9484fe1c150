//! [`Lifecycle`]: the next graph, and whether the run is ending.

use super::News;
use crate::protocol::{StopMode, status};
use crate::rgraph::{ResGraph, Resource, VertexId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Replacements by resources of the same name.
pub(crate) type Changes = BTreeMap<VertexId, Arc<Resource>>;

/// A waiting graph.
#[derive(Clone)]
pub(crate) enum Pending {
    Whole(Arc<ResGraph>),
    /// Replacements in the graph in effect.
    Few(Changes),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Running,
    /// A graph waits; no check starts.
    Pausing,
    Exiting,
    Ended,
}

/// What may happen if there is no further input.
pub(crate) enum Next {
    /// Checks begin.
    Step,
    /// A graph comes into force as soon as no check runs.
    Switch,
    /// The run ends as soon as no check runs.
    Leave,
    Nothing,
}

#[derive(Clone)]
pub(crate) struct Lifecycle {
    mode: Mode,
    /// The most forceful stop so far.
    rung: Option<StopMode>,
    /// The newest graph, which waits for the running checks.
    pending: Option<Pending>,
    /// Its causes.
    news: News,
    /// A graph is in effect.
    has_graph: bool,
    /// The program ended with an error, so there will be no further graph.
    program_failed: bool,
    /// It computes, so that another graph may come whatever happens.
    program_is_at_work: bool,
    exit_status: i32,
    /// The run is ending, after the last check.
    is_leaving: bool,
}

impl Default for Lifecycle {
    fn default() -> Lifecycle {
        Lifecycle {
            mode: Mode::Running,
            rung: None,
            pending: None,
            news: News::default(),
            has_graph: false,
            program_failed: false,
            program_is_at_work: false,
            exit_status: status::GOOD,
            is_leaving: false,
        }
    }
}

impl Lifecycle {
    /// Requests a switch. Only the newest waiting graph is kept.
    pub(crate) fn switch(&mut self, graph: Arc<ResGraph>, news: News) {
        if self.takes_graphs() {
            self.news = std::mem::take(&mut self.news).then(news);
            self.begin_anew(graph);
        }
    }

    /// Replaces a few resources in the newest graph.
    pub(crate) fn exchange(&mut self, changes: impl Iterator<Item = (VertexId, Arc<Resource>)>, news: News) {
        if !self.takes_graphs() {
            return;
        }
        match &mut self.pending {
            Some(Pending::Whole(graph)) => {
                let graph = Arc::make_mut(graph);
                changes.for_each(|(at, resource)| graph.resources[at] = resource);
            }
            Some(Pending::Few(earlier)) => earlier.extend(changes),
            None => self.pending = Some(Pending::Few(changes.collect())),
        }
        self.news = std::mem::take(&mut self.news).then(news);
        self.mode = Mode::Pausing;
    }

    /// Puts the graph in effect again, with additional resources.
    pub(crate) fn begin_anew(&mut self, graph: Arc<ResGraph>) {
        self.pending = Some(Pending::Whole(graph));
        self.mode = Mode::Pausing;
    }

    fn takes_graphs(&self) -> bool {
        match self.mode {
            Mode::Running | Mode::Pausing => true,
            Mode::Exiting | Mode::Ended => false,
        }
    }

    /// The waiting graph, about to come into force, with its causes.
    pub(crate) fn take_pending(&mut self) -> (Option<Pending>, News) {
        self.mode = Mode::Running;
        (self.pending.take(), std::mem::take(&mut self.news))
    }

    pub(crate) fn set_in_force(&mut self) {
        self.has_graph = true;
    }

    pub(crate) fn set_program_failed(&mut self, failed: bool) {
        self.program_failed = failed;
    }

    /// `true`: that is news.
    pub(crate) fn set_program_at_work(&mut self, is_at_work: bool) -> bool {
        std::mem::replace(&mut self.program_is_at_work, is_at_work) != is_at_work
    }

    pub(crate) fn next(&self) -> Next {
        match self.mode {
            Mode::Running => Next::Step,
            Mode::Pausing => Next::Switch,
            Mode::Exiting => Next::Leave,
            Mode::Ended => Next::Nothing,
        }
    }

    /// Stops at least as forcefully as this mode. `true`: that is more forceful than before.
    pub(crate) fn climb(&mut self, rung: StopMode) -> bool {
        let before = self.rung;
        self.rung = before.max(Some(rung));
        before < self.rung
    }

    /// Whether nothing new may begin, because a stop was requested twice.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.rung >= Some(StopMode::Soft)
    }

    pub(crate) fn begin_exit(&mut self, status: i32) {
        if self.takes_graphs() {
            self.mode = Mode::Exiting;
            self.pending = None;
            self.exit_status = status;
        }
    }

    /// `true` the first time: the last check is over.
    pub(crate) fn begin_leaving(&mut self) -> bool {
        !std::mem::replace(&mut self.is_leaving, true)
    }

    /// Ends the run and returns its status, which reflects failures if a stop was requested.
    pub(crate) fn end(&mut self, any_failed: bool) -> i32 {
        self.mode = Mode::Ended;
        let was_asked = self.rung.is_some() && self.exit_status == status::GOOD;
        match was_asked {
            true if self.never_had_a_graph() => status::ERROR,
            true if any_failed => status::FAILED,
            true | false => self.exit_status,
        }
    }

    pub(crate) fn is_exiting(&self) -> bool {
        self.mode == Mode::Exiting
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.mode == Mode::Ended
    }

    /// Whether the run can converge: it has a graph, or will never get one, and none is being computed.
    pub(crate) fn may_converge(&self) -> bool {
        self.mode == Mode::Running && (self.has_graph || self.program_failed) && !self.program_is_at_work
    }

    /// Whether it runs with a graph in effect, and no other one waits.
    pub(crate) fn is_steady(&self) -> bool {
        self.mode == Mode::Running && self.has_graph
    }

    pub(crate) fn has_graph(&self) -> bool {
        self.has_graph
    }

    /// Whether no graph was ever in effect, because the program failed.
    pub(crate) fn never_had_a_graph(&self) -> bool {
        self.program_failed && !self.has_graph
    }

    pub(crate) fn program_failed(&self) -> bool {
        self.program_failed
    }

    #[cfg(test)]
    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    #[cfg(test)]
    pub(crate) fn has_pending(&self) -> bool {
        self.pending.is_some()
    }
}
