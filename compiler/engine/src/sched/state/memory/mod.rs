//! What outlives a run, or this host: records of what is to be undone, state files, and what was published.

mod notes;
mod publications;
mod undo;

pub(crate) use notes::Notes;
pub(crate) use publications::Publications;
pub(crate) use undo::Undo;
