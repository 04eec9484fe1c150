//! What the scheduler knows, in parts. The fields of a part are its own: whoever wants to know or to change
//! something calls what names it, so that what must hold within a part is held in its file alone.
//!
//! Parts know nothing of each other, but for the names of places and timers. The rules that tie them together are
//! the files one level up.
//!
//! | part | knows |
//! |---|---|
//! | [`Graph`] | the running resources, their order and their kinds |
//! | [`Edges`] | who goes before whom, who went last, and the notifications between them |
//! | [`Wires`] | who sends values, and what was sent last |
//! | [`Queue`] | whose turn it is, who runs, and who waits for room or a semaphore |
//! | [`Watches`] | the watch of each resource, and the events that came |
//! | [`Conditions`] | how each resource stands: right, dirty or given up, with what attempts are left |
//! | [`Pacing`] | rates, rests, and what the program itself made lately |
//! | [`Causes`] | what led to the next check of each |
//! | [`Convergence`] | the trackers of each, and since when all of them are on |
//! | [`Course`] | the graph that is to come, and the way out |
//! | [`Clock`] | the time, and what is to happen later |
//! | [`Border`] | tickets in flight, and what is to be said to the body |
//! | [`Undo`], [`Notes`], [`Publications`] | what outlives a run: records, state files, exports |

mod border;
mod cause;
mod clock;
mod condition;
mod convergence;
mod course;
mod edges;
mod graph;
mod memory;
mod pacing;
mod queue;
mod table;
mod watches;
mod wires;

pub(super) use border::{Border, Flight};
pub use cause::News;
pub(super) use cause::{Causes, Why};
pub(super) use clock::{Clock, Timer, TimerKey};
pub(super) use condition::{Conditions, Wait};
pub(super) use convergence::Convergence;
#[cfg(test)]
pub(super) use course::Mode;
pub(super) use course::{Changes, Course, Next, Pending};
pub(super) use edges::{Arrival, Edges};
pub(super) use graph::Graph;
pub(super) use memory::{Notes, Publications, Undo};
pub(super) use pacing::{Found, LONGEST_REST, Lineage, Pace, Pacing, QUIET, SeenFile};
pub(super) use queue::{CancelReason, Queue, Room, Run, Stage};
pub(super) use table::{Slot, Table};
pub(super) use watches::{Watches, Watching};
pub(super) use wires::Wires;
