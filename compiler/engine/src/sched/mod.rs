//! The scheduler: applies a stream of resource graphs to a host, and keeps it up to date. Engine spec, 1-20, in the
//! sans-IO form of its section 27.
//!
//! In: [`Scheduler::switch`] with a new graph, and a body's answers. Out: probes, steps and watches for a body, and
//! reports for users, from [`Scheduler::take_output`]. Nothing here blocks: every wait is state of a part, and one turn
//! of [`Scheduler::settle`] lets every vertex proceed that can.
//!
//! The state is in `state`, divided into parts that each encapsulate their fields. The files here are the rules; each
//! reads and changes parts through their methods.
//!
//! - `sync` replaces the graph by difference (`equal`, `join`), `exchange` a few fields in it; `prepare` starts what is
//!   new.
//! - `watch` and `step` decide when a vertex is processed, `wait` whether it may be, `process` whether it must be
//!   checked, `check` runs one check through looking, deciding and changing, and `finish` handles the consequences.
//! - `again` repeats a look before it counts as a failure, `giveup` handles failed resources, `flap` slows down those
//!   that are checked too often.
//! - `part` takes a failing member out of its group.
//! - `rehearse` determines what a plan can predict, and `blocked` reports resources blocked by a failure.
//! - `receive`, `notify`, `reverse` and `export` pass data between resources, runs and hosts.
//! - `story` summarises the outcome of a resource, and why.
//! - `converge` and `exit` decide when everything is quiet and when the run ends; `inputs` takes in what the body says,
//!   and `report` informs users.
//!
//! Invariants (27.12): one check per vertex at a time; it starts only when every predecessor has succeeded since the
//! vertex last did; a semaphore is never held more often than its size; while a graph waits to replace another no check
//! starts; the same inputs give the same outputs.

mod again;
mod blocked;
mod check;
mod conceal;
mod converge;
mod diff;
mod equal;
mod exchange;
mod exit;
mod export;
mod finish;
mod flap;
mod giveup;
mod inputs;
mod join;
mod notify;
mod part;
mod prepare;
mod process;
mod receive;
mod rehearse;
mod report;
mod reverse;
mod state;
mod step;
mod story;
mod sync;
mod wait;
mod watch;

#[cfg(test)]
mod tests;

pub use crate::rgraph::Record;
pub use state::News;

use crate::protocol::{Moment, Options, Output, ResourceId};
use crate::rgraph::ResGraph;
use crate::source::MemoryWorld;
use conceal::KnownSecrets;
use rustc_hash::FxHashMap;
use state::{
    Causes, Clock, Conditions, Convergence, Edges, Graph, Lifecycle, Next, Notes, Outbox, Pacing, Publications, Queue,
    Slot, Touches, Undo, Watches, Wires,
};
use std::sync::Arc;

/// The running graph with all its state.
#[derive(Clone)]
pub struct Scheduler {
    options: Options,
    program: Arc<MemoryWorld>,
    clock: Clock,
    outbox: Outbox,
    lifecycle: Lifecycle,
    graph: Graph,
    edges: Edges,
    wires: Wires,
    queue: Queue,
    watches: Watches,
    conditions: Conditions,
    pacing: Pacing,
    touches: Touches,
    causes: Causes,
    convergence: Convergence,
    undo: Undo,
    notes: Notes,
    publications: Publications,
    /// Resources that leave their groups with the next graph.
    apart: Vec<ResourceId>,
    known_secrets: KnownSecrets,
}

impl Scheduler {
    /// A scheduler without a graph. Its tickets are odd, so that another user of the body can use the even ones.
    pub fn new(options: Options, now: Moment) -> Scheduler {
        let mut scheduler = Scheduler {
            clock: Clock::new(now),
            outbox: Outbox::default(),
            lifecycle: Lifecycle::default(),
            graph: Graph::default(),
            edges: Edges::default(),
            wires: Wires::default(),
            queue: Queue::default(),
            watches: Watches::default(),
            conditions: Conditions::default(),
            pacing: Pacing::default(),
            touches: Touches::default(),
            causes: Causes::default(),
            convergence: Convergence::new(options.converger_timeout, now),
            undo: Undo::default(),
            notes: Notes::default(),
            publications: Publications::default(),
            apart: Vec::new(),
            known_secrets: KnownSecrets::default(),
            program: Arc::default(),
            options,
        };
        scheduler.queue.set_parallel(scheduler.options.parallel);
        scheduler.load_undo();
        scheduler
    }

