//! State that outlives a run, or this host: undo records, state files, and publications.

mod notes;
mod publications;
mod undo;

pub(crate) use notes::Notes;
pub(crate) use publications::{Publications, Published};
pub(crate) use undo::Undo;
