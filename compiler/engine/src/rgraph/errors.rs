//! What this stage says about a program's resources. The checks are in `make` and `assemble`.

use crate::diag::{Code, Diagnostic, Stage};
use crate::span::Span;

/// An error of interpretation at a place.
pub(super) fn at(code: Code, message: impl Into<String>, span: Span, here: &str) -> Diagnostic {
    Diagnostic::error(code, Stage::Interpret, message).at(span, here)
}

/// The part of a statement, unless it stands in another file than the statement.
pub(super) fn within(part: Span, whole: Span) -> Span {
    let inside = part.file == whole.file && whole.start <= part.start && part.end <= whole.end;
    if inside { part } else { whole }
}
