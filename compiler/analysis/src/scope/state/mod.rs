//! The state of the linker, in parts. The fields of a part are private: the files one level up use its methods, so that
//! its invariants are maintained in its own file. No part changes another one.
//!
//! | part | state |
//! |---|---|
//! | [`Bounds`] | how much of the limits is used, and the current statement |
//! | [`Reports`] | diagnostics, each once per place |
//! | [`Scopes`] | all scopes, and what lookups in them found |
//! | [`Prefixes`] | of one block: its imports, and its includes with an alias |
//! | [`Sites`] | the imports of files |
//! | [`Tasks`] | expressions still to be linked |
//! | [`Product`] | the result so far |
//!
//! The other two are next to their rules: the files that were read ([`super::files`]), and the order of the walk
//! ([`super::accidents`]).

mod bounds;
mod prefixes;
mod product;
mod reports;
mod scopes;
mod sites;
mod tasks;

pub(super) use bounds::Bounds;
pub(super) use prefixes::{Prefixes, Target};
pub(super) use product::Product;
pub(super) use reports::Reports;
pub(super) use scopes::{Opened, Scopes};
pub(super) use sites::{Site, SiteId, Sites};
pub(super) use tasks::{Task, Tasks};
