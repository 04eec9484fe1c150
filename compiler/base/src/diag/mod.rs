//! Diagnostics: one type for all messages about a program, and the register of codes.
//!
//! In: what a stage found wrong. Out: [`Diags`], in the order in which the stages' rules find things. Rendering is a
//! separate pass, one file per format.

pub mod codes;
mod diagnostic;
pub mod render_text;
pub mod suggest;

pub use codes::Code;
pub use diagnostic::{Diagnostic, Diags, Edit, Label, Severity, Stage};
