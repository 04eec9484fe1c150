//! One round: evaluates everything that depends on a change, each vertex after its inputs.
//!
//! A round may take several slices of work. It is interrupted between two vertices, or within a function that supports
//! this ([`Task`](crate::corelib::Task)), and continues there. Facts that arrive during a round wait for its end, so it
//! is computed from one set of facts, and ends however fast they change. If possible, the rest of the program does not
//! wait (`aside`).

use super::React;
use super::state::VertexState;
use crate::diag::Diagnostic;
use crate::fgraph::VertexId;
use crate::fgraph::op::Op;
use crate::value::Value;
use rustc_hash::FxHashSet;

/// Why a round ended early.
pub(super) enum Halt {
    /// The program exceeded a hard limit and stops permanently.
    Stuck(Diagnostic),
    /// The round's work is exhausted: vertices that were not evaluated stay marked.
    Exhausted(Diagnostic),
}

impl React {
    /// Marks a vertex for evaluation.
    pub(super) fn enqueue(&mut self, id: VertexId) {
        // It may have been removed since it was marked.
        let Some(vertex) = self.graph.get(id) else { return };
        let slot = &mut self.slots[id.0 as usize];
        if !slot.queued {
            slot.queued = true;
            self.effort.news();
            self.queue.push((vertex.level, id, vertex.birth));
        }
    }

    /// Gives a new vertex its value at once, if it depends on nothing: it needs no turn in a round, since its readers
    /// are new as well, or were just attached to it.
    pub(super) fn begin_known(&mut self, id: VertexId) -> bool {
        let Some(vertex) = self.graph.get(id) else { return false };
        if !matches!(&vertex.op, Op::Const { .. } | Op::Key { .. } | Op::FuncValue(_)) {
            return false;
        }
        let state = self.evaluate(id);
        self.n_evaluated += 1;
        self.charge_evaluation(id);
        match self.within_bounds(id, state) {
            state @ VertexState::Value(_) => {
                let slot = &mut self.slots[id.0 as usize];
                (slot.state, slot.changed) = (state, self.epoch);
                true
            }
            VertexState::Pending | VertexState::Failed(_) => false,
        }
    }

    /// Begins a round, or continues an interrupted one, until nothing is left to do (`true`) or the slice of work is
    /// used up.
    ///
    /// Errors: a bound was reached.
    pub(super) fn round(&mut self) -> Result<bool, Halt> {
        if !self.is_interrupted {
            self.effort.renew();
            self.is_rebuilt = false;
        }
        self.effort.enter();
        let ended = self.evaluate_queued(None);
        self.effort.leave();
        self.is_interrupted = matches!(ended, Ok(false));
        ended
    }

    /// `apart`: what had to be put aside with the call that is continued, and when this was determined.
    pub(super) fn evaluate_queued(&mut self, mut apart: Option<(FxHashSet<VertexId>, u64)>) -> Result<bool, Halt> {
        while !self.queue.is_empty() {
            if self.effort.work.is_due() {
                return Ok(false);
            }
            let Some((level, id, birth)) = self.queue.pop() else { break };
            let Some(vertex) = self.graph.get(id).filter(|vertex| vertex.birth == birth) else { continue };
            if vertex.level > level {
                // It was raised since: its turn comes later.
                self.queue.push((vertex.level, id, birth));
                continue;
            }
            self.slots[id.0 as usize].queued = false;
            if !self.is_calling(id) {
                self.n_evaluated += 1;
                self.charge_evaluation(id);
            }
            let state = self.evaluate(id);
            if self.effort.work.is_exhausted() {
                let diagnostic = self.too_much_work(id);
                self.enqueue(id);
                return Err(Halt::Exhausted(diagnostic));
            }
            if self.is_calling(id) {
                self.enqueue(id);
                self.put_aside(apart.take());
                continue;
            }
            let state = self.within_bounds(id, state);
            self.store(id, state);
            if self.graph.overflow {
                return Err(Halt::Stuck(self.too_large(id)));
            }
        }
        self.queue.shrink();
        Ok(true)
    }

    /// Sets a vertex's state; its readers are marked if it changed.
    fn store(&mut self, id: VertexId, state: VertexState) {
        let slot = &mut self.slots[id.0 as usize];
        if slot.state.is_same(&state) {
            return;
        }
        let counts = |state: &VertexState| match state {
            VertexState::Pending => (1, false),
            VertexState::Value(_) => (0, false),
            VertexState::Failed(_) => (0, true),
        };
        let ((pending, _), (pending_now, failed)) = (counts(&slot.state), counts(&state));
        let old = std::mem::replace(&mut slot.state, state);
        slot.changed = self.epoch;
        self.n_pending = self.n_pending + pending_now - pending;
        if failed {
            self.failed.insert(id);
        } else {
            self.failed.remove(&id);
        }
        for index in 0..self.graph.at(id).outs.len() {
            let reader = self.graph.at(id).outs[index].to;
            if !self.reads_the_same(id, &old, reader) {
                self.enqueue(reader);
            }
        }
        for index in 0..self.graph.at(id).readers.len() {
            let reader = self.graph.at(id).readers[index];
            self.touch(reader);
        }
    }

    /// Whether a reader takes one part of a list or map, and that part is unchanged. Such readers are skipped, however
    /// many there are: a change of one element costs only its dependants.
    fn reads_the_same(&self, id: VertexId, old: &VertexState, reader: VertexId) -> bool {
        let (Some(old), Some(new)) = (old.value(), self.value(id)) else { return false };
        let (old, new) = match &self.graph.at(reader).op {
            Op::Element { index, .. } => (element(old, *index), element(new, *index)),
            Op::Entry { key } => (entry(old, key), entry(new, key)),
            _ => return false,
        };
        matches!((old, new), (Some(old), Some(new)) if old.is_same(new))
    }
}

/// An element of a list.
pub(super) fn element(list: &Value, index: usize) -> Option<&Value> {
    list.as_list()?.get(index)
}

/// The entry of a map with exactly this key.
pub(super) fn entry<'a>(map: &'a Value, key: &Value) -> Option<&'a Value> {
    map.as_map()?.get_same(key)
}
