//! Runs a program up to its first complete table, on a host that answers immediately: for checks, plans and tests.

use super::{FactRequest, Outcome, React};
use crate::diag::{Diagnostic, Stage, codes};
use crate::vocab::{Datum, FactSpec, HostError};

/// The host's answer to a fact at a moment (nanoseconds since the start); `None`: never.
pub type Answer<'a> = dyn FnMut(&FactSpec, u64) -> Option<Result<Datum, HostError>> + 'a;

/// How long the program may wait by its own clock. Units: nanoseconds.
const PATIENCE: u64 = 60_000_000_000;

/// Runs until every vertex has a value. The time jumps to each moment that the program waits for.
///
/// Errors: the failures of the first round that has any, or a value that never arrives.
pub(crate) fn first_table(react: &mut React, answer: &mut Answer<'_>) -> Result<(), Vec<Diagnostic>> {
    let mut now = 0;
    let mut subscribed: Vec<(super::FactId, FactSpec)> = Vec::new();
    loop {
        match react.run(now) {
            Outcome::Complete { .. } => return Ok(()),
            Outcome::Failed(failures) => return Err(failures),
            Outcome::Underway => continue,
            Outcome::Waiting => {}
        }
        let requests = react.take_requests();
        let mut answered = false;
        for request in requests {
            match request {
                FactRequest::Subscribe(id, spec) => {
                    if let Some(told) = answer(&spec, now) {
                        react.fact(id, told);
                        answered = true;
                    }
                    subscribed.push((id, spec));
                }
                FactRequest::Unsubscribe(id) => subscribed.retain(|(known, _)| *known != id),
            }
        }
        if answered {
            continue;
        }
        match react.wake() {
            Some(at) if at <= PATIENCE => {
                now = at;
                for (id, spec) in &subscribed {
                    if let Some(told) = answer(spec, now) {
                        react.fact(*id, told);
                    }
                }
            }
            Some(_) | None => return Err(vec![react.no_value()]),
        }
    }
}

impl React {
    /// Something has no value, and nothing can change that.
    fn no_value(&self) -> Diagnostic {
        let waiting = self.graph.ids().find(|id| {
            let slot = &self.slots[id.0 as usize];
            slot.senses.is_some() && matches!(slot.state, super::state::VertexState::Pending)
        });
        let diag = Diagnostic::error(codes::NO_VALUE, Stage::Stream, "a value that the program needs never arrives");
        match waiting {
            Some(id) => diag.at(self.graph.at(id).span, "no value yet"),
            None => diag,
        }
    }
}
