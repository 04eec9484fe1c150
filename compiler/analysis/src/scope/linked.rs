//! [`Linked`]: the program after name resolution.
//!
//! Every use points at its definition. What is polymorphic is copied per use: the function of a
//! `func` statement for each call, a class body for each include (language spec, 6.8), so that
//! inference and the function graph give each copy types and vertices of its own. Binds and class
//! arguments are shared definitions. Only what a statement can reach is here, and a statement that
//! only defines is not. (The arenas may hold more: what was only looked at for its errors. Walk
//! from [`Linked::root`].)
//!
//! Definitions never lead back to themselves, but their chains may be long: walk them without
//! recursion, or count.

use crate::corelib::FnDef;
use crate::define_id;
use crate::hir::{EdgeProperty, LoopOver, MetaProperty};
use crate::ident::Name;
use crate::index::IndexVec;
use crate::span::{FileId, Span};
use crate::types::Type;
use crate::value::Value;
use rustc_hash::FxHashSet;

define_id!(
    /// A node: one occurrence of an expression, after copying.
    NodeId,
    "n"
);
define_id!(
    /// A shared definition: a bind, or an argument of one include.
    DefId,
    "d"
);
define_id!(
    /// A function parameter, or a loop variable.
    ParamId,
    "p"
);
define_id!(
    /// A `for` or `forkv` statement, after copying.
    LoopId,
    "l"
);
define_id!(
    /// A directory that relative file functions start from.
    DirId,
    "dir"
);

/// The whole program, linked.
#[derive(Debug, Default)]
pub struct Linked {
    pub nodes: IndexVec<NodeId, Node>,
    pub defs: IndexVec<DefId, Def>,
    pub params: IndexVec<ParamId, Param>,
    pub loops: IndexVec<LoopId, Loop>,
    /// Module directories, each with a trailing slash.
    pub dirs: IndexVec<DirId, String>,
    pub root: Block,
    /// For editor services: where each name that is used is defined, by place.
    pub uses: Vec<Use>,
    /// Likewise the aliases that dotted names begin with, and star imports (`*`) that a name comes
    /// through: the place of the whole name, and the import or include.
    pub aliases: Vec<Use>,
    /// The files that imports brought, by the import's path.
    pub imports: Vec<(Span, FileId)>,
    /// Where `$hostname` is used: the one literal that is another one on each host.
    pub hostnames: FxHashSet<Span>,
    /// The bodies of classes that nothing includes, when they were asked for.
    pub aside: Vec<Block>,
}

/// A use of a name and its definition. Names of the core library have none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Use {
    pub name: Name,
    pub span: Span,
    /// The name in the definition.
    pub definition: Span,
}

#[derive(Debug)]
pub struct Node {
    pub kind: NodeKind,
    /// Where it stands. The function of a `func` statement's copy has the span of its call (of
    /// several calls, inside of a loop, the last one): that is what errors blame (9.4).
    pub span: Span,
    /// A type that was set before inference (typed bind, string with holes).
    pub known: Option<Type>,
}

#[derive(Debug)]
pub enum NodeKind {
    /// A literal; also a builtin variable that is inserted like one (`$hostname`): a vertex of its
    /// own at each use.
    Const(Value),
    List(Vec<NodeId>),
    Map(Vec<(NodeId, NodeId)>),
    Struct(Vec<(Name, NodeId)>),
    /// A use of a shared definition.
    Def(DefId),
    /// A use of a function parameter or loop variable.
    Param(ParamId),
    Call(Call),
    Func(Func),
    If {
        cond: NodeId,
        then: NodeId,
        otherwise: NodeId,
    },
    Except {
        main: NodeId,
        fallback: NodeId,
    },
    /// Already reported; whatever touches it stays quiet.
    Error,
}

#[derive(Debug)]
pub struct Call {
    pub callee: Callee,
    pub args: Vec<NodeId>,
    /// The name as written (`fmt.printf`, `$f` without the dollar, empty for a literal): messages
    /// and editor services show it.
    pub name: Name,
    pub callee_span: Span,
    /// What `deploy.*` is relative to: the module in which the call is written.
    pub dir: DirId,
}

#[derive(Debug)]
pub enum Callee {
    Builtin(&'static FnDef),
    /// This call's own copy of a `func` statement's function: a node of kind [`NodeKind::Func`].
    /// Of a `func` statement inside a loop all calls share one node (6.8), whose
    /// [`Func::iterated`] is set.
    Statement(NodeId),
    /// `$f(…)`: a node of kind `Def` or `Param`, the use.
    Value(NodeId),
    /// `func(…) {…}(…)`: a node of kind `Func`.
    Literal(NodeId),
}

#[derive(Debug)]
pub struct Func {
    pub params: Vec<ParamId>,
    pub ret: Option<Type>,
    pub body: NodeId,
    /// The name of the `func` statement that it comes from.
    pub name: Option<Name>,
    /// Where the function itself stands.
    pub definition: Span,
    /// Set when the `func` statement stands inside of a loop: monomorphic, compiled per iteration.
    pub iterated: Option<LoopId>,
}

#[derive(Debug)]
pub struct Def {
    pub name: Name,
    /// The name in the bind, or in the class's parameter list.
    pub span: Span,
    pub value: NodeId,
    /// The innermost loop that it stands in, if any: then it is compiled per iteration, and
    /// inference visits it once per use (6.8, 9.10).
    pub iterated: Option<LoopId>,
    /// An include's argument, with the class parameter's declared type.
    pub class_param: Option<Option<Type>>,
}

#[derive(Debug)]
pub struct Param {
    pub name: Name,
    pub ty: Option<Type>,
    pub span: Span,
    pub role: ParamRole,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamRole {
    /// A parameter of the function at this node.
    Func(NodeId),
    /// The index or key of a loop.
    LoopFirst(LoopId),
    /// The element or value of a loop.
    LoopSecond(LoopId),
}

#[derive(Debug)]
pub struct Loop {
    pub over: LoopOver,
    pub first: ParamId,
    pub second: ParamId,
    /// The loop around it, if any.
    pub outer: Option<LoopId>,
    pub span: Span,
}

/// Statements in source order; what only defines is left out.
#[derive(Debug, Default)]
pub struct Block {
    pub stmts: Vec<Stmt>,
}

#[derive(Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum StmtKind {
    Resource(Resource),
    Edge(Edge),
    If {
        cond: NodeId,
        then: Block,
        otherwise: Option<Block>,
    },
    For {
        id: LoopId,
        subject: NodeId,
        body: Block,
    },
    /// A copy of a class body. Each argument is a definition of its own (`args`), which inference
    /// visits once more at the include itself (9.2).
    Include {
        class: Name,
        args: Vec<DefId>,
        body: Block,
    },
}

#[derive(Debug)]
pub struct Resource {
    pub kind: Name,
    pub kind_span: Span,
    pub name: NodeId,
    pub items: Vec<Item>,
    /// The hidden call of `_collect`.
    pub collect: Option<NodeId>,
}

#[derive(Debug)]
pub struct Item {
    pub kind: ItemKind,
    pub cond: Option<NodeId>,
    pub span: Span,
    pub name_span: Span,
}

#[derive(Debug)]
pub enum ItemKind {
    Field { name: Name, value: NodeId },
    Edge { property: EdgeProperty, half: Half },
    Meta { property: MetaProperty, value: NodeId },
    MetaStruct { value: NodeId },
}

#[derive(Debug)]
pub struct Half {
    pub kind: Name,
    pub name: NodeId,
    pub field: Option<Name>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Edge {
    pub halves: Vec<Half>,
}
