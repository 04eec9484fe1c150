//! [`Linked`]: the program after name resolution.
//!
//! Every use points at its definition. Polymorphic code is copied per use: the function of a `func` statement for each
//! call, a class body for each include (language spec, 6.8), so that inference and the function graph give each copy
//! types and its own vertices. Binds and class arguments are shared definitions. Only code that a statement reaches
//! is included, and statements that only define are not. (The arenas may hold more: code visited only to find its
//! errors. Walk from [`Linked::root`].)
//!
//! Definitions are never circular, but their chains may be long: walk them without recursion, or count.

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
    /// Id of a node: one occurrence of an expression, after copying.
    NodeId,
    "n"
);
define_id!(
    /// Id of a shared definition: a bind, or an argument of one include.
    DefId,
    "d"
);
define_id!(
    /// Id of a function parameter or loop variable.
    ParamId,
    "p"
);
define_id!(
    /// Id of a `for` or `forkv` statement, after copying.
    LoopId,
    "l"
);
define_id!(
    /// Id of a directory that relative file functions start from.
    DirId,
    "dir"
);

/// The whole program after name resolution.
#[derive(Debug, Default)]
pub struct Linked {
    /// All nodes.
    pub nodes: IndexVec<NodeId, Node>,
    /// All shared definitions.
    pub defs: IndexVec<DefId, Def>,
    /// All parameters and loop variables.
    pub params: IndexVec<ParamId, Param>,
    /// All loops.
    pub loops: IndexVec<LoopId, Loop>,
    /// Module directories, each with a trailing slash.
    pub dirs: IndexVec<DirId, String>,
    /// The statements of the main file.
    pub root: Block,
    /// For editors: each use of a name with its definition, by place.
    pub uses: Vec<Use>,
    /// Likewise the aliases in dotted names, and the star imports (`*`) that provide a name: the span of the whole
    /// name, and the import or include.
    pub aliases: Vec<Use>,
    /// The files of imports, by the span of the import's path.
    pub imports: Vec<(Span, FileId)>,
    /// The uses of `$hostname`, the one literal that differs between hosts.
    pub hostnames: FxHashSet<Span>,
    /// The bodies of classes that nothing includes, if requested.
    pub aside: Vec<Block>,
}

/// A use of a name and its definition. Names of the core library have no definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Use {
    /// The name.
    pub name: Name,
    /// Span of the use.
    pub span: Span,
    /// Span of the name in the definition.
    pub definition: Span,
}

/// A node.
#[derive(Debug)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Its span. The function of a `func` statement's copy has the span of its call (of several calls inside a loop,
    /// the last one), as errors report it (9.4).
    pub span: Span,
    /// A type set before inference (typed bind, interpolated string).
    pub known: Option<Type>,
}

/// The kind of a node.
#[derive(Debug)]
pub enum NodeKind {
    /// A literal; also a builtin variable that is inserted like one (`$hostname`): a separate vertex at each use.
    Const(Value),
    /// `[a, b]`.
    List(Vec<NodeId>),
    /// `{a => b}`.
    Map(Vec<(NodeId, NodeId)>),
    /// `struct{a => b}`.
    Struct(Vec<(Name, NodeId)>),
    /// A use of a shared definition.
    Def(DefId),
    /// A use of a function parameter or loop variable.
    Param(ParamId),
    /// A call.
    Call(Call),
    /// A function literal.
    Func(Func),
    /// `if` as an expression.
    If {
        /// The condition.
        cond: NodeId,
        /// The value if the condition holds.
        then: NodeId,
        /// The value if it does not.
        otherwise: NodeId,
    },
    /// `main <|> fallback`.
    Except {
        /// The value, unless it fails.
        main: NodeId,
        /// The value if it fails.
        fallback: NodeId,
    },
    /// Already reported; everything that uses it stays quiet.
    Error,
}

/// A call.
#[derive(Debug)]
pub struct Call {
    /// The function.
    pub callee: Callee,
    /// The arguments in order.
    pub args: Vec<NodeId>,
    /// The name as written (`fmt.printf`, `$f` without the dollar, empty for a literal), for messages and editors.
    pub name: Name,
    /// Span of the function's name or of the operator.
    pub callee_span: Span,
    /// The base of `deploy.*`: the module that contains the call.
    pub dir: DirId,
}

