//! The syntax of MCL: from the text of a file to its lowered module, and back to canonical text.
//!
//! ```text
//! lex > parse > lower        front::read_module, for the main file and each import
//!         |
//!        fmt
//! ```

use mclive_base::{define_id, diag, ident, index, property, sort, source, span, types, unicode, value};

pub mod lex;

pub mod ast;
pub mod parse;

pub mod fmt;

pub mod hir;
pub mod lower;

pub mod front;
