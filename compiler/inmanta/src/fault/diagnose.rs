//! Faults as diagnostics of ours.

use super::{Fault, Texts, Warning};
use mclive_base::diag::{Diagnostic, Stage, codes};

/// A fault as a diagnostic.
pub fn diagnose(fault: &Fault, _texts: Texts<'_>) -> Vec<Diagnostic> {
    let _ = fault;
    vec![Diagnostic::error(codes::BUG, Stage::Scope, "")]
}

/// A warning as a diagnostic.
pub fn warning_diagnostic(_warning: &Warning) -> Diagnostic {
    Diagnostic::warning(codes::BUG, Stage::Scope, "")
}
