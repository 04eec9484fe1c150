//! After a round: determines the uncaught failures. Language spec, 11.3.

use super::React;
use super::state::{Failure, VertexState, Why};
use crate::diag::{Diagnostic, Stage, codes};
use crate::sort;
use std::collections::BTreeSet;
use std::sync::Arc;

impl React {
    /// The failures that end the program whatever is still unknown: uncatchable ones, and those read by a statement. A
    /// failure at another vertex without readers may still get some.
    pub(super) fn judge_known(&self) -> Vec<Diagnostic> {
        if self.n_pending == 0 {
            return self.judge();
        }
        let failed = self.failed.iter().filter_map(|id| match &self.slots[id.0 as usize].state {
            VertexState::Failed(failure) => Some((self.graph.at(*id), failure)),
            VertexState::Pending | VertexState::Value(_) => None,
        });
        let certain = failed.filter(|(vertex, failure)| !failure.catchable || !vertex.readers.is_empty());
        diagnostics(certain.map(|(_, failure)| failure).collect())
    }

    /// One diagnostic per failure that ends the program: uncatchable ones, and those that reached a sink, a vertex that
    /// feeds nothing or that a statement reads.
    ///
    /// Cost: proportional to the failed vertices.
    pub(super) fn judge(&self) -> Vec<Diagnostic> {
        let mut uncaught: Vec<&Arc<Failure>> = Vec::new();
        for id in &self.failed {
            let vertex = self.graph.at(*id);
            let VertexState::Failed(failure) = &self.slots[id.0 as usize].state else { continue };
            if !failure.catchable || vertex.outs.is_empty() || !vertex.readers.is_empty() {
                uncaught.push(failure);
            }
        }
        diagnostics(uncaught)
    }
}

fn diagnostics(mut uncaught: Vec<&Arc<Failure>>) -> Vec<Diagnostic> {
    // Uncatchable ones come first; then in the order of the text.
    sort::by_key(&mut uncaught, |failure| (failure.catchable, failure.span, failure.origin));
    let mut said = BTreeSet::new();
    uncaught.retain(|failure| said.insert((failure.span, failure.message.as_str())));
    uncaught.iter().map(|failure| diagnostic(failure)).collect()
}

fn diagnostic(failure: &Failure) -> Diagnostic {
    let (message, span) = (failure.message.clone(), failure.span);
    match &failure.why {
        Why::Function { said, help } => {
            let (code, here) = if failure.catchable {
                (codes::UNCAUGHT, "this fails")
            } else {
                (codes::FATAL, "this stops the program")
            };
            let diagnostic = match said {
                Some(said) => {
                    Diagnostic::error(code, Stage::Stream, said).at(span, here).note(format!("mgmt reports: {message}"))
                }
                None => Diagnostic::error(code, Stage::Stream, message).at(span, here),
            };
            let diagnostic = help.iter().fold(diagnostic, |diagnostic, help| diagnostic.help(&**help));
            if failure.catchable {
                return diagnostic.help("provide a fallback value: `... <|> fallback`");
            }
            diagnostic
        }
        Why::TooBig => Diagnostic::error(codes::VALUE_TOO_BIG, Stage::Stream, message)
            .at(span, "value too large")
            .help("a value that contains another one twice doubles in size at every step"),
        Why::Block(refused) => {
            let places = refused.primary.iter().chain(&refused.secondary);
            let diagnostic =
                Diagnostic::error(refused.code, Stage::Stream, message).at(span, "when this block is evaluated");
            let diagnostic = places.fold(diagnostic, |diagnostic, label| diagnostic.also(label.span, &label.text));
            refused.help.iter().fold(diagnostic, |diagnostic, help| diagnostic.help(help))
        }
    }
}
