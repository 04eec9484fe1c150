//! The state of the linker besides its scopes and its result, in parts. The fields of a part are private: the files one
//! level up use its methods, so that its invariants are maintained in its own file. Parts know nothing of each other.
//!
//! | part | state |
//! |---|---|
//! | [`Bounds`] | how much of the limits is used |
//! | [`Reports`] | diagnostics, each once per place |
//! | [`Tasks`] | expressions still to be linked |

mod bounds;
mod reports;
mod tasks;

pub(super) use bounds::Bounds;
pub(super) use reports::Reports;
pub(super) use tasks::{Task, Tasks};
