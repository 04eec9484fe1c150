//! The state of the scheduler, in parts. The fields of a part are private: other code uses its methods, so that its
//! invariants are maintained in its own file.
//!
//! Parts know nothing of each other, except places and timer keys. The rules that connect them are the files one level
//! up.
//!
//! | part | state |
//! |---|---|
//! | [`Graph`] | the running resources, their order and their kinds |
//! | [`Edges`] | the order of vertices, their last successes, and the notifications between them |
//! | [`Wires`] | senders, and the values sent last |
//! | [`Queue`] | vertices to step, running checks, and those waiting for room or a semaphore |
//! | [`Watches`] | the watch of each resource, and its events |
//! | [`Conditions`] | each resource's condition: clean, dirty or given up, with its remaining attempts |
//! | [`Pacing`] | rates, rests, and the program's own recent changes |
//! | [`Touches`] | in a plan: the paths that each looks at and changes |
//! | [`Causes`] | the causes of each next check |
//! | [`Convergence`] | the trackers of each, and since when all of them are on |
//! | [`Lifecycle`] | the next graph, and the end of the run |
//! | [`Clock`] | the time, and timers |
//! | [`Outbox`] | tickets in flight, and outputs for the body |
//! | [`Undo`], [`Notes`], [`Publications`] | state that outlives a run: records, state files, exports |

mod cause;
mod clock;
mod condition;
mod convergence;
mod edges;
mod graph;
mod lifecycle;
mod memory;
mod outbox;
mod pacing;
mod queue;
mod table;
mod touches;
mod watches;
mod wires;

pub use cause::News;
pub(super) use cause::{Causes, Why};
pub(super) use clock::{Clock, Timer, TimerKey};
pub(super) use condition::{Conditions, Wait};
pub(super) use convergence::Convergence;
pub(super) use edges::{Arrival, Edges};
pub(super) use graph::Graph;
#[cfg(test)]
pub(super) use lifecycle::Mode;
pub(super) use lifecycle::{Changes, Lifecycle, Next, Pending};
pub(super) use memory::{Notes, Publications, Published, Undo};
pub(super) use outbox::{Flight, Outbox};
pub(super) use pacing::{Found, LONGEST_REST, Lineage, Pace, Pacing, QUIET, SeenFile};
pub(super) use queue::{CancelReason, Queue, Room, Run, Stage};
pub(super) use table::{Slot, Table};
pub(super) use touches::Touches;
pub(super) use watches::{Watches, Watching};
pub(super) use wires::Wires;
