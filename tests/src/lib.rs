//! Runs golden cases: text archives that hold a program and what must come of it.
//!
//! The last part of a folder's path says how its cases are judged ([`family::Family`]); the reader of
//! expectations is [`expect`]. The same runner takes the project's own corpus and any other folder. What a test
//! could not look at goes through [`left_out`].

pub mod case;
pub mod differences;
pub mod expect;
pub mod family;
pub mod host;
pub mod scenario;

pub use mclive_base::archive as txtar;
pub use mclive_kit::left_out;
