//! What the page knows and how it changes: one [`Model`], one [`Action`], one pure [`reduce()`].

mod action;
mod answers;
mod file;
mod learn;
mod model;
mod problem;
mod reduce;
pub mod share;
mod shared;
pub mod shows;

pub use action::Action;
pub use file::{Opened, opened};
pub use learn::{Learn, LearnShows, Learning, Load, Miss, Progress, Verdict, WelcomeShows};
pub use model::{
    Check, Flight, Lost, MAX_LOG, Model, Notice, Selection, Sim, Theme, Tone, View, WorkerState, is_error, is_main,
};
pub use problem::{Problem, ProblemEdit, problems, range_in_main};
pub use reduce::reduce;
pub use shared::Shared;
