//! [`Ir`]: the intermediate representation, a typed program in the form that is built into vertices.
//!
//! It owns everything that a running program needs from the compilation: which calls are in place and which are
//! dynamic, the types in labels, the statements. It is immutable, so it is shared. `emit` makes it.

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
    /// Id of the statements between braces; those of an included class body are part of the including block.
    BlockId,
    "b"
);

/// A program that is ready to be built and run.
#[derive(Debug)]
pub struct Ir {
    pub(crate) nodes: IndexVec<NodeId, IrNode>,
    pub(crate) defs: IndexVec<DefId, IrDef>,
    pub(crate) params: IndexVec<ParamId, Name>,
    pub(crate) loops: IndexVec<LoopId, IrLoop>,
    pub(crate) blocks: IndexVec<BlockId, Vec<IrStmt>>,
    /// Blocks that fail when they are built, with the reason.
    pub(crate) refused: FxHashMap<BlockId, Diagnostic>,
    /// The value of `$hostname`, one object for all its uses.
    pub(crate) hostname: Option<Arc<[u8]>>,
    pub(crate) root: BlockId,
}

impl Ir {
    /// Whether this literal is `$hostname`.
    pub(crate) fn is_hostname(&self, value: &Value) -> bool {
        matches!((value, &self.hostname), (Value::Str(text), Some(own)) if Arc::ptr_eq(text, own))
    }

    /// The kinds of the resources in a block, including nested blocks.
    pub(crate) fn kinds_in(&self, block: BlockId, kinds: &mut BTreeSet<Name>) {
        let mut work = vec![block];
        while let Some(block) = work.pop() {
            for stmt in &self.blocks[block] {
                match stmt {
                    IrStmt::Resource(stmt) => {
                        kinds.insert(stmt.kind.clone());
                    }
                    IrStmt::Edge(_) => {}
                    IrStmt::If { then, otherwise, .. } => work.extend([Some(*then), *otherwise].into_iter().flatten()),
                    IrStmt::For { body, .. } => work.push(*body),
                }
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct IrNode {
    pub(crate) kind: IrKind,
    pub(crate) span: Span,
    /// The kind of the expression's output vertex.
    pub(crate) output: OutputOf,
}

#[derive(Debug)]
pub(crate) enum IrKind {
    Const { value: Value, ty: Type },
    Composite(Arc<Composite>, Vec<NodeId>),
    Def(DefId),
    Param(ParamId),
    Call(Arc<IrCall>),
    Func(Arc<IrFunc>),
    If { cond: NodeId, then: NodeId, otherwise: NodeId },
    Except { main: NodeId, fallback: NodeId },
    Error,
}

/// How a composite literal is assembled.
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
pub(crate) struct IrCall {
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
    /// The function is statically known, and built in place if its output allows it.
    Known {
        func: NodeId,
        value: NodeId,
    },
    /// The function is known only at run time, as the value of this node.
    Dynamic(NodeId),
}

#[derive(Debug)]
pub(crate) struct IrFunc {
    pub(crate) params: Vec<ParamId>,
    pub(crate) body: NodeId,
    pub(crate) ty: Type,
    /// The environment of the body.
    pub(crate) home: Home,
}

/// The environment in which a function's body is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Home {
    /// Where the literal is evaluated.
    Here,
    /// A `func` statement: outside of everything, or in an iteration of the loop.
    Statement(Option<LoopId>),
}

/// The kind of an expression's output vertex, as far as it matters for calls in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OutputOf {
    /// A builtin that may be built in place.
    InPlace,
    /// Everything else.
    Apart,
    /// That of the vertex of a parameter or loop variable.
    Param(ParamId),
}

#[derive(Debug)]
pub(crate) struct IrDef {
    pub(crate) value: NodeId,
    pub(crate) iterated: Option<LoopId>,
}

#[derive(Debug)]
pub(crate) struct IrLoop {
    pub(crate) over: LoopOver,
    pub(crate) first: ParamId,
    pub(crate) second: ParamId,
}

#[derive(Debug)]
pub(crate) enum IrStmt {
    Resource(Arc<ResourceStmt>),
    Edge(Arc<EdgeStmt>),
    If { cond: NodeId, then: BlockId, otherwise: Option<BlockId>, span: Span },
    For { id: LoopId, subject: NodeId, body: BlockId, span: Span },
}

/// A resource statement for the interpreter. Node ids are resolved per instance.
#[derive(Debug)]
pub struct ResourceStmt {
    /// The kind.
    pub kind: Name,
    /// The node of its name.
    pub name: NodeId,
    /// Its items in order.
    pub items: Vec<ResourceItem>,
    /// The node of the hidden call of `_collect`, if any.
    pub collect: Option<NodeId>,
    /// Its span.
    pub span: Span,
    /// Span of the name.
    pub name_span: Span,
}

/// An item of a resource statement.
#[derive(Debug)]
pub struct ResourceItem {
    /// What it is.
    pub what: ItemOf,
    /// The value, or the name of an edge's target.
    pub value: NodeId,
    /// The type of the value.
    pub ty: Type,
    /// The condition before `?:`, if any.
    pub cond: Option<NodeId>,
    /// Its span.
    pub span: Span,
    /// Span of the value; outside the item if it is that of a variable.
    pub value_span: Span,
}

/// The kind of an item.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum ItemOf {
    /// A field.
    Field(Name),
    /// An edge to a resource of this kind. `target`: the place where it is named.
    Edge { property: EdgeProperty, kind: Name, target: Span },
    /// A meta parameter.
    Meta(MetaProperty),
    /// A struct of meta parameters.
    MetaStruct,
}

/// An edge statement.
#[derive(Debug)]
pub struct EdgeStmt {
    /// The halves in order.
    pub halves: Vec<EdgeHalf>,
    /// Its span.
    pub span: Span,
}

/// One end of an edge statement.
#[derive(Debug)]
pub struct EdgeHalf {
    /// The kind.
    pub kind: Name,
    /// The node of its name.
    pub name: NodeId,
    /// The sent or received field.
    pub field: Option<Name>,
    /// Its span.
    pub span: Span,
}
