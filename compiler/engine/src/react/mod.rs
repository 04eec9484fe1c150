//! Runs a function graph as values change (language spec, chapter 11).
//!
//! In: an [`Ir`], then facts and the time. Out: facts to subscribe to, the next moment to be called, and after each
//! round either a complete table of values or the failures. It does no IO.
//!
//! **One round** evaluates exactly the vertices that depend on a change, in ascending levels: each vertex after its
//! inputs, so that no inconsistent state is ever visible (`round`). An unchanged value stops the propagation. A
//! construct whose input changes attaches another subgraph (`attach`), whose vertices join the round. Failures are
//! judged only after the round, by whether they reached a sink (`judge`).

mod aside;
mod attach;
#[cfg(test)]
pub(crate) mod check;
mod effort;
mod eval;
mod facts;
mod first;
mod iter;
mod judge;
mod known;
mod queue;
mod round;
mod run;
mod size;
mod state;
mod table;
#[cfg(test)]
mod tests;
mod why;

pub use facts::{FactId, FactRequest};
pub use first::Answer;
pub(crate) use first::first_table;
pub(crate) use known::KnownStmt;
pub(crate) use table::StmtRow;
pub use table::{Stmt, StmtKind, Table};
pub use why::Reason;

use crate::corelib::ROUND;
use crate::diag::{Diagnostic, Diags, Stage};
use crate::fgraph::graph::{Change, StmtId};
use crate::fgraph::op::Op;
use crate::fgraph::{self, FuncGraph, Growth, Ir, VertexId};
use crate::source::MemoryWorld;
use crate::value::Value;
use crate::vocab::{Datum, HostError};
use aside::Aside;
use effort::Effort;
use eval::Call;
use facts::{Facts, Senses};
use queue::Queue;
use size::Size;
use state::VertexState;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A running program.
#[derive(Clone)]
pub struct React {
    ir: Arc<Ir>,
    graph: FuncGraph,
    /// The program's own files.
    files: Arc<MemoryWorld>,
    /// Parallel to the graph's vertices.
    slots: Vec<Slot>,
    queue: Queue,
    n_pending: usize,
    failed: BTreeSet<VertexId>,
    /// Parallel to the graph's statements: a new number whenever a value read by the statement changed.
    versions: Vec<u64>,
    n_versions: u64,
    /// A value read by statements has changed since the last complete table.
    changed: bool,
    news: StmtNews,
    facts: Facts,
    /// What the host told while a round was interrupted.
    late: BTreeMap<FactId, Result<Datum, HostError>>,
    /// The next call continues the round.
    is_interrupted: bool,
    /// The call within which it was interrupted.
    call: Option<Call>,
    /// The part that was put aside, for which the rest does not wait.
    aside: Option<Aside>,
    /// The graph took another form in this round.
    is_rebuilt: bool,
    /// The last round came to a complete table.
    is_good: bool,
    wakes: BTreeSet<(u64, VertexId)>,
    now: u64,
    n_nonces: u64,
    n_evaluated: u64,
    /// The total size of all values.
    n_held: u64,
    /// Number of complete tables; changes since the last one are marked with it.
    epoch: u32,
    was_complete: bool,
    effort: Effort,
    /// Whether it runs on a host. Without one, facts, the host name and the time are unknown.
    has_host: bool,
    /// It exceeded a hard limit and has stopped.
    stuck: Option<Diagnostic>,
}

/// Changes of the statements since the last call.
#[derive(Clone, Default, Debug)]
pub(crate) struct StmtNews {
    /// Statements with changed values; may contain duplicates.
    pub(crate) touched: Vec<StmtId>,
    /// Statements were added, removed or reordered.
    pub(crate) are_others: bool,
}

/// The run-time state of a vertex.
#[derive(Clone, Default)]
struct Slot {
    state: VertexState,
    size: Size,
    queued: bool,
    /// The epoch of its last change.
    changed: u32,
    /// The value that a construct's current subgraph was made for.
    seen: Option<Box<Value>>,
    senses: Option<Box<Senses>>,
}

/// The result of a round.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// Every vertex has a value.
    Complete {
        /// Whether a value read by statements has changed since the last complete table.
        changed: bool,
    },
    /// Some vertex has no value yet.
    Waiting,
    /// The slice of work is used up, and the next call continues the round. The last complete table stays in effect.
    Underway,
    /// A failure that nothing caught; the last complete table stays in effect. Later rounds may be
    /// good again.
    Failed(Vec<Diagnostic>),
}

impl React {
    /// Creates a program. Nothing is evaluated before the first [`React::run`].
    pub fn new(ir: Arc<Ir>, files: Arc<MemoryWorld>) -> React {
        React::start(ir, files, fgraph::MAX_VERTICES, true)
    }

    /// The same with another limit on the number of vertices.
    pub fn within(ir: Arc<Ir>, files: Arc<MemoryWorld>, max_vertices: usize) -> React {
        React::start(ir, files, max_vertices, true)
    }

    /// The program as far as it is known without a host.
    pub(crate) fn without_host(ir: Arc<Ir>, files: Arc<MemoryWorld>) -> React {
        React::start(ir, files, fgraph::MAX_VERTICES, false)
    }

    fn start(ir: Arc<Ir>, files: Arc<MemoryWorld>, max_vertices: usize, has_host: bool) -> React {
        let mut diags = Diags::default();
        let graph = fgraph::build_within(&ir, max_vertices, &mut diags);
        let mut react = React {
            ir,
            graph,
            files,
            slots: Vec::new(),
            queue: Queue::default(),
            n_pending: 0,
            failed: BTreeSet::new(),
            versions: Vec::new(),
            n_versions: 0,
            changed: true,
            news: StmtNews::default(),
            facts: Facts::default(),
            late: BTreeMap::new(),
            is_interrupted: false,
            call: None,
            aside: None,
            is_rebuilt: false,
            is_good: false,
            wakes: BTreeSet::new(),
            now: 0,
            n_nonces: 0,
            n_evaluated: 0,
            n_held: 0,
            epoch: 1,
            was_complete: false,
            effort: Effort::new(ROUND),
            has_host,
            stuck: diags.into_vec().pop(),
        };
        react.take_changes();
        react
    }

