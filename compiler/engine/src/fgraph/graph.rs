//! [`FuncGraph`]: the vertices of a program, their edges, and their use counts.
//!
//! The graph lives as long as the program: `build` makes its first form, and the running program adds and removes parts
//! of it. Inputs keep the order of a function's parameters and may name one vertex twice, levels and use counts change
//! with each edge, and ids are reused: so this is not a library's graph.
//!
//! Invariants: an input's level is below that of its reader, so ascending levels are a topological order. A vertex is
//! removed as soon as it is neither read, held nor used as an input.

mod parts;

use super::accidents::Passed;
use super::env::{Bound, IterationId};
use super::op::Op;
use crate::define_id;
use crate::scope::linked::DefId;
use crate::span::Span;
use crate::types::Type;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pub(crate) use parts::{Part, Scope, StmtInst};

define_id!(
    /// Id of a vertex of the function graph. Reused after the vertex is gone.
    VertexId,
    "v"
);
define_id!(
    /// Id of one instance of a statement.
    StmtId,
    "s"
);

/// The default limit on the number of vertices.
pub(crate) const MAX_VERTICES: usize = 1 << 20;
/// The maximum level.
const MAX_LEVEL: u32 = 1 << 26;

/// One vertex. Its lists are stored in it while they are short.
#[derive(Clone, Debug)]
pub(crate) struct Vertex {
    pub(crate) op: Op,
    /// Where errors of this vertex are reported.
    pub(crate) span: Span,
    /// Room for those of an operator: its text and its operands.
    pub(crate) inputs: SmallVec<[Input; 3]>,
    pub(crate) outs: SmallVec<[Out; 2]>,
    pub(crate) level: u32,
    /// Distinguishes successive vertices with the same id.
    pub(crate) birth: u32,
    /// Statements that read the value; may contain duplicates.
    pub(crate) readers: SmallVec<[StmtId; 4]>,
    /// The number of outgoing edges, readers and holders.
    uses: u32,
    extra: Option<Box<Extra>>,
}

impl Vertex {
    /// Makes this vertex, `this`, feed one of the inputs of another one, which takes the result.
    fn feed(&mut self, to: VertexId, input: u32, this: VertexId) -> Input {
        let slot = self.outs.len() as u32;
        self.outs.push(Out { to, input });
        self.uses += 1;
        Input { from: this, slot }
    }
}

/// Fields that few vertices need.
#[derive(Clone, Default, Debug)]
struct Extra {
    /// Nearly always one.
    memos: SmallVec<[(DefId, Option<IterationId>); 1]>,
    held: Vec<VertexId>,
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Input {
    pub(crate) from: VertexId,
    /// Index in the source's `outs`.
    slot: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Out {
    pub(crate) to: VertexId,
    /// Index in the target's `inputs`.
    input: u32,
}

/// A change of the graph.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Added(VertexId),
    Removed(VertexId),
    /// A statement was added.
    Statement(StmtId),
}

/// The function graph.
#[derive(Clone, Default, Debug)]
pub struct FuncGraph {
    vertices: Vec<Option<Vertex>>,
    free: Vec<u32>,
    n_births: u32,
    n_iterations: u64,
    /// Built definitions: one vertex each, or one per iteration.
    memos: FxHashMap<(DefId, Option<IterationId>), VertexId>,
    /// Records of branches that are not built.
    pub(super) passed: Passed,
    stmts: Vec<Option<StmtInst>>,
    free_stmts: Vec<u32>,
    pub(crate) root: Scope,
    /// The level distance between a construct and its output: room for the attached subgraph.
    gap: u32,
    /// Vertices and statements added and removed since the last call, in order.
    pub(crate) changes: Vec<Change>,
    pub(crate) max_vertices: usize,
    /// It became too large or too deep.
    pub(crate) overflow: bool,
    /// The expression that was being built then.
    pub(super) overflow_at: Option<Span>,
}

impl FuncGraph {
    /// With room for this many vertices and statements: growing would copy large graphs, and temporarily need twice the
    /// memory.
    pub(crate) fn with_room(n_vertices: usize, n_stmts: usize, max_vertices: usize) -> FuncGraph {
        FuncGraph {
            vertices: Vec::with_capacity(n_vertices),
            stmts: Vec::with_capacity(n_stmts),
            changes: Vec::with_capacity(n_vertices + n_stmts),
            gap: 16,
            max_vertices,
            ..FuncGraph::default()
        }
    }

