//! The resource kinds, one file each, pure: declared data, validation, and the questions of
//! [`Kind`]. The engine asks, a host looks and changes; check and apply share `decide`.

pub mod compare;
pub mod decl;
pub mod kind;

pub use decl::{Field, HostType, KindDecl, Params, Sendable, Store, Traits};
pub use kind::{Claim, Decision, Direction, Kind, Members, Seen, Sent, Want, WantBatch};
