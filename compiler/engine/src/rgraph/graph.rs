//! [`ResGraph`]: the resources that a program wants, and the edges between them. Plain data: it is
//! built anew for every set of values, and the scheduler brings its running graph in line with it.

use super::Meta;
use crate::define_id;
use crate::index::IndexVec;
use crate::kinds::{Kind, Member, Params, Want};
use crate::protocol::ResourceId;
use crate::span::Span;
use std::sync::Arc;

define_id!(
    /// A vertex of one resource graph. Dense; means nothing in another graph.
    VertexId,
    "v"
);

/// One declared thing.
#[derive(Clone)]
pub struct Resource {
    pub id: ResourceId,
    pub kind: &'static dyn Kind,
    pub params: Params,
    pub meta: Meta,
    /// Fields that get their value from another resource.
    pub receives: Vec<Receive>,
    /// Resources that were grouped into this one, in the order of merging.
    pub children: Vec<Arc<Resource>>,
    /// It was made from an undo record, to undo what another resource did.
    pub is_reversal: bool,
    /// Where the program says so; none for what no program said.
    pub span: Option<Span>,
}

/// A field that receives. Engine spec, 13.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Receive {
    /// Index into the receiver kind's fields.
    pub field: usize,
    pub from: ResourceId,
    /// The name of a sendable of the sender's kind.
    pub key: Arc<str>,
}

/// An order between two resources: `to` waits until `from` has settled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    pub from: VertexId,
    pub to: VertexId,
    /// `file[a] -> exec[b]`; merged edges have none.
    pub name: Arc<str>,
    pub notify: bool,
}

/// Resources and order. Invariant of a finished graph: acyclic, at most one edge per ordered pair.
#[derive(Clone, Default, Debug)]
pub struct ResGraph {
    pub resources: IndexVec<VertexId, Arc<Resource>>,
    pub edges: Vec<Edge>,
}

/// The next graph of a program.
pub enum NextGraph {
    Whole(ResGraph),
    /// The last one, with these in the places of others that have the same name, edges and meta parameters.
    Few(Vec<Changed>),
}

/// One resource that takes the place of another one in an otherwise unchanged graph.
#[derive(Clone)]
pub struct Changed {
    pub at: VertexId,
    pub before: Arc<Resource>,
    pub now: Arc<Resource>,
}

impl Resource {
    /// The resource as its kind sees it.
    pub fn want(&self) -> Want<'_> {
        Want {
            decl: self.kind.decl(),
            name: &self.id.name,
            params: &self.params,
            meta: &self.meta,
            children: &self.children,
        }
    }

    /// Its own identity and those of all its members.
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