    /// The number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.vertices.len() - self.free.len()
    }

    /// Whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.n_vertices() == 0
    }

    /// All ids are below this number.
    pub(crate) fn n_places(&self) -> usize {
        self.vertices.len()
    }

    /// Releases memory reserved while building.
    pub(super) fn shrink(&mut self) {
        self.vertices.shrink_to_fit();
        self.stmts.shrink_to_fit();
    }

    /// Every vertex, by id.
    pub fn ids(&self) -> impl Iterator<Item = VertexId> {
        let present = self.vertices.iter().enumerate().filter(|(_, vertex)| vertex.is_some());
        present.map(|(index, _)| VertexId(index as u32))
    }

    /// The label that the printed graph shows.
    pub fn label(&self, id: VertexId) -> String {
        self.at(id).op.label()
    }

    /// The core function that a vertex calls, such as `iter.map`.
    pub fn function(&self, id: VertexId) -> Option<&'static str> {
        self.at(id).op.function()
    }

    /// The type of a vertex's value, if the vertex alone determines it.
    pub fn ty(&self, id: VertexId) -> Option<Type> {
        self.at(id).op.ty()
    }

    /// Where errors of a vertex are reported.
    pub fn span(&self, id: VertexId) -> Span {
        self.at(id).span
    }

    /// The level, above those of all inputs.
    pub fn level(&self, id: VertexId) -> u32 {
        self.at(id).level
    }

    pub(crate) fn get(&self, id: VertexId) -> Option<&Vertex> {
        self.vertices.get(id.0 as usize)?.as_ref()
    }

    /// An existing vertex.
    pub(crate) fn at(&self, id: VertexId) -> &Vertex {
        self.get(id).expect("the vertex is in the graph")
    }

    fn at_mut(&mut self, id: VertexId) -> &mut Vertex {
        self.vertices[id.0 as usize].as_mut().expect("the vertex is in the graph")
    }

    pub(crate) fn bound(&self, id: VertexId) -> Bound {
        Bound { vertex: id, birth: self.at(id).birth }
    }

    /// The bound vertex, unless it is gone.
    pub(crate) fn alive(&self, bound: Bound) -> Option<VertexId> {
        self.get(bound.vertex).filter(|vertex| vertex.birth == bound.birth).map(|_| bound.vertex)
    }

    /// Adds a vertex above `floor` and all its inputs.
    pub(crate) fn add(&mut self, op: Op, span: Span, inputs: &[VertexId], floor: u32) -> VertexId {
        let id = VertexId(self.free.pop().unwrap_or(self.vertices.len() as u32));
        let mut highest = floor;
        let mut connected: SmallVec<[Input; 3]> = SmallVec::with_capacity(inputs.len());
        for from in inputs {
            let input = connected.len() as u32;
            let source = self.at_mut(*from);
            highest = highest.max(source.level);
            connected.push(source.feed(id, input, *from));
        }
        let room = if matches!(op, Op::Output(_)) { self.gap } else { 0 };
        let held = if let Op::Call { args } = &op { args.clone() } else { Vec::new() };
        self.n_births += 1;
        let vertex = Vertex {
            op,
            span,
            inputs: connected,
            outs: SmallVec::new(),
            level: highest + 1 + room,
            birth: self.n_births,
            readers: SmallVec::new(),
            uses: 0,
            extra: None,
        };
        match self.vertices.get_mut(id.0 as usize) {
            Some(place) => *place = Some(vertex),
            None => self.vertices.push(Some(vertex)),
        }
        self.overflow |= self.n_vertices() > self.max_vertices;
        for arg in &held {
            self.hold(*arg);
        }
        if !held.is_empty() {
            self.extra(id).held = held;
        }
        self.changes.push(Change::Added(id));
        id
    }

    fn extra(&mut self, id: VertexId) -> &mut Extra {
        self.at_mut(id).extra.get_or_insert_default()
    }

    /// Makes `from` the last input of `to`.
    pub(crate) fn connect(&mut self, from: VertexId, to: VertexId) {
        let input = self.at(to).inputs.len() as u32;
        let source = self.at_mut(from);
        let level = source.level;
        let connected = source.feed(to, input, from);
        self.at_mut(to).inputs.push(connected);
        self.raise(to, level + 1);
    }

    /// Removes the last input; its source stays even if unused: the caller releases it.
    fn disconnect_last(&mut self, to: VertexId) -> Option<VertexId> {
        let Input { from, slot } = self.at_mut(to).inputs.pop()?;
        let outs = &mut self.at_mut(from).outs;
        outs.swap_remove(slot as usize);
        if let Some(moved) = outs.get(slot as usize).copied() {
            self.at_mut(moved.to).inputs[moved.input as usize].slot = slot;
        }
        Some(from)
    }

    /// Raises a vertex to at least `level`, and its dependants above it.
    fn raise(&mut self, id: VertexId, level: u32) {
        if self.at(id).level >= level {
            return;
        }
        let needed = level - self.at(id).level;
        // Bodies are often alike: after the first deep one, leave as much room everywhere.
        if matches!(self.at(id).op, Op::Output(_)) {
            self.gap = self.gap.max((self.gap + needed).min(4096));
        }
        let mut work = vec![(id, level)];
        while let Some((id, level)) = work.pop() {
            let gap = self.gap;
            let vertex = self.at_mut(id);
            if vertex.level >= level {
                continue;
            }
            vertex.level = if matches!(vertex.op, Op::Output(_)) { level + gap } else { level };
            let level = vertex.level + 1;
            if level > MAX_LEVEL {
                self.overflow = true;
                return;
            }
            work.extend(self.at(id).outs.iter().map(|out| (out.to, level)));
        }
    }

    /// Keeps a vertex in the graph until the matching release.
    pub(crate) fn hold(&mut self, id: VertexId) {
        self.at_mut(id).uses += 1;
    }

    pub(crate) fn set_span(&mut self, id: VertexId, span: Span) {
        self.at_mut(id).span = span;
    }

    /// The vertex of a definition, if it is built.
    pub(crate) fn memo(&self, def: DefId, iteration: Option<IterationId>) -> Option<VertexId> {
        self.memos.get(&(def, iteration)).copied()
    }

    pub(crate) fn remember(&mut self, def: DefId, iteration: Option<IterationId>, id: VertexId) {
        self.memos.insert((def, iteration), id);
        self.extra(id).memos.push((def, iteration));
    }

    pub(crate) fn new_iteration(&mut self) -> IterationId {
        self.n_iterations += 1;
        IterationId(self.n_iterations)
    }

    /// Ends one use of each vertex. Unused vertices are removed, and then those that only they used.
    pub(crate) fn release(&mut self, ids: impl IntoIterator<Item = VertexId>) {
        let mut work: Vec<VertexId> = ids.into_iter().collect();
        while let Some(id) = work.pop() {
            let vertex = self.at_mut(id);
            vertex.uses -= 1;
            if vertex.uses > 0 {
                continue;
            }
            while let Some(from) = self.disconnect_last(id) {
                work.push(from);
            }
            let vertex = self.vertices[id.0 as usize].take().expect("the vertex is in the graph");
            if let Some(extra) = vertex.extra {
                work.extend(extra.held);
                for memo in extra.memos {
                    if self.memos.get(&memo) == Some(&id) {
                        self.memos.remove(&memo);
                    }
                }
                for part in extra.parts {
                    let released = self.dissolve(part.scope);
                    work.extend(released);
                }
            }
            self.free.push(id.0);
            self.changes.push(Change::Removed(id));
        }
    }
}
