//! [`Plan`]: the typed program in the form that is built into vertices.
//!
//! It owns all that a running program needs of the compilation: which call is in place and which
//! is dynamic, the labels' types, the statements. Nothing in it changes while the program runs, so
//! it is shared. `lower` makes it.

use crate::corelib::FnDef;
use crate::define_id;
use crate::diag::Diagnostic;
use crate::hir::{EdgeProperty, LoopOver, MetaProperty};
use crate::ident::Name;
use crate::index::IndexVec;
use crate::scope::linked::{DefId, LoopId, NodeId, ParamId};
use crate::span::Span;
use crate::types::{FuncType, Type};
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

define_id!(
    /// The statements between braces; those of an included class body stand in the including block.
    BlockId,
    "b"
);

/// A program that is ready to be built and run.
#[derive(Debug)]
pub struct Plan {
    pub(crate) nodes: IndexVec<NodeId, PlanNode>,
    pub(crate) defs: IndexVec<DefId, PlanDef>,
    pub(crate) params: IndexVec<ParamId, Name>,
    pub(crate) loops: IndexVec<LoopId, PlanLoop>,
    pub(crate) blocks: IndexVec<BlockId, Vec<PlanStmt>>,
    /// Blocks that fail when they are built, and why.
    pub(crate) refused: FxHashMap<BlockId, Diagnostic>,
    /// The value of `$hostname` at each of its uses, one object.
    pub(crate) hostname: Option<Arc<[u8]>>,
    pub(crate) root: BlockId,
}

impl Plan {
    /// This literal is the name of the host.
    pub(crate) fn is_hostname(&self, value: &Value) -> bool {
        matches!((value, &self.hostname), (Value::Str(text), Some(own)) if Arc::ptr_eq(text, own))
    }

    /// The kinds of the resources that a block makes, with the blocks in it.
    pub(crate) fn kinds_in(&self, block: BlockId, kinds: &mut BTreeSet<Name>) {
        let mut work = vec![block];
        while let Some(block) = work.pop() {
            for stmt in &self.blocks[block] {
                match stmt {
                    PlanStmt::Resource(stmt) => {
                        kinds.insert(stmt.kind.clone());
                    }
                    PlanStmt::Edge(_) => {}
                    PlanStmt::If { then, otherwise, .. } => {
                        work.extend([Some(*then), *otherwise].into_iter().flatten())
                    }
                    PlanStmt::For { body, .. } => work.push(*body),
                }
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct PlanNode {
    pub(crate) kind: PlanKind,
    pub(crate) span: Span,
    /// Where an expression's value comes from in the end.
    pub(crate) output: OutputOf,
}

#[derive(Debug)]
pub(crate) enum PlanKind {
    Const { value: Value, ty: Type },
    Composite(Arc<Composite>, Vec<NodeId>),
    Def(DefId),
    Param(ParamId),
    Call(Arc<PlanCall>),
    Func(Arc<PlanFunc>),
    If { cond: NodeId, then: NodeId, otherwise: NodeId },
    Except { main: NodeId, fallback: NodeId },
    Error,
}

/// What a literal of several parts puts together.
#[derive(Debug)]
pub(crate) struct Composite {
    pub(crate) ty: Type,
    pub(crate) form: Form,
}

#[derive(Debug)]
pub(crate) enum Form {
    List,
    /// Inputs are key 0, value 0, key 1, …
    Map,
    Struct(Vec<Name>),
}

#[derive(Debug)]
pub(crate) struct PlanCall {
    pub(crate) target: Target,
    pub(crate) args: Vec<NodeId>,
    /// The solved type of the function.
    pub(crate) ty: Arc<FuncType>,
    /// The calling module's directory, with a trailing slash.
    pub(crate) dir: Arc<str>,
    pub(crate) span: Span,
}

/// How a call is built (language spec, 10.4).
#[derive(Debug)]
pub(crate) enum Target {
    Builtin(&'static FnDef),
    /// The function is known before running, and is built in place where its output allows.
    Known {
        func: NodeId,
        value: NodeId,
    },
    /// Only the running program knows the function; the node gives it.
    Dynamic(NodeId),
}

#[derive(Debug)]
pub(crate) struct PlanFunc {
    pub(crate) params: Vec<ParamId>,
    pub(crate) body: NodeId,
    pub(crate) ty: Type,
    /// Whether it stands alone, as the function of a `func` statement or in a shared definition: then its
    /// surroundings are those of `iterated`, else those of the place where it is evaluated.
    pub(crate) home: Home,
}

/// In which surroundings a function's body is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Home {
    /// Where the literal is evaluated.
    Here,
    /// A `func` statement: outside of everything, or in an iteration of the loop.
    Statement(Option<LoopId>),
}

/// The kind of vertex that an expression's output is, as far as a call in place depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OutputOf {
    /// A builtin function that may be built in place.
    InPlace,
    /// Everything else.
    Apart,
    /// That of the parameter's or loop variable's vertex.
    Param(ParamId),
}

#[derive(Debug)]
pub(crate) struct PlanDef {
    pub(crate) value: NodeId,
    pub(crate) iterated: Option<LoopId>,
}

#[derive(Debug)]
pub(crate) struct PlanLoop {
    pub(crate) over: LoopOver,
    pub(crate) first: ParamId,
    pub(crate) second: ParamId,
}

#[derive(Debug)]
pub(crate) enum PlanStmt {
    Resource(Arc<ResourceStmt>),
    Edge(Arc<EdgeStmt>),
    If { cond: NodeId, then: BlockId, otherwise: Option<BlockId>, span: Span },
    For { id: LoopId, subject: NodeId, body: BlockId, span: Span },
}

/// A resource statement, as the interpreter reads it. Node ids are resolved per instance.
#[derive(Debug)]
pub struct ResourceStmt {
    pub kind: Name,
    pub name: NodeId,
    pub items: Vec<ResourceItem>,
    pub collect: Option<NodeId>,
    pub span: Span,
    pub name_span: Span,
}

#[derive(Debug)]
pub struct ResourceItem {
    pub what: ItemOf,
    /// The value, or the target's name of an edge.
    pub value: NodeId,
    pub ty: Type,
    pub cond: Option<NodeId>,
    pub span: Span,
    /// Where the value stands; outside of the item where it is that of a variable.
    pub value_span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ItemOf {
    Field(Name),
    Edge { property: EdgeProperty, kind: Name },
    Meta(MetaProperty),
    MetaStruct,
}

/// An edge statement.
#[derive(Debug)]
pub struct EdgeStmt {
    pub halves: Vec<EdgeHalf>,
    pub span: Span,
}

#[derive(Debug)]
pub struct EdgeHalf {
    pub kind: Name,
    pub name: NodeId,
    pub field: Option<Name>,
    pub span: Span,
}