    /// Sets the options of a new deploy. Those that are part of a resource (`noop`, `sema`) apply from the next graph
    /// on.
    pub(crate) fn set_options(&mut self, options: Options) {
        self.convergence.set_timeout(options.converger_timeout);
        self.queue.set_parallel(options.parallel);
        self.options = options;
        self.lifecycle.set_program_failed(false);
    }

    /// Sets the files of a new deploy. Resources that depend on them and stay are looked at again.
    pub(crate) fn set_program(&mut self, now: Moment, program: Arc<MemoryWorld>) {
        if *self.program == *program {
            return;
        }
        self.program = program;
        self.advance(now);
        let is_made = |slot: &Slot| self.graph.resource(*slot).kind.is_of_program();
        let made: Vec<Slot> = self.graph.said().filter(is_made).collect();
        for slot in made {
            self.watch_fired(slot, Some("the program's files".into()));
        }
        self.settle();
    }

    /// Requests that a new graph replaces the running one as soon as no check is in flight. Only the newest waiting
    /// graph is kept.
    pub fn switch(&mut self, now: Moment, graph: Arc<ResGraph>, news: News) {
        self.advance(now);
        self.lifecycle.switch(graph, news);
        self.settle();
    }

    /// Records that the program ended with an error, or (`false`) yields graphs again.
    pub(crate) fn set_program_failed(&mut self, now: Moment, failed: bool) {
        self.advance(now);
        self.lifecycle.set_program_failed(failed);
        self.settle();
    }

    /// The program computes, or has come to an end with that.
    pub(crate) fn set_program_at_work(&mut self, now: Moment, is_at_work: bool) {
        if self.lifecycle.set_program_at_work(is_at_work) {
            self.advance(now);
            self.settle();
        }
    }

    /// A graph was put in effect, perhaps one of an earlier program.
    pub(crate) fn has_graph(&self) -> bool {
        self.lifecycle.has_graph()
    }

    /// The next output for the body, in order.
    pub(crate) fn take_output(&mut self) -> Option<Output> {
        self.outbox.next_output()
    }

    /// The latest moment at which it must be called again.
    pub fn wake(&self) -> Option<Moment> {
        if self.lifecycle.has_ended() {
            return None;
        }
        [self.clock.next_at(), self.converge_at(), self.max_runtime_at()].into_iter().flatten().min()
    }

    /// An estimate of the memory used by a copy, with what leads to its graph. Units: bytes.
    pub(crate) fn weight(&self) -> usize {
        const RESOURCE: usize = 2 << 10;
        const EDGE: usize = 256;
        RESOURCE * self.graph.n_slots() + EDGE * self.edges.n_edges()
    }

    #[cfg(test)]
    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    /// The number of vertices and edges visited since the start: a measure of the work.
    #[cfg(test)]
    pub(crate) fn n_visited(&self) -> u64 {
        self.queue.n_steps() + self.edges.n_visited()
    }

    /// The running graph, with received values stored.
    pub fn graph(&self) -> ResGraph {
        let mut places = FxHashMap::default();
        let mut graph = ResGraph::default();
        for &slot in self.graph.order() {
            places.insert(slot, graph.resources.push(self.graph.resource(slot).clone()));
        }
        graph.edges = self.edges.among(&places);
        graph
    }

    /// Advances the time: due timers are handled before the input of the call.
    fn advance(&mut self, now: Moment) {
        self.clock.advance(now);
        while let Some((key, timer)) = self.clock.due() {
            self.timer_fired(key, timer);
        }
    }

    /// Lets everything proceed that can.
    fn settle(&mut self) {
        loop {
            match self.lifecycle.next() {
                Next::Step => match self.queue.pop() {
                    Some(slot) => self.step(slot),
                    None if self.queue.admit() => {}
                    None => break,
                },
                Next::Switch if self.queue.n_running() == 0 && self.undo.is_answered() => self.commit(),
                Next::Leave if self.queue.n_running() == 0 => {
                    self.try_to_end();
                    break;
                }
                Next::Switch | Next::Leave | Next::Nothing => break,
            }
        }
        self.evaluate_convergence();
        self.evaluate_exit();
    }
}
