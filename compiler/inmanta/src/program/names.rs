//! The meaning of names in expressions and statements, filled in by [`crate::scope`].

use super::{EntityId, FunctionId, NsId, Ordered, Primitive};
use crate::ast::{ExprId, StmtId};
use mclive_base::ident::Name;
use mclive_base::index::IndexVec;
use mclive_base::span::Span;
use rustc_hash::FxHashMap;

/// The meaning of names, by the expression or statement that contains them.
#[derive(Default)]
pub struct Names {
    /// By expression.
    pub exprs: IndexVec<ExprId, Meaning>,
    /// By statement.
    pub stmts: IndexVec<StmtId, StmtMeaning>,
    /// The variables of the frames around calls of functions that look up names themselves (templates), outermost
    /// first.
    pub scopes: FxHashMap<ExprId, Vec<Ordered<Name, Vec<Span>>>>,
}

/// The meaning of the name in an expression.
#[derive(Clone, Debug, Default)]
pub enum Meaning {
    /// None.
    #[default]
    None,
    /// A variable.
    Var(VarRef),
    /// The entity of a constructor or a lookup.
    Class(EntityId),
    /// The function of a call.
    Callee(Callee),
}

/// The resolved names of a statement.
#[derive(Debug, Default)]
pub enum StmtMeaning {
    /// None.
    #[default]
    None,
    /// The variable that an assignment sets.
    Target(VarRef),
    /// The bodies of a `for` or `if`.
    Blocks(Box<Blocks>),
    /// A name in it has no meaning, so it is left out when errors in the other statements are looked for.
    Broken,
}

/// The resolved bodies of a `for` or `if`.
#[derive(Default, Debug)]
pub struct Blocks {
    /// The number of variables in each body; 0 if it has no frame.
    pub sizes: [u32; 2],
    /// Its promises.
    pub promises: Vec<Promise>,
}

/// An assignment inside a `for` or `if` to an end outside it. Spec, 10.5.
#[derive(Clone, Debug)]
pub struct Promise {
    /// The variable at the start of the path.
    pub root: VarRef,
    /// The attributes of the path.
    pub path: Vec<Name>,
    /// The assigned attribute.
    pub attr: Name,
    /// The assignment.
    pub stmt: StmtId,
}

/// The meaning of a variable's name.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum VarRef {
    /// The slot `slot` of the frame `up` levels out.
    Local { up: u32, slot: u32 },
    /// At the top level of a file.
    Global(NsId, u32),
    /// An attribute of the instance of this implementation, otherwise a variable of the namespace.
    OfSelf { name: Name, otherwise: Option<(NsId, u32)> },
    /// `self`.
    SelfInstance,
    /// No such variable: reported when the statement is emitted.
    Missing(Name),
}

/// The target of a call.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function.
    Function(FunctionId),
    /// A cast to a primitive type.
    Cast(Primitive),
}
