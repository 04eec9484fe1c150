//! The state of an evaluation beside the [store](super::store), in parts. The fields of a part are private: the rules,
//! which are the files one level up, use its methods, so that its invariants are maintained in its own file.
//!
//! Parts know nothing of each other, except the ids of frames.
//!
//! | part | state |
//! |---|---|
//! | [`Frames`] | the running blocks, and those of namespaces and instances |
//! | [`Units`] | units of work, what they wait for, and the queue of jobs |
//! | [`Sinks`] | receivers of elements, and how much of their input is left |
//! | [`Promises`] | ends that a `for` or `if` keeps open |
//! | [`Closing`] | ends that may be closed, and their order |
//! | [`Indexes`] | instances by key, and lookups that wait for one |
//! | [`Account`] | the work done, and the bytes made |

mod account;
mod closing;
mod frames;
mod indexes;
mod promises;
mod sinks;
mod units;

pub(super) use account::Account;
pub(super) use closing::Closing;
pub(super) use frames::{Frame, FrameId, Frames};
pub(super) use indexes::Indexes;
pub(super) use promises::Promises;
pub(super) use sinks::Sinks;
pub(super) use units::{Job, Units};
