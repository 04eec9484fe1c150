//! [`Reports`]: diagnostics, each once per place.

use crate::diag::{Code, Diagnostic, Diags, Severity};
use crate::span::Span;
use rustc_hash::FxHashSet;

#[derive(Default)]
pub(in crate::scope) struct Reports {
    diags: Diags,
    /// The place and the message of each.
    known: FxHashSet<(Option<Span>, String)>,
}

impl Reports {
    /// Adds a diagnostic, unless it is there: copies of one text report the same.
    pub(in crate::scope) fn add(&mut self, diagnostic: Diagnostic) {
        let place = diagnostic.primary.as_ref().map(|label| label.span);
        if self.known.insert((place, diagnostic.message.clone())) {
            self.diags.push(diagnostic);
        }
    }

    /// The number of diagnostics, warnings included.
    pub(in crate::scope) fn n_all(&self) -> usize {
        self.diags.len()
    }

    pub(in crate::scope) fn n_errors(&self) -> usize {
        self.diags.iter().filter(|diagnostic| matches!(diagnostic.severity, Severity::Error | Severity::Bug)).count()
    }

    /// The diagnostics with a code.
    pub(in crate::scope) fn with_code(&self, code: Code) -> impl Iterator<Item = &Diagnostic> {
        self.diags.iter().filter(move |diagnostic| diagnostic.code == code)
    }

    /// Takes out all diagnostics so far.
    pub(in crate::scope) fn take(&mut self) -> Diags {
        std::mem::take(&mut self.diags)
    }

    /// Replaces those since then by what was taken out.
    pub(in crate::scope) fn put_back(&mut self, diags: Diags) {
        self.diags = diags;
    }
}
