//! Diagnostics: one type for all messages about a program, and the register of codes.
//!
//! In: the problems that a stage found. Out: [`Diags`], in the order in which the rules of the stages find them.
//! Rendering is a separate pass, one file per format.

pub mod codes;
mod diagnostic;
pub mod render_text;
pub mod suggest;

pub use codes::Code;
pub use diagnostic::{Diagnostic, Diags, Edit, Label, Severity, Stage};
