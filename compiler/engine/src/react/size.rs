//! How much the values of a running program take, and that it stays within bounds.
//!
//! Values share their parts, so a few lines can make one that is huge only when it is written out:
//! `$b = [$a, $a]`, and so on fifty times. What leaves the program is written out, and comparing
//! walks all of it, so the bound is on the size written out. Each vertex keeps an upper estimate
//! of its own, made of its inputs' estimates; only an estimate beyond the bound is looked at closely.

use super::React;
use super::state::{Failure, VertexState, Why};
use crate::corelib::{MAX_TEXT, Run};
use crate::fgraph::VertexId;
use crate::fgraph::op::Op;
use crate::value::{PART, Value};
use std::sync::Arc;

/// The size of one value, written out.
pub(super) const MAX_VALUE: u64 = 96 << 20;

/// What the arguments of one call may have together: a result is hardly bigger.
const MAX_ARGS: u64 = 4 * MAX_VALUE;

/// What all values of a program may have together, each part where it was made.
const MAX_HELD: u64 = 512 << 20;

/// What a vertex's value takes.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Size {
    /// Written out: never less than it is.
    written: u64,
    /// What was made here, and is no part of another vertex's value.
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
    /// The state, unless its value is out of bounds: then the failure to be. Notes its size.
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

    /// A call's arguments are too big together to be worked on.
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

    /// How big a list, map or struct is at most, where the vertex's inputs tell.
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

    /// The value is made by this vertex, and not handed on from another one.
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
