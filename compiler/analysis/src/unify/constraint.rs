//! [`Constraint`]: two types that must be equal, and what is blamed if they are not.

use super::table::TyId;
use crate::hir::MetaProperty;
use crate::scope::linked::{DefId, NodeId, ParamId};
use crate::span::Span;

/// The subject of a constraint, beyond the two types.
#[derive(Clone, Copy, Debug)]
pub(super) enum About {
    /// The type of this node; the finished type is checked against the node.
    Node(NodeId),
    /// The type of this parameter.
    Param(ParamId),
    /// The call at this node: its function takes these arguments.
    Call(NodeId),
    /// The value of a field of a resource.
    Field {
        /// Its name.
        name: &'static str,
        /// Its documentation.
        doc: &'static str,
        /// Its value.
        value: NodeId,
    },
    /// The value of a meta parameter.
    Property {
        /// Which one.
        property: MetaProperty,
        /// Its value.
        value: NodeId,
    },
    /// The name of a resource, which is this node.
    Name(NodeId),
    /// The struct of all meta parameters.
    Meta,
    /// An element of a list.
    Element {
        /// The element.
        element: NodeId,
        /// The list.
        list: NodeId,
    },
    /// A value in a map, which is this node.
    Value(NodeId),
    /// The value after the `else` of an expression.
    Branch {
        /// The expression.
        choice: NodeId,
        /// Its type.
        whole: TyId,
    },
    /// The argument of an include.
    ClassArg {
        /// The parameter with its value.
        arg: DefId,
        /// Where the argument is.
        place: Span,
    },
    /// The list of a loop, whose first variable has this type.
    Looped {
        /// It counts only if the loop is over a list.
        index: TyId,
    },
    /// Nothing further.
    Nothing,
}

/// What has a type that must be known after solving.
#[derive(Clone, Copy, Debug)]
pub(super) enum Subject {
    Node(NodeId),
    Param(ParamId),
}

impl About {
    /// What the type is of; `None`: the constraint only compares types.
    pub(super) fn subject(self) -> Option<Subject> {
        match self {
            About::Node(node) => Some(Subject::Node(node)),
            About::Param(param) => Some(Subject::Param(param)),
            About::Call(_)
            | About::Field { .. }
            | About::Property { .. }
            | About::Name(_)
            | About::Meta
            | About::Element { .. }
            | About::Value(_)
            | About::Branch { .. }
            | About::ClassArg { .. }
            | About::Looped { .. }
            | About::Nothing => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Constraint {
    /// The two types must be equal; errors blame `span`.
    Equal { want: TyId, got: TyId, span: Span, about: About },
    /// The definition's constraints go here, unless they occurred before.
    Def(DefId),
    /// Likewise those of a call's own copy of a function.
    Func(NodeId),
    /// An error found while collecting belongs here.
    Wrong(usize),
}

impl Constraint {
    /// The node whose type it is about.
    pub(super) fn node(&self) -> Option<NodeId> {
        match self {
            Constraint::Equal { about, .. } => match about.subject() {
                Some(Subject::Node(node)) => Some(node),
                Some(Subject::Param(_)) | None => None,
            },
            Constraint::Def(_) | Constraint::Func(_) | Constraint::Wrong(_) => None,
        }
    }
}
