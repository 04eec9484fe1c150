//! The state of the page, and its changes: one [`Model`], one [`Action`], one pure [`reduce()`].

mod action;
mod answers;
mod compare;
mod file;
mod learn;
mod model;
mod offer;
mod outline;
pub mod pasted;
mod problem;
mod program;
mod reduce;
pub mod share;
mod shared;
pub mod shows;
mod staged;
pub mod time;
mod why;

pub use action::{Action, Tab};
pub use compare::{Difference, Kept, Values, differences};
pub use file::{Opened, opened};
pub use learn::{Learn, LearnShows, Learning, Load, Miss, Progress, Verdict, WelcomeShows};
pub use model::{
    Check, Flight, Lost, MAX_LOG, MAX_MARKS, Model, Notice, Saved, Section, Selection, Sim, Theme, Tone, View,
    WorkerState, is_error,
};
pub use offer::{Look, Offer, Offered, Recording};
pub use outline::{Fate, Fates};
pub use problem::{Problem, ProblemEdit, file_of, problems, range_in};
pub use program::{File, Program};
pub use reduce::reduce;
pub use shared::Shared;
pub use staged::Staged;
pub use why::{Chain, Moments, Why};
