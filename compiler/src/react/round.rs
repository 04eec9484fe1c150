//! One round: what depends on a change is evaluated, each vertex after its inputs.

use super::React;
use super::state::State;
use crate::diag::{Diagnostic, Stage, codes};
use crate::fgraph::VertexId;
use std::cmp::Reverse;

/// How many evaluations one round may take: a program that keeps making work for itself is stopped.
const MAX_EVALUATIONS: u64 = 50_000_000;

impl React {
    /// Marks a vertex for evaluation.
    pub(super) fn enqueue(&mut self, id: VertexId) {
        // It may have been removed since it was put down somewhere.
        let Some(vertex) = self.graph.get(id) else { return };
        let slot = &mut self.slots[id.0 as usize];
        if !slot.queued {
            slot.queued = true;
            self.queue.push(Reverse((vertex.level, id, vertex.birth)));
        }
    }

    /// Evaluates until nothing is left to do.
    ///
    /// Errors: the program grew or went on beyond all bounds.
    pub(super) fn round(&mut self) -> Result<(), Diagnostic> {
        let limit = self.n_evaluated + MAX_EVALUATIONS;
        while let Some(Reverse((level, id, birth))) = self.queue.pop() {
            let Some(vertex) = self.graph.get(id).filter(|vertex| vertex.birth == birth) else { continue };
            if vertex.level > level {
                // It was lifted since: its turn comes later.
                self.queue.push(Reverse((vertex.level, id, birth)));
                continue;
            }
            self.slots[id.0 as usize].queued = false;
            self.n_evaluated += 1;
            let state = self.evaluate(id);
            self.store(id, state);
            if self.graph.overflow {
                return Err(self.too_large());
            }
            if self.n_evaluated > limit {
                let message = format!("a change led to more than {MAX_EVALUATIONS} evaluations");
                return Err(Diagnostic::error(codes::ROUND_TOO_LONG, Stage::Stream, message)
                    .help("make lists shorter, or functions that call each other fewer"));
            }
        }
        Ok(())
    }

    /// Sets a vertex's state; those who read it are evaluated again if it changed.
    fn store(&mut self, id: VertexId, state: State) {
        let slot = &mut self.slots[id.0 as usize];
        if slot.state.is_same(&state) {
            return;
        }
        let counts = |state: &State| match state {
            State::Pending => (1, false),
            State::Value(_) => (0, false),
            State::Failed(_) => (0, true),
        };
        let ((pending, _), (pending_now, failed)) = (counts(&slot.state), counts(&state));
        slot.state = state;
        self.n_pending = self.n_pending + pending_now - pending;
        if failed {
            self.failed.insert(id);
        } else {
            self.failed.remove(&id);
        }
        for index in 0..self.graph.at(id).outs.len() {
            let reader = self.graph.at(id).outs[index].to;
            self.enqueue(reader);
        }
        for index in 0..self.graph.at(id).readers.len() {
            let reader = self.graph.at(id).readers[index];
            self.touch(reader);
        }
    }
}
