//! The second front end of mclive: the Inmanta modelling language, compiled from models to resource graphs.
//!
//! ```text
//! load (lex > parse) > define > scope > eval > model > export > lower
//! ```
//!
//! Stages with the same purpose are named as in the first front end. Like all of the compiler, this crate reads no
//! clock, no file and no environment, and the same model always gives the same result.

pub mod fault;
pub mod pattern;
pub mod value;

// Text to syntax trees.
pub mod ast;
pub mod lex;
pub mod load;
pub mod parse;
pub mod seek;

// The definitions of a model, and the meaning of its names.
pub mod define;
pub mod library;
pub mod program;
pub mod project;
pub mod scope;
pub mod template;

// Evaluation.
pub mod eval;

pub mod editor;
pub mod fmt;

pub mod constructs;
pub mod export;
pub mod lower;
pub mod manual;
pub mod model;
pub mod origin;
pub mod partial;

mod compile;
mod environment;
mod lost;
mod understand;

pub use compile::{Compilation, Setup, compile};
pub use environment::Environment;
pub use understand::{Hosts, Understood, main_file, understand, understand_in};
