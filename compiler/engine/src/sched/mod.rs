//! The scheduler: brings a host in line with a stream of resource graphs, and keeps it there.
//! Engine spec, 1-20, in the sans-IO form of its section 27.
//!
//! In: [`Scheduler::switch`] with a new graph, and a body's answers. Out: probes, steps and watches
//! for a body, and reports for people, from [`Scheduler::take_output`]. Nothing here waits: every
//! wait is state of a part, and one turn of [`Scheduler::settle`] lets every vertex go on that can.
//!
//! What is known stands in `state`, in parts that each keep their own. The files here are the rules; each
//! reads and changes parts by what they offer, and none sees into them.
//!
//! - `sync` replaces the graph by difference (`equal`, `join`), `exchange` a few fields in it; `prepare` starts what is
//!   new.
//! - `watch` and `step` say when a vertex is processed, `wait` whether it may be, `process` whether it must
//!   be looked at, `check` carries one check through looking, deciding and changing, and `finish` draws the
//!   conclusions.
//! - `again` repeats a look before it counts as a failure, `giveup` says what stands as failed, `flap` slows what is
//!   looked at too often.
//! - `part` takes who cannot be as wanted out of its group.
//! - `rehearse` says what of a plan is known, and `blocked` who waits behind a failure.
//! - `receive`, `notify`, `reverse` and `export` are what passes between resources, runs and hosts.
//! - `story` says in a word what became of a resource, and why.
//! - `converge` and `exit` say when all is quiet and when it ends; `inputs` and `report` are the border.
//!
//! Invariants (27.12): one check per vertex at a time; it starts only when every predecessor has
//! succeeded since the vertex last did; a semaphore is never held more often than its size; while
//! a graph waits to replace another no check starts; the same inputs give the same outputs.

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
use rustc_hash::FxHashMap;
use state::{
    Border, Causes, Clock, Conditions, Convergence, Course, Edges, Graph, Next, Notes, Pacing, Publications, Queue,
    Slot, Undo, Watches, Wires,
};
use std::sync::Arc;

/// The running graph with all that belongs to it.
pub struct Scheduler {
    options: Options,
    program: Arc<MemoryWorld>,
    clock: Clock,
    border: Border,
    course: Course,
    graph: Graph,
    edges: Edges,
    wires: Wires,
    queue: Queue,
    watches: Watches,
    conditions: Conditions,
    pacing: Pacing,
    causes: Causes,
    convergence: Convergence,
    undo: Undo,
    notes: Notes,
    publications: Publications,
    /// Those that leave their groups with the next graph.
    apart: Vec<ResourceId>,
}

impl Scheduler {
    /// A scheduler without a graph. Its tickets are odd, so that whoever shares a body with it can
    /// use the even ones.
    pub fn new(options: Options, now: Moment) -> Scheduler {
        let mut scheduler = Scheduler {
            clock: Clock::new(now),
            border: Border::default(),
            course: Course::default(),
            graph: Graph::default(),
            edges: Edges::default(),
            wires: Wires::default(),
            queue: Queue::default(),
            watches: Watches::default(),
            conditions: Conditions::default(),
            pacing: Pacing::default(),
            causes: Causes::default(),
            convergence: Convergence::new(options.converger_timeout, now),
            undo: Undo::default(),
            notes: Notes::default(),
            publications: Publications::default(),
            apart: Vec::new(),
            program: Arc::default(),
            options,
        };
        scheduler.queue.set_parallel(scheduler.options.parallel);
        scheduler.load_undo();
        scheduler
    }

    /// The options of a new deploy. Those that are part of a resource (`noop`, `sema`) count from
    /// the next graph on.
    pub(crate) fn set_options(&mut self, options: Options) {
        self.convergence.set_timeout(options.converger_timeout);
        self.queue.set_parallel(options.parallel);
        self.options = options;
        self.course.set_program_failed(false);
    }

    /// The files of a new deploy. Who is made of them and stays looks again.
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

    /// A new graph is to replace the running one as soon as no check is in flight. Only the newest
    /// that waits is kept.
    pub fn switch(&mut self, now: Moment, graph: Arc<ResGraph>, news: News) {
        self.advance(now);
        self.course.switch(graph, news);
        self.settle();
    }

    /// The program ended with an error, or (`false`) gives graphs again.
    pub(crate) fn set_program_failed(&mut self, now: Moment, failed: bool) {
        self.advance(now);
        self.course.set_program_failed(failed);
        self.settle();
    }

    /// The program computes, or has come to an end with that.
    pub(crate) fn set_program_at_work(&mut self, now: Moment, is_at_work: bool) {
        if self.course.set_program_at_work(is_at_work) {
            self.advance(now);
            self.settle();
        }
    }

    /// A graph was put in force, perhaps one of an earlier program.
    pub(crate) fn has_graph(&self) -> bool {
        self.course.has_graph()
    }

    /// The next thing for the body, in order.
    pub(crate) fn take_output(&mut self) -> Option<Output> {
        self.border.next_output()
    }

    /// When it must be called again at the latest.
    pub fn wake(&self) -> Option<Moment> {
        if self.course.has_ended() {
            return None;
        }
        [self.clock.next_at(), self.converge_at(), self.max_runtime_at()].into_iter().flatten().min()
    }

    #[cfg(test)]
    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    /// How many vertices and edges were looked at since the start: what the work is in proportion to.
    #[cfg(test)]
    pub(crate) fn n_visited(&self) -> u64 {
        self.queue.n_steps() + self.edges.n_visited()
    }

    /// The running graph, with received values in place.
    pub fn graph(&self) -> ResGraph {
        let mut places = FxHashMap::default();
        let mut graph = ResGraph::default();
        for &slot in self.graph.order() {
            places.insert(slot, graph.resources.push(self.graph.resource(slot).clone()));
        }
        graph.edges = self.edges.among(&places);
        graph
    }

    /// Takes in that time has passed: timers that are due come before what the call brings.
    fn advance(&mut self, now: Moment) {
        self.clock.advance(now);
        while let Some((key, timer)) = self.clock.due() {
            self.timer_fired(key, timer);
        }
    }

    /// Lets everything go on that can.
    fn settle(&mut self) {
        loop {
            match self.course.next() {
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
