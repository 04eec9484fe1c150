//! The scheduler: brings a host in line with a stream of resource graphs, and keeps it there.
//! Engine spec, 1-20, in the sans-IO form of its section 27.
//!
//! In: [`Scheduler::switch`] with a new graph, and a body's answers. Out: probes, steps and watches
//! for a body, and reports for people, from [`Scheduler::take_output`]. Nothing here waits: every
//! wait is state of a [`Vertex`], and one turn of [`Scheduler::settle`] lets every
//! vertex go on that can.
//!
//! - `sync` replaces the graph by difference (`equal`, `join`, `edges`); `prepare` starts what is new.
//! - `watch` and `step` say when a vertex is processed, `wait` whether it may be, `process` whether it must
//!   be looked at, `run` carries one check through looking, deciding and changing, and `finish` draws the
//!   conclusions.
//! - `again` repeats a look before it counts as a failure, `flap` slows what is looked at too often.
//! - `receive`, `notify`, `reverse` and `export` are what passes between resources, runs and hosts.
//! - `converge` and `exit` say when all is quiet and when it ends.
//!
//! Invariants (27.12): one check per vertex at a time; it starts only when every predecessor has
//! succeeded since the vertex last did; a semaphore is never held more often than its size; while
//! a graph waits to replace another no check starts; the same inputs give the same outputs.

mod again;
mod bucket;
mod cause;
mod converge;
mod diff;
mod edges;
mod equal;
mod exchange;
mod exit;
mod export;
mod finish;
mod flap;
mod inputs;
mod join;
mod notify;
mod own;
mod pace;
mod prepare;
mod process;
mod receive;
mod report;
mod reverse;
mod run;
mod sema;
mod step;
mod sync;
mod timers;
mod vertex;
mod wait;
mod watch;

#[cfg(test)]
mod tests;

pub use crate::rgraph::Record;
pub use cause::News;
use vertex::{Busy, EdgeIx, RunEdge, Slot, Vertex, Watching};

use crate::index::IndexVec;
use crate::protocol::{Moment, Options, Output, ResourceId, StopMode, Ticket};
use crate::rgraph::{ResGraph, Resource};
use crate::vocab::state;
use converge::Convergence;
use rustc_hash::FxHashMap;
use sema::Semaphores;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use timers::Timers;

/// So many checks are in flight at once that wait for no command. More would only fill memory: a host
/// looks at a few files at a time.
const MOST_QUICK: usize = 512;
/// For so many outputs room is kept while nothing is to be said.
const MANY_OUTPUTS: usize = 1024;

/// The running graph with all that belongs to it.
pub struct Scheduler {
    options: Options,
    now: Moment,
    mode: Mode,
    /// The rung of the ladder that was reached.
    rung: Option<StopMode>,
    /// The newest graph that waits until the running checks have ended.
    pending: Option<Pending>,
    /// Why it comes.
    news: News,
    /// Was a graph ever in force?
    has_graph: bool,
    /// Did the program end with an error, so that no further graph will come?
    program_failed: bool,

    slots: IndexVec<Slot, Option<Box<Vertex>>>,
    free: Vec<Slot>,
    /// Vertices in the order in which they were started: what comes before comes first.
    order: Vec<Slot>,
    /// By slot: its place in that order.
    turns: Vec<u32>,
    /// The same vertices in the order of the graph.
    placed: IndexVec<crate::rgraph::VertexId, Slot>,
    /// How many of the first of `placed` the program said; the others undo something.
    n_declared: usize,
    edges: IndexVec<EdgeIx, RunEdge>,
    /// Who may send, by identity: vertices that are not hidden, and their children.
    senders: FxHashMap<ResourceId, Slot>,
    /// What was sent last.
    sent: FxHashMap<ResourceId, Arc<Values>>,

    /// Vertices to step, in order.
    ready: VecDeque<Slot>,
    in_flight: FxHashMap<Ticket, Flight>,
    next_ticket: u64,
    n_running: usize,
    /// Those among them that wait for no command.
    n_quick: usize,
    /// Vertices that wait for room among the checks in flight.
    waiting_for_room: VecDeque<Slot>,
    timers: Timers,
    semaphores: Semaphores,
    /// The number of the last successful step.
    seq: u64,
    /// Attempts left, by identity, of those that had to be tried again.
    budgets: FxHashMap<ResourceId, i16>,

