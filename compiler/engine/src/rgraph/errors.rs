//! Diagnostics about a program's resources. The checks are in `make` and `assemble`.

use crate::diag::{Code, Diagnostic, Stage, codes};
use crate::span::Span;

/// An error of interpretation at a place.
pub(super) fn at(code: Code, message: impl Into<String>, span: Span, here: &str) -> Diagnostic {
    Diagnostic::error(code, Stage::Interpret, message).at(span, here)
}

/// The maximum number of edges of a program. Each takes room in several tables; some million would fill a brain's
/// memory.
pub(super) const MAX_EDGES: usize = 250_000;

/// More edges than that.
pub(super) fn too_many_edges(span: Span) -> Diagnostic {
    let message = format!("the program creates more than {MAX_EDGES} edges");
    at(codes::TOO_MANY_EDGES, message, span, "too many edges")
        .help("an edge between two lists connects every pair: put a `noop` resource between the lists")
}

/// The part of a statement, unless it is in another file.
pub(super) fn within(part: Span, whole: Span) -> Span {
    let inside = part.file == whole.file && whole.start <= part.start && part.end <= whole.end;
    if inside { part } else { whole }
}