/// The function of a call.
#[derive(Debug)]
pub enum Callee {
    /// A function of the core library.
    Builtin(&'static FnDef),
    /// This call's own copy of a `func` statement's function: a node of kind [`NodeKind::Func`]. All calls of a `func`
    /// statement inside a loop share one node (6.8), with [`Func::iterated`] set.
    Statement(NodeId),
    /// `$f(…)`: a node of kind `Def` or `Param`, the use.
    Value(NodeId),
    /// `func(…) {…}(…)`: a node of kind `Func`.
    Literal(NodeId),
}

/// A function.
#[derive(Debug)]
pub struct Func {
    /// Its parameters in order.
    pub params: Vec<ParamId>,
    /// The declared return type, if any.
    pub ret: Option<Type>,
    /// Its body.
    pub body: NodeId,
    /// The name of its `func` statement, if any.
    pub name: Option<Name>,
    /// Span of the function itself.
    pub definition: Span,
    /// Set if the `func` statement is inside a loop: monomorphic, compiled per iteration.
    pub iterated: Option<LoopId>,
}

/// A shared definition.
#[derive(Debug)]
pub struct Def {
    /// The name.
    pub name: Name,
    /// Span of the name in the bind, or in the class's parameter list.
    pub span: Span,
    /// Its value.
    pub value: NodeId,
    /// The innermost loop around it, if any: it is then compiled per iteration, and inference visits it once per use
    /// (6.8, 9.10).
    pub iterated: Option<LoopId>,
    /// For an argument of an include, the declared type of the class parameter.
    pub class_param: Option<Option<Type>>,
}

/// A function parameter or loop variable.
#[derive(Debug)]
pub struct Param {
    /// The name.
    pub name: Name,
    /// The declared type, if any.
    pub ty: Option<Type>,
    /// Its span.
    pub span: Span,
    /// Where it belongs.
    pub role: ParamRole,
}

/// The role of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamRole {
    /// A parameter of the function at this node.
    Func(NodeId),
    /// The index or key of a loop.
    LoopFirst(LoopId),
    /// The element or value of a loop.
    LoopSecond(LoopId),
}

/// A loop.
#[derive(Debug)]
pub struct Loop {
    /// Over a list or a map.
    pub over: LoopOver,
    /// The index or key variable.
    pub first: ParamId,
    /// The element or value variable.
    pub second: ParamId,
    /// The loop around it, if any.
    pub outer: Option<LoopId>,
    /// Its span.
    pub span: Span,
}

/// Statements in source order, without those that only define.
#[derive(Debug, Default)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
}

/// A statement.
#[derive(Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Its span.
    pub span: Span,
}

/// The kind of a statement.
#[derive(Debug)]
pub enum StmtKind {
    /// A resource.
    Resource(Resource),
    /// An edge statement.
    Edge(Edge),
    /// `if` as a statement.
    If {
        /// The condition.
        cond: NodeId,
        /// The block if the condition holds.
        then: Block,
        /// The block if it does not.
        otherwise: Option<Block>,
    },
    /// A loop.
    For {
        /// The loop.
        id: LoopId,
        /// The list or map.
        subject: NodeId,
        /// The body.
        body: Block,
    },
    /// A copy of a class body. Each argument is a separate definition (`args`), which inference visits again at the
    /// include itself (9.2).
    Include {
        /// The class.
        class: Name,
        /// The arguments in order.
        args: Vec<DefId>,
        /// The body.
        body: Block,
    },
}

/// A resource.
#[derive(Debug)]
pub struct Resource {
    /// The kind.
    pub kind: Name,
    /// Its span.
    pub kind_span: Span,
    /// The expression for its name.
    pub name: NodeId,
    /// The items of its body.
    pub items: Vec<Item>,
    /// The hidden call of `_collect`, if any.
    pub collect: Option<NodeId>,
}

/// An item of the body of a resource.
#[derive(Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// The condition before `?:`, if any.
    pub cond: Option<NodeId>,
    /// Its span.
    pub span: Span,
    /// Span of the name of the field, edge or meta parameter.
    pub name_span: Span,
}

/// The kind of an item.
#[derive(Debug)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum ItemKind {
    /// `name => value`.
    Field { name: Name, value: NodeId },
    /// `Property => Kind["name"]`.
    Edge { property: EdgeProperty, half: Half },
    /// `Meta:property => value`.
    Meta { property: MetaProperty, value: NodeId },
    /// `Meta => value`.
    MetaStruct { value: NodeId },
}

/// One end of an edge.
#[derive(Debug)]
pub struct Half {
    /// The kind.
    pub kind: Name,
    /// The expression for its name.
    pub name: NodeId,
    /// The sent or received field.
    pub field: Option<Name>,
    /// Its span.
    pub span: Span,
}

/// An edge statement.
#[derive(Debug)]
pub struct Edge {
    /// The halves in order.
    pub halves: Vec<Half>,
}
