//! Locating modules: import strings, metadata files, inputs, and the search for remote modules. Language spec, 7.1, 7.7
//! and 7.8.

pub mod import_name;
pub mod input;
pub mod metadata;
mod url;
mod yaml;

pub use import_name::{ImportKind, ImportName};
pub use input::{Input, InputError};
pub use metadata::Metadata;
