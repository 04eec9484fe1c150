//! [`Vertex`]: the state of one running resource. Engine spec, 27.2.

use super::bucket::Bucket;
use super::cause::Why;
use super::pace::Pace;
use super::timers::TimerKey;
use crate::define_id;
use crate::protocol::{Moment, Ticket};
use crate::rgraph::Resource;
use crate::vocab::{Datum, Finding, Outcome, Probe};
use std::sync::Arc;

define_id!(
    /// A place in the running graph. Reused after its vertex was removed.
    Slot,
    "s"
);

define_id!(
    /// An edge of the running graph; renumbered at each switch.
    EdgeIx,
    "e"
);

/// A running resource.
pub(super) struct Vertex {
    /// As the program declared it.
    pub(super) declared: Arc<Resource>,
    /// The same with received values stored; shared with `declared` until one comes.
    pub(super) resource: Arc<Resource>,
    /// Look only: its own `noop`, or that of the whole program.
    pub(super) noop: bool,
    /// Sorted, no name twice.
    pub(super) semas: Arc<[String]>,
    pub(super) edges_in: Vec<EdgeIx>,
    pub(super) edges_out: Vec<EdgeIx>,
    /// Those of `edges_out` whose end `heeds`.
    pub(super) edges_told: Vec<EdgeIx>,
    /// Those of `edges_out` whose end has asked this one to go first, and waits for it.
    pub(super) edges_awaited: Vec<EdgeIx>,
    /// Does it go whenever those before it have succeeded again? Only who may hear something new of
    /// them need do so: who receives, who is notified, and who is never clean because it only looks,
    /// with all that come before such a one.
    /// The others go when something happened to them; until then their predecessors may succeed as
    /// often as they like without a thought for them (`wait`).
    pub(super) heeds: bool,
    /// For one that does not heed: were those before it asked to go first, since it last succeeded?
    pub(super) asked: bool,
    /// How many predecessors have to succeed before this one may go.
    pub(super) n_stale: usize,
    /// The number of the last successful step; 0: none yet.
    pub(super) ts: u64,
    /// The last check succeeded and nothing has happened since.
    pub(super) clean: bool,
    /// The watch is in place.
    pub(super) started: bool,
    /// Why it was given up.
    pub(super) failed: Option<String>,
    /// It was given up, and something happened to what it watches: it is looked at again.
    pub(super) looks_again: bool,
    /// Its records are read and written, so that it may be changed.
    pub(super) is_prepared: bool,
    pub(super) watching: Watching,
    /// Its watch is being put in place.
    pub(super) starting: bool,
    /// Attempts left; negative: for ever.
    pub(super) watch_budget: i16,
    /// Events that were received and not consumed yet.
    pub(super) n_events: u32,
    /// Is one of them a reason to look again, should it be given up?
    pub(super) has_news: bool,
    /// Do they come from the watch that is in place now?
    pub(super) events_current: bool,
    pub(super) want: bool,
    pub(super) busy: Busy,
    /// A semaphore was left for it when it was its turn in the queue, and it has not decided yet.
    pub(super) woken: bool,
    pub(super) bucket: Option<Bucket>,
    /// How often events made it be looked at, since it was last quiet.
    pub(super) pace: Option<Box<Pace>>,
    /// Does the next look follow from an event of its watch?
    pub(super) by_event: bool,
    /// Another one waits for it, so it does not rest before its next look.
    pub(super) is_hurried: bool,
    /// Does its watch tell by the clock?
    pub(super) is_periodic: bool,
    /// No step before this; `None`: never again.
    pub(super) limit_until: Option<Moment>,
    /// By index of `receives`: did a new value come since the last check without error?
    pub(super) changed: Vec<bool>,
    pub(super) kept: Option<Datum>,
    /// Is it in the queue of vertices to step?
    pub(super) queued: bool,
    /// How often its last failure was confirmed by another look.
    pub(super) n_confirmed: usize,
    /// What led to the next check.
    pub(super) why: Option<Why>,
    pub(super) trackers: Trackers,
    /// What was last published for it, encoded.
    pub(super) published: Option<Arc<[u8]>>,
}

/// The state of the watch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Watching {
    Off,
    /// The first event was self-made and no other will come.
    Once,
    On(Ticket),
    Polling(TimerKey),
    /// It failed and will be made again.
    Delayed(TimerKey),
}

/// What the worker is doing.
pub(super) enum Busy {
    /// Before its first event: records are being read or written.
    Preparing,
    Idle,
    Limited(Option<TimerKey>),
    /// Waiting for a semaphore, or for room among the checks in flight.
    Queued,
    RetryWait(TimerKey),
    /// It is looked at too often.
    Resting(TimerKey),
    Running(Box<Run>),
}

/// One check in flight.
pub(super) struct Run {
    pub(super) ticket: Ticket,
    pub(super) stage: Stage,
    /// What was asked for, as far as it tells differences of contents.
    pub(super) asked: Vec<Probe>,
    pub(super) findings: Vec<Finding>,
    pub(super) outcomes: Vec<Outcome>,
    /// How many findings or outcomes the ticket is to bring.
    pub(super) n_expected: usize,
    pub(super) n_rounds: usize,
    pub(super) refresh: bool,
    pub(super) managed: Arc<[String]>,
    pub(super) deadline: Option<TimerKey>,
    pub(super) cancelled: Option<CancelReason>,
    pub(super) began: Moment,
    /// Did publishing change the store?
    pub(super) export_changed: bool,
    pub(super) why: Option<Why>,
    /// Does it follow from an event of its watch?
    pub(super) by_event: bool,
    /// It began while nobody else had anything to do, so nobody was asked to go first. For invariants.
    #[cfg(test)]
    pub(super) is_alone: bool,
    /// An earlier look of this check that came to nothing.
    pub(super) earlier: Option<Earlier>,
    /// Does it wait for nothing slow?
    pub(super) is_quick: bool,
    /// Was something asked for that may not be done twice?
    pub(super) did_once: bool,
}

/// A look whose answers did not fit together, or whose change failed.
pub(super) struct Earlier {
    pub(super) findings: Vec<Finding>,
    pub(super) error: String,
    /// How many there were.
    pub(super) n_looks: usize,
    /// Did one of them change something before it failed?
    pub(super) changed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// Looking at, then writing, what is published.
    ExportLook,
    ExportWrite,
    Probing,
    Applying,
}

/// Why a running check was told to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CancelReason {
    /// Its watch failed.
    Restart,
    /// A person's second interrupt.
    Interrupt,
    /// It ran for longer than its `timeout`.
    Deadline,
}

/// The two trackers of convergence (engine spec, 17), as on or off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Trackers {
    pub(super) registered: bool,
    /// The watch is active.
    pub(super) first: bool,
    /// Nothing to do.
    pub(super) second: bool,
}

/// An edge of the running graph.
pub(super) struct RunEdge {
    pub(super) from: Slot,
    pub(super) to: Slot,
    pub(super) name: Arc<str>,
    pub(super) notify: bool,
    /// Something changed at `from`, and `to` has not taken notice yet.
    pub(super) refresh: bool,
    /// The check that runs at `to` knows of it.
    pub(super) noticed: bool,
    /// `to` waits for `from`, and is among its `edges_awaited`.
    pub(super) awaited: bool,
}

#[cfg(test)]
impl Vertex {
    pub(super) fn is_running(&self) -> bool {
        matches!(self.busy, Busy::Running(_) | Busy::Preparing)
    }
}
