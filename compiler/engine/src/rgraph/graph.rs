//! [`ResGraph`]: the resources that a program wants, and the edges between them. Plain data: it is built for every set
//! of values, and the scheduler updates its running graph to match.

use super::Meta;
use crate::define_id;
use crate::index::IndexVec;
use crate::kinds::{Kind, Member, Params, Want, lookup, secrets};
use crate::protocol::ResourceId;
use crate::span::Span;
use crate::value::Value;
use std::sync::Arc;

define_id!(
    /// Id of a vertex of one resource graph. Dense; meaningless in another graph.
    VertexId,
    "v"
);

/// One declared resource.
#[derive(Clone)]
pub struct Resource {
    /// Kind and name.
    pub id: ResourceId,
    /// Its kind.
    pub kind: &'static dyn Kind,
    /// Its fields.
    pub params: Params,
    /// Its meta parameters, shared with other resources of its statement.
    pub meta: Arc<Meta>,
    /// Fields that receive their value from another resource.
    pub receives: Vec<Receive>,
    /// Fields with secrets that their kind does not mark: another host has sealed them for this one, or a resource such as
    /// `value` passes them on from a sender of secrets. Sorted.
    pub secret_fields: Vec<usize>,
    /// Resources grouped into this one, in the order of merging.
    pub children: Vec<Arc<Resource>>,
    /// Whether it was made from an undo record, to undo another resource.
    pub is_reversal: bool,
    /// Where it is declared; `None` if it is not in the program.
    pub span: Option<Span>,
}

/// A field that receives a value. Engine spec, 13.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Receive {
    /// Index into the receiver kind's fields.
    pub field: usize,
    /// The sender.
    pub from: ResourceId,
    /// The sendable of the sender's kind.
    pub key: Arc<str>,
}

impl Receive {
    /// Whether a sender of secrets sends the value.
    pub(super) fn is_secret(&self) -> bool {
        lookup(&self.from.kind).is_some_and(|kind| kind.decl().traits.sends_secrets)
    }
}

/// An order between two resources: `to` waits until `from` has settled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The resource that goes first.
    pub from: VertexId,
    /// The resource that waits.
    pub to: VertexId,
    /// `file[a] -> exec[b]`; empty for merged edges.
    pub name: Arc<str>,
    /// Whether changes of `from` notify `to`.
    pub notify: bool,
}

/// Resources and order. Invariant of a finished graph: acyclic, at most one edge per ordered pair.
#[derive(Clone, Default, Debug)]
pub struct ResGraph {
    /// All resources.
    pub resources: IndexVec<VertexId, Arc<Resource>>,
    /// All edges.
    pub edges: Vec<Edge>,
    /// Resources that the program has, but cannot describe at the moment. They are not vertices.
    pub left_out: Vec<LeftOut>,
}

/// A resource that the program has, but cannot describe at the moment, for example because a value is unknown. It is
/// not applied, and an undo record of it from an earlier graph is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LeftOut {
    /// Its name is known.
    Named {
        /// Kind and name.
        id: ResourceId,
        /// It is certain that it is not purged later (`Meta::purge`): a record that would do so is dropped.
        is_spared: bool,
    },
    /// It may be any resource of this kind, so none of them is purged.
    Unnamed {
        /// The kind.
        kind: &'static str,
    },
}

impl LeftOut {
    /// Its id, if its name is known.
    pub fn id(&self) -> Option<&ResourceId> {
        match self {
            LeftOut::Named { id, .. } => Some(id),
            LeftOut::Unnamed { .. } => None,
        }
    }

    /// Whether its name is not known, and it is of this kind.
    pub(crate) fn may_be_any(&self, of_kind: &str) -> bool {
        match self {
            LeftOut::Named { .. } => false,
            LeftOut::Unnamed { kind } => *kind == of_kind,
        }
    }
}

/// The next graph of a program.
pub enum NextGraph {
    /// A complete graph.
    Whole(ResGraph),
    /// The last graph with some resources replaced; their names, edges and meta parameters are the same.
    Few(Vec<Changed>),
}

/// A resource replaced in an otherwise unchanged graph.
#[derive(Clone)]
pub struct Changed {
    /// Its vertex.
    pub at: VertexId,
    /// The old resource.
    pub before: Arc<Resource>,
    /// The new resource.
    pub now: Arc<Resource>,
}

impl Resource {
    /// The resource in the form that its kind takes.
    pub fn want(&self) -> Want<'_> {
        Want {
            decl: self.kind.decl(),
            name: &self.id.name,
            params: &self.params,
            meta: &self.meta,
            children: &self.children,
        }
    }

    /// Whether the value of this field is a secret, regardless of its kind.
    pub(crate) fn receives_secret(&self, field: usize) -> bool {
        let mut wires = self.receives.iter().filter(|wire| wire.field == field);
        self.secret_fields.contains(&field) || wires.any(Receive::is_secret)
    }

    /// The part of a field's value that may be displayed.
    pub fn shown(&self, field: usize, value: &Value) -> Value {
        match self.secret_fields.contains(&field) {
            true => Value::str(secrets::SHOWN),
            false => secrets::shown(&self.kind.decl().fields[field], value),
        }
    }

    /// Its own id and those of all its members.
    pub fn ids(&self) -> Vec<&ResourceId> {
        let mut ids = vec![&self.id];
        ids.extend(self.children.iter().flat_map(|child| child.ids()));
        ids
    }
}

impl Member for Resource {
    fn want(&self) -> Want<'_> {
        self.want()
    }
}

impl std::fmt::Debug for Resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.id)
    }
}
