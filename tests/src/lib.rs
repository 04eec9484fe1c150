//! Runs golden cases: text archives with a program and its expected result.
//!
//! The last component of a folder's path determines how its cases are judged ([`family::Family`]); [`expect`] reads
//! expectations. The same runner is used for the project's own corpus and any other folder. Skipped checks are reported
//! through [`left_out`].

pub mod case;
pub mod differences;
pub mod expect;
pub mod family;
pub mod host;
pub mod models;
pub mod scenario;

pub use mclive_base::archive as txtar;
pub use mclive_kit::left_out;
