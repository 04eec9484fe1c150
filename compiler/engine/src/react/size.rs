//! Limits on the size of the values of a running program.
//!
//! Values share their parts, so a few lines can make one that is huge only when written out: `$b = [$a, $a]`, repeated
//! fifty times. Values leave the program written out, and comparisons walk all of them, so the limit applies to the
//! written size. Each vertex keeps an upper estimate, computed from its inputs' estimates; only an estimate above the
//! limit is measured.

use super::React;
use super::state::{Failure, VertexState, Why};
use crate::corelib::{MAX_TEXT, Run};
use crate::fgraph::VertexId;
use crate::fgraph::op::Op;
use crate::value::{PART, Value};
use std::sync::Arc;

/// The limit for one value, written out.
pub(super) const MAX_VALUE: u64 = 96 << 20;

/// The limit for all arguments of one call: a result is hardly bigger.
const MAX_ARGS: u64 = 4 * MAX_VALUE;

/// The limit for all values of a program, each part counted where it was made.
const MAX_HELD: u64 = 512 << 20;

/// The size of a vertex's value.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Size {
    /// Written out; an upper bound.
    written: u64,
    /// The part made here, not shared with another vertex's value.
    own: u64,
}

impl Size {
    pub(super) fn written(self) -> u64 {
        self.written
    }

    pub(super) fn own(self) -> u64 {
        self.own
    }
}

impl React {
    /// The state, or a failure if its value exceeds a limit. Records its size.
    pub(super) fn within_bounds(&mut self, id: VertexId, state: VertexState) -> VertexState {
        let (size, fault) = match &state {
            VertexState::Pending | VertexState::Failed(_) => (Size::default(), None),
            VertexState::Value(value) => self.measure(id, value),
        };
        let slot = &mut self.slots[id.0 as usize];
        let before = std::mem::replace(&mut slot.size, size);
        self.n_held = self.n_held + size.own - before.own;
        let fault = fault.or_else(|| {
            (size.own > before.own && self.n_held > MAX_HELD)
                .then(|| format!("the values of the program exceed {} MiB in total", MAX_HELD >> 20))
        });
        match fault {
            None => state,
            Some(message) => {
                self.n_held -= size.own;
                self.slots[id.0 as usize].size = Size::default();
                self.too_big(id, message)
            }
        }
    }

    /// Whether a call's arguments together exceed the limit.
    pub(super) fn has_big_args(&self, id: VertexId, values: &[Value]) -> bool {
        let inputs = self.graph.at(id).inputs.iter();
        let estimate = inputs.fold(0u64, |sum, input| sum.saturating_add(self.written(input.from)));
        let mut left = MAX_ARGS;
        estimate > MAX_ARGS
            && values.iter().any(|value| match value.written_size_within(left) {
                Some(size) => {
                    left -= size;
                    false
                }
                None => true,
            })
    }

    pub(super) fn too_big(&self, id: VertexId, message: String) -> VertexState {
        let span = self.graph.at(id).span;
        VertexState::Failed(Arc::new(Failure { message, catchable: false, why: Why::TooBig, span, origin: id }))
    }

    fn written(&self, id: VertexId) -> u64 {
        self.slots[id.0 as usize].size.written
    }

    fn measure(&self, id: VertexId, value: &Value) -> (Size, Option<String>) {
        let too_big = |max: u64| Some(format!("value larger than {} MiB", max >> 20));
        let shallow = match value {
            Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Func(_) => {
                return (Size { written: PART, own: 0 }, None);
            }
            Value::Str(bytes) => {
                let n = bytes.len() as u64;
                let own = if self.is_made_by(id) { n } else { 0 };
                let max = if own > 0 && self.is_pure(id) { MAX_TEXT as u64 } else { MAX_VALUE };
                return (Size { written: PART + n, own }, if n > max { too_big(max) } else { None });
            }
            Value::List(items) => items.len() as u64,
            Value::Map(entries) => 2 * entries.len() as u64,
            Value::Struct(parts) => parts.fields.len() as u64,
        };
        let (estimate, own) = match self.estimate(id) {
            Some(written) => (written, if self.is_made_by(id) { shallow * PART } else { 0 }),
            None => match value.written_size_within(MAX_VALUE) {
                Some(written) => (written, written),
                None => return (Size::default(), too_big(MAX_VALUE)),
            },
        };
        if estimate <= MAX_VALUE {
            return (Size { written: estimate, own }, None);
        }
        match value.written_size_within(MAX_VALUE) {
            Some(written) => (Size { written, own }, None),
            None => (Size::default(), too_big(MAX_VALUE)),
        }
    }

    /// An upper bound on the size of a list, map or struct, if the vertex's inputs determine one.
    fn estimate(&self, id: VertexId) -> Option<u64> {
        let vertex = self.graph.at(id);
        let whole = || vertex.inputs.iter().fold(PART, |sum, input| sum.saturating_add(self.written(input.from)));
        match &vertex.op {
            Op::Composite(_) | Op::Collect { .. } | Op::Sift | Op::Element { .. } | Op::Entry { .. } => Some(whole()),
            Op::Output(_) => Some(vertex.inputs.get(1).map_or(PART, |out| self.written(out.from))),
            Op::Builtin { def, .. } if def.is_lookup() => Some(whole()),
            Op::Builtin { .. } | Op::Const { .. } | Op::Key { .. } | Op::FuncValue(_) => None,
            Op::Call { .. } | Op::IfExpr { .. } | Op::Except { .. } | Op::IfStmt { .. } => None,
            Op::Loop { .. } | Op::Iter { .. } | Op::Gone => None,
        }
    }

    /// Whether the value is made by this vertex and not passed on from another one.
    fn is_made_by(&self, id: VertexId) -> bool {
        match &self.graph.at(id).op {
            Op::Output(_) | Op::Element { .. } | Op::Entry { .. } | Op::Key { .. } => false,
            Op::Builtin { def, .. } => !def.is_lookup(),
            Op::Const { .. } | Op::Composite(_) | Op::Collect { .. } | Op::Sift | Op::FuncValue(_) => true,
            Op::Call { .. } | Op::IfExpr { .. } | Op::Except { .. } | Op::IfStmt { .. } => true,
            Op::Loop { .. } | Op::Iter { .. } | Op::Gone => true,
        }
    }

    fn is_pure(&self, id: VertexId) -> bool {
        matches!(&self.graph.at(id).op, Op::Builtin { def, .. } if matches!(def.run, Run::Pure(_)))
    }
}