    /// Evaluates in slices of this many units from now on; without this call, a round is not interrupted. See
    /// [`Outcome::Underway`].
    pub fn set_slice(&mut self, units: u64) {
        self.effort.set_slice(units);
    }

    /// Begins a slice of work, which all runs up to the next call share.
    pub fn begin_slice(&mut self) {
        self.effort.grant();
    }

    /// Whether something is left to be done, whatever happens.
    pub fn is_under_way(&self) -> bool {
        self.is_interrupted || self.aside.is_some() || !self.late.is_empty()
    }

    /// The host reports a fact.
    pub fn fact(&mut self, id: FactId, told: Result<Datum, HostError>) {
        // What waits already waits for its turn, with the latest value.
        let waits = match &self.aside {
            Some(aside) => self.facts.readers(id).any(|reader| aside.has(reader)) || self.late.contains_key(&id),
            None => !self.late.is_empty(),
        };
        if self.is_interrupted || waits {
            self.late.insert(id, told);
        } else {
            self.take_in(id, told);
        }
    }

    fn take_in(&mut self, id: FactId, told: Result<Datum, HostError>) {
        self.begin_epoch();
        for vertex in self.facts.tell(id, told, self.epoch) {
            self.enqueue(vertex);
        }
    }

    /// Facts to subscribe to and to unsubscribe from, since the last call.
    pub fn take_requests(&mut self) -> Vec<FactRequest> {
        // What is left within a round may be taken up again.
        if self.is_interrupted { Vec::new() } else { self.facts.requests() }
    }

    /// When [`React::run`] wants to be called again. Units: nanoseconds since the engine started.
    pub fn wake(&self) -> Option<u64> {
        let wake = self.wakes.first().map(|(at, _)| *at);
        wake.into_iter().chain(self.effort.wake()).min()
    }

    /// Gives each round another amount of work.
    #[cfg(test)]
    pub(crate) fn limit_work(&mut self, units: u64) {
        self.effort = Effort::new(units);
    }

    /// The number of evaluations since the start.
    pub fn n_evaluated(&self) -> u64 {
        self.n_evaluated
    }

    /// An estimate of the memory used by a copy. Units: bytes.
    pub(crate) fn weight(&self) -> usize {
        const VERTEX: usize = 512;
        VERTEX * self.slots.len() + self.n_held as usize
    }

    /// The current graph.
    pub fn graph(&self) -> &FuncGraph {
        &self.graph
    }

    /// The value of a vertex, if it has one.
    pub fn value(&self, id: VertexId) -> Option<&Value> {
        self.slots.get(id.0 as usize)?.state.value()
    }

    /// Applies additions to and removals from the graph.
    fn take_changes(&mut self) {
        // Exactly as many as needed: the first graph is often the only one.
        if self.slots.len() < self.graph.n_places() {
            self.slots.resize_with(self.graph.n_places(), Slot::default);
        }
        self.is_rebuilt |= !self.graph.changes.is_empty();
        for change in std::mem::take(&mut self.graph.changes) {
            match change {
                Change::Added(id) => {
                    if !self.begin_known(id) {
                        self.n_pending += 1;
                        self.enqueue(id);
                    }
                }
                Change::Removed(id) => {
                    if let Some(call) = self.call.take_if(|call| call.vertex() == id) {
                        self.forget(call);
                    }
                    let slot = std::mem::take(&mut self.slots[id.0 as usize]);
                    self.n_held -= slot.size.own();
                    match slot.state {
                        VertexState::Pending => self.n_pending -= 1,
                        VertexState::Value(_) => {}
                        VertexState::Failed(_) => {
                            self.failed.remove(&id);
                        }
                    }
                    if let Some(senses) = slot.senses {
                        senses.facts.iter().for_each(|fact| self.facts.leave(*fact, id));
                        if let Some(at) = senses.wake {
                            self.wakes.remove(&(at, id));
                        }
                    }
                }
                Change::Statement(id) => {
                    if self.versions.len() <= id.0 as usize {
                        self.versions.resize(id.0 as usize + 1, 0);
                    }
                    self.touch(id);
                    self.news.are_others = true;
                }
            }
        }
    }

    /// Statements were removed or reordered.
    fn restructured(&mut self) {
        self.changed = true;
        self.news.are_others = true;
        self.news.touched.clear();
    }

    /// Changes of the statements since the last call.
    pub(crate) fn take_stmt_news(&mut self) -> StmtNews {
        std::mem::take(&mut self.news)
    }

    fn touch(&mut self, id: StmtId) {
        self.n_versions += 1;
        self.versions[id.0 as usize] = self.n_versions;
        self.changed = true;
        if !self.news.are_others {
            self.news.touched.push(id);
        }
    }

    /// The graph became too large when this vertex was evaluated.
    fn too_large(&self, id: VertexId) -> Diagnostic {
        let vertex = self.graph.get(id);
        let growth = match vertex.map(|vertex| &vertex.op) {
            Some(Op::Loop { .. }) => Growth::Loop,
            Some(op @ Op::Iter { .. }) => op.function().map_or(Growth::Calls, Growth::Elements),
            Some(_) | None => Growth::Calls,
        };
        fgraph::too_large(self.graph.max_vertices, Stage::Stream, vertex.map(|vertex| vertex.span), growth)
    }
}
