//! [`Running`]: the program that a brain runs, and the graphs that follow from its values.

use super::fence::Fence;
use crate::diag::{Diagnostic, Diags};
use crate::edge_facts::EdgeFacts;
use crate::language::Live;
use crate::protocol::{Options, Output, Ticket};
use crate::react::FactId;
use crate::rgraph::{AutoEdges, AutoGroups, Changed, NextGraph, asked};
use crate::source::Sources;
use std::collections::{BTreeMap, VecDeque};

/// A running program.
#[derive(Clone)]
pub(super) struct Running {
    pub(super) live: Box<dyn Live>,
    auto_edges: AutoEdges,
    pub(super) edge_facts: EdgeFacts,
    /// The next graph waits for facts that its automatic edges need.
    pub(super) is_held: bool,
    pub(super) auto_groups: AutoGroups,
    pub(super) sources: Sources,
    pub(super) options: Options,
    pub(super) tickets: BTreeMap<FactId, Ticket>,
    pub(super) facts: BTreeMap<Ticket, FactId>,
    /// The last reported failure.
    pub(super) failure: Option<Failure>,
    /// Some values are still pending, so the program is not done.
    pub(super) is_waiting: bool,
    pub(super) has_graph: bool,
    /// No further graphs follow: only the first was requested.
    pub(super) is_over: bool,
    pub(super) fence: Fence,
}

/// Why the current values yield no graph.
#[derive(Clone)]
pub(super) struct Failure {
    pub(super) text: String,
    pub(super) diags: Diags,
    pub(super) of: Of,
}

/// What a failure is about, and with that what may end it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// The values: the next evaluation may succeed.
    Values,
    /// The graph that they yield: it is refused until values or edges differ.
    Graph,
}

impl Running {
    /// A program that has just been deployed.
    pub(super) fn new(live: Box<dyn Live>, sources: Sources, options: Options) -> Running {
        Running {
            live,
            auto_edges: AutoEdges::running(),
            edge_facts: EdgeFacts::default(),
            is_held: false,
            auto_groups: AutoGroups::default(),
            sources,
            options,
            tickets: BTreeMap::new(),
            facts: BTreeMap::new(),
            failure: None,
            is_waiting: true,
            has_graph: false,
            is_over: false,
            fence: Fence::default(),
        }
    }

    /// It has something to compute, whatever happens.
    pub(super) fn is_at_work(&self) -> bool {
        !self.is_over && self.live.is_under_way()
    }

    /// Facts for its automatic edges came, which are taken in with the next `Tick`.
    pub(super) fn awaits_tick(&self) -> bool {
        !self.is_over && self.edge_facts.awaits_tick()
    }

    /// Whether facts for automatic edges have arrived and are due to be evaluated.
    pub(super) fn edges_may_differ(&self) -> bool {
        self.edge_facts.has_untried_news() && !self.edge_facts.awaits_tick()
    }

    /// The present values have no graph in effect, and were not refused one.
    pub(super) fn lacks_graph(&self) -> bool {
        match &self.failure {
            Some(failure) => failure.of == Of::Values,
            None => !self.has_graph,
        }
    }

    /// A fact, the time or an edge may yet become another.
    pub(super) fn may_change(&self) -> bool {
        !self.tickets.is_empty() || !self.edge_facts.is_empty() || self.live.wake().is_some()
    }

    /// The next graph; `None`: it waits for its host, or only the host changed and the edges are unchanged.
    pub(super) fn graph(
        &mut self,
        changed: bool,
        n_tickets: &mut u64,
        outputs: &mut VecDeque<Output>,
    ) -> Result<Option<NextGraph>, Diags> {
        if self.is_held && !changed && self.edge_facts.is_waiting() {
            return Ok(None);
        }
        let is_new = changed || !self.has_graph || self.is_held || self.failure.is_some();
        // Few changes are changes of the last graph, which must have come into force.
        let was_refused = self.failure.as_ref().is_some_and(|failure| failure.of == Of::Graph);
        let is_whole = was_refused || self.is_held || self.edge_facts.has_news();
        let mut graph = match self.live.update()? {
            NextGraph::Whole(graph) => graph,
            NextGraph::Few(changes) => match self.few(changes).filter(|_| !is_whole) {
                Some(changes) => return Ok(Some(NextGraph::Few(changes))),
                None => self.live.whole()?,
            },
        };
        let refused = |diagnostic: Diagnostic| {
            let mut diags = Diags::default();
            diags.push(diagnostic);
            diags
        };
        if !self.options.no_autoedges {
            let ticket = || {
                *n_tickets += 2;
                Ticket(*n_tickets)
            };
            outputs.extend(self.edge_facts.ask(&asked(&graph), ticket));
            self.is_held = self.edge_facts.is_waiting();
            if self.is_held {
                return Ok(None);
            }
            let before =
                self.edge_facts.has_news().then(|| std::mem::replace(&mut self.auto_edges, AutoEdges::running()));
            self.auto_edges.update(&mut graph, &|spec| self.edge_facts.known(spec));
            if before.is_some_and(|before| !is_new && before.are_those_of(&self.auto_edges)) {
                self.edge_facts.take_news();
                return Ok(None);
            }
        }
        if !self.options.no_autogroup {
            self.auto_groups.update(&mut graph).map_err(|error| refused(*error))?;
        } else if let Some(cycle) = graph.cycle() {
            let names: Vec<String> = cycle.iter().map(|&vertex| graph.resources[vertex].id.to_string()).collect();
            let message = format!("circular dependency between resources: {}", names.join(" -> "));
            let code = crate::diag::codes::NOT_VALID;
            return Err(refused(Diagnostic::error(code, crate::diag::Stage::Validate, message)));
        }
        Ok(Some(NextGraph::Whole(graph)))
    }

    /// The same changes after automatic edges and groups; `None` if those may differ.
    fn few(&mut self, changes: Vec<Changed>) -> Option<Vec<Changed>> {
        if !self.options.no_autoedges && !self.auto_edges.keeps(&changes) {
            return None;
        }
        if self.options.no_autogroup { Some(changes) } else { self.auto_groups.keeps(&changes) }
    }
}
