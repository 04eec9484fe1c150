//! The resource kinds, one file each, pure: declared data, validation, and the questions of
//! [`Kind`]. The engine asks, a host looks and changes; check and apply share `decide`.

pub mod compare;
pub mod decl;
pub mod kind;

pub use decl::{Field, HostType, KindDecl, Params, Sendable, Store, Traits};
pub use kind::{Claim, Decision, Direction, Kind, Members, Seen, Sent, Want, WantBatch};
pub mod sendrecv {
    pub fn check(_: &str, _: &str, _: &str, _: &str) -> Result<(), String> {
        Ok(())
    }
}
pub fn lookup(_: &str) -> Option<&'static dyn Kind> {
    None
}
pub fn all() -> impl Iterator<Item = &'static dyn Kind> {
    std::iter::empty()
}
