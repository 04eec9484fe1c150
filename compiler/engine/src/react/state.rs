//! [`VertexState`]: a value, or the reason there is none.

use crate::diag::Diagnostic;
use crate::fgraph::VertexId;
use crate::span::Span;
use crate::value::Value;
use std::borrow::Cow;
use std::sync::Arc;

#[derive(Clone, Default, Debug)]
pub(super) enum VertexState {
    /// No value yet.
    #[default]
    Pending,
    Value(Value),
    /// A failure propagates along the edges in place of a value (language spec, 11.3).
    Failed(Arc<Failure>),
}

/// Why there is no value, with its origin.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) message: String,
    pub(super) catchable: bool,
    pub(super) why: Why,
    pub(super) span: Span,
    pub(super) origin: VertexId,
}

/// The kind of failure.
#[derive(Debug)]
pub(super) enum Why {
    /// Reported by a function, whose message is the reference implementation's.
    Function {
        /// The same in the words of the language, if the message is not.
        said: Option<String>,
        /// What to write instead, if the function knows that.
        help: Option<Cow<'static, str>>,
    },
    /// A value exceeds a limit of ours.
    TooBig,
    /// The statements of a block cannot be built.
    Block(Box<Diagnostic>),
}

impl VertexState {
    pub(super) fn value(&self) -> Option<&Value> {
        match self {
            VertexState::Value(value) => Some(value),
            VertexState::Pending | VertexState::Failed(_) => None,
        }
    }

    /// Whether readers can ignore the change.
    pub(super) fn is_same(&self, other: &VertexState) -> bool {
        match (self, other) {
            (VertexState::Pending, VertexState::Pending) => true,
            (VertexState::Value(a), VertexState::Value(b)) => a.is_same(b),
            (VertexState::Failed(a), VertexState::Failed(b)) => {
                Arc::ptr_eq(a, b) || a.origin == b.origin && a.span == b.span && a.message == b.message
            }
            (VertexState::Pending | VertexState::Value(_) | VertexState::Failed(_), _) => false,
        }
    }
}
