//! The second front end of mclive: the Inmanta modelling language, from models to resource graphs.
//!
//! ```text
//! load (lex > parse) > define > scope > eval > model > export > lower
//! ```
//!
//! The stages are named as those of the first front end where they do the same. Like all of the
//! compiler, this crate reads no clock, no file and no environment, and the same model always
//! gives the same result.

pub mod fault;
pub mod pattern;
pub mod value;

// Text to syntax trees.
pub mod ast;
pub mod lex;
pub mod load;
pub mod parse;

// What a model defines, and what its names mean.
pub mod define;
pub mod library;
pub mod program;
pub mod project;
pub mod scope;
pub mod template;

// What it comes to.
pub mod eval;

pub mod editor;
pub mod fmt;

pub mod export;
pub mod lower;
pub mod manual;
pub mod model;

mod compile;
mod environment;
mod understand;

pub use compile::{Compilation, Setup, compile};
pub use environment::Environment;
pub use understand::{Hosts, Understood, main_file, understand, understand_in};