    /// The records of what is to be undone.
    undo: reverse::Undo,
    /// Writes to state files, one at a time for each resource.
    notes: FxHashMap<ResourceId, Note>,
    /// What was published by this program.
    publications: export::Publications,
    /// Paths of the resources that others may ask about, sorted; made when first asked for.
    managed: Option<Arc<[String]>>,

    convergence: Convergence,
    n_failed: usize,
    /// Those among them that each switch begins anew.
    n_rewatch: usize,
    /// Those that are only looked at.
    n_noop: usize,
    own_paths: own::OwnPaths,
    /// Those that were repaired several times, not long ago.
    restless: BTreeSet<Slot>,
    /// How many resources there are of each kind.
    by_kind: BTreeMap<Arc<str>, usize>,
    /// Vertices whose watch is being put in place for the first time.
    n_starting: usize,
    began: Moment,
    exit_status: i32,
    /// On the way out, past the last check.
    is_leaving: bool,
    /// How many vertices and edges were looked at since the start.
    n_visited: u64,
    outputs: VecDeque<Output>,
}

/// What a resource sent: the complete set, by name.
type Values = Vec<(&'static str, Option<crate::value::Value>)>;

/// A graph that waits.
enum Pending {
    Whole(Arc<ResGraph>),
    /// Exchanges in the graph that is in force.
    Few(BTreeMap<crate::rgraph::VertexId, Arc<Resource>>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Running,
    /// A graph waits; no check starts.
    Pausing,
    Exiting,
    Ended,
}

/// What a ticket was given out for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Flight {
    Watch(Slot),
    Check(Slot),
    PrepareLook(Slot),
    PrepareWrite(Slot),
    LoadUndo,
    Note(ResourceId),
    Prune(ResourceId, BTreeSet<String>),
}

/// A write to state files that is in flight, and the one that is to follow it.
struct Note {
    next: Vec<state::Step>,
}

impl Scheduler {
    /// A scheduler without a graph. Its tickets are odd, so that whoever shares a body with it can
    /// use the even ones.
    pub fn new(options: Options, now: Moment) -> Scheduler {
        let convergence = Convergence::new(options.converger_timeout, now);
        let mut scheduler = Scheduler {
            options,
            now,
            mode: Mode::Running,
            rung: None,
            pending: None,
            news: News::default(),
            has_graph: false,
            program_failed: false,
            slots: IndexVec::new(),
            free: Vec::new(),
            order: Vec::new(),
            turns: Vec::new(),
            placed: IndexVec::new(),
            n_declared: 0,
            edges: IndexVec::new(),
            senders: FxHashMap::default(),
            sent: FxHashMap::default(),
            ready: VecDeque::new(),
            in_flight: FxHashMap::default(),
            next_ticket: 1,
            n_running: 0,
            n_quick: 0,
            waiting_for_room: VecDeque::new(),
            timers: Timers::default(),
            semaphores: Semaphores::default(),
            seq: 0,
            budgets: FxHashMap::default(),
            undo: reverse::Undo::default(),
            notes: FxHashMap::default(),
            publications: export::Publications::default(),
            managed: None,
            convergence,
            n_failed: 0,
            n_noop: 0,
            own_paths: own::OwnPaths::default(),
            restless: BTreeSet::new(),
            n_rewatch: 0,
            by_kind: BTreeMap::new(),
            n_starting: 0,
            began: now,
            exit_status: crate::protocol::status::GOOD,
            is_leaving: false,
            n_visited: 0,
            outputs: VecDeque::new(),
        };
        scheduler.load_undo();
        scheduler
    }

    /// The options of a new deploy. Those that are part of a resource (`noop`, `sema`) count from
    /// the next graph on.
    pub(crate) fn set_options(&mut self, options: Options) {
        self.convergence.set_timeout(options.converger_timeout);
        self.options = options;
        self.program_failed = false;
    }

    /// A new graph is to replace the running one as soon as no check is in flight. Only the newest
    /// that waits is kept.
    pub fn switch(&mut self, now: Moment, graph: Arc<ResGraph>, news: News) {
        self.advance(now);
        match self.mode {
            Mode::Running | Mode::Pausing => {
                self.pending = Some(Pending::Whole(graph));
                self.news = std::mem::take(&mut self.news).then(news);
                self.mode = Mode::Pausing;
            }
            Mode::Exiting | Mode::Ended => {}
        }
        self.settle();
    }

    /// The program ended with an error, or (`false`) gives graphs again.
    pub(crate) fn set_program_failed(&mut self, now: Moment, failed: bool) {
        self.advance(now);
        self.program_failed = failed;
        self.settle();
    }

    /// The next thing for the body, in order.
    pub(crate) fn take_output(&mut self) -> Option<Output> {
        let output = self.outputs.pop_front();
        if output.is_none() && self.outputs.capacity() > MANY_OUTPUTS {
            // A start with ten thousand watches is over: its room is for what comes after it.
            self.outputs.shrink_to(MANY_OUTPUTS);
        }
        output
    }

    /// When it must be called again at the latest.
    pub fn wake(&self) -> Option<Moment> {
        if self.mode == Mode::Ended {
            return None;
        }
        [self.timers.next_at(), self.converge_at(), self.max_runtime_at()].into_iter().flatten().min()
    }

    /// How many vertices and edges were looked at since the start: what the work is in proportion to.
    #[cfg(test)]
    pub(crate) fn n_visited(&self) -> u64 {
        self.n_visited
    }

    /// The running graph, with received values in place.
    pub fn graph(&self) -> ResGraph {
        let mut place = FxHashMap::default();
        let mut graph = ResGraph::default();
        for &slot in &self.order {
            place.insert(slot, graph.resources.push(self.vertex(slot).resource.clone()));
        }
        let edges = self.edges.values();
        graph.edges = edges
            .map(|edge| crate::rgraph::Edge {
                from: place[&edge.from],
                to: place[&edge.to],
                name: edge.name.clone(),
                notify: edge.notify,
            })
            .collect();
        graph
    }

    /// Takes in that time has passed: timers that are due come before what the call brings.
    fn advance(&mut self, now: Moment) {
        self.now = self.now.max(now);
        while let Some((key, timer)) = self.timers.due(self.now) {
            self.timer_fired(key, timer);
        }
    }

    /// Lets everything go on that can.
    fn settle(&mut self) {
        loop {
            match self.mode {
                Mode::Running => match self.ready.pop_front() {
                    // It may have left meanwhile, or another one may have taken its slot.
                    Some(slot) if self.slots[slot].as_ref().is_some_and(|vertex| vertex.queued) => self.step(slot),
                    Some(_) => {}
                    None if self.admit() => {}
                    None => break,
                },
                Mode::Pausing if self.n_running == 0 && self.undo.is_answered() => self.commit(),
                Mode::Exiting if self.n_running == 0 => {
                    self.try_to_end();
                    break;
                }
                Mode::Pausing | Mode::Exiting | Mode::Ended => break,
            }
        }
        self.evaluate_convergence();
        self.evaluate_exit();
    }

    fn vertex(&self, slot: Slot) -> &Vertex {
        self.slots[slot].as_deref().expect("only slots in use are handed around")
    }

    fn vertex_mut(&mut self, slot: Slot) -> &mut Vertex {
        self.slots[slot].as_deref_mut().expect("only slots in use are handed around")
    }

    fn resource(&self, slot: Slot) -> &Arc<Resource> {
        &self.vertex(slot).resource
    }

    /// Lets a vertex be stepped once more.
    fn enqueue(&mut self, slot: Slot) {
        let vertex = self.vertex_mut(slot);
        if !std::mem::replace(&mut vertex.queued, true) {
            self.ready.push_back(slot);
        }
    }

    fn new_ticket(&mut self, flight: Flight) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 2;
        self.in_flight.insert(ticket, flight);
        ticket
    }

    /// The number of checks that are in flight, and of vertices that get ready.
    fn begin_running(&mut self) {
        self.n_running += 1;
    }

    fn end_running(&mut self) {
        self.n_running -= 1;
    }

    /// May one more check begin?
    fn has_room(&self) -> bool {
        let parallel = self.options.parallel as usize;
        (parallel == 0 || self.n_running < parallel) && self.n_quick < MOST_QUICK
    }

    /// Lets the first go on that waits for room, if there is any.
    fn admit(&mut self) -> bool {
        let slot = if self.has_room() { self.waiting_for_room.pop_front() } else { None };
        slot.inspect(|&slot| self.unqueue(slot)).is_some()
    }

    /// A vertex need not wait any more for a semaphore or for room: it may try.
    fn unqueue(&mut self, slot: Slot) {
        let vertex = self.vertex_mut(slot);
        vertex.busy = Busy::Idle;
        vertex.want = true;
        self.enqueue(slot);
    }

    #[cfg(test)]
    fn watching(&self, slot: Slot) -> Watching {
        self.vertex(slot).watching
    }
}
