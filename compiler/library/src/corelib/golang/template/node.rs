//! The parsed template. Every node has its position in the text; the parser limits the depth.

use super::data::Data;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Named bodies; the main one is `template`.
pub(super) type Templates = BTreeMap<Arc<[u8]>, Nodes>;

/// A list that is shared with what is still to be done of it.
pub(super) type Nodes = Arc<[Node]>;

#[derive(Debug)]
pub(super) struct Node {
    /// Position in the text.
    pub span: Range<usize>,
    /// What it is.
    pub what: NodeKind,
}

#[derive(Debug)]
pub(super) enum NodeKind {
    Text(Vec<u8>),
    Action(Pipe),
    /// The branches of `if … else if …` in order, and what is left.
    If(Vec<(Pipe, Nodes)>, Nodes),
    With(Vec<(Pipe, Nodes)>, Nodes),
    Range {
        pipe: Arc<Pipe>,
        body: Nodes,
        otherwise: Nodes,
    },
    Template {
        name: Vec<u8>,
        pipe: Option<Pipe>,
    },
    Break,
    Continue,
}

#[derive(Debug)]
pub(super) struct Pipe {
    /// Names with their dollar sign.
    pub vars: Vec<String>,
    /// `=` instead of `:=`.
    pub assigns: bool,
    /// The stages in order.
    pub commands: Vec<Command>,
}

/// A call with its arguments, or a single operand.
#[derive(Debug)]
pub(super) struct Command {
    /// Position in the text.
    pub span: Range<usize>,
    /// The function and its arguments.
    pub args: Vec<Expr>,
}

#[derive(Debug)]
pub(super) struct Expr {
    /// Position in the text.
    pub span: Range<usize>,
    /// What it is.
    pub what: ExprKind,
}

#[derive(Debug)]
pub(super) enum ExprKind {
    Dot,
    Nil,
    Bool(bool),
    Number(Number),
    Str(Vec<u8>),
    /// `.A.B`
    Field(Vec<String>),
    /// `$x.A`
    Variable(String, Vec<String>),
    Function(String),
    /// `(pipeline).A`; without fields only the parentheses.
    Chain(Box<Pipe>, Vec<String>),
}

/// A numeric constant: the types it can have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    /// `None` if it has a fraction, or more than 63 bits.
    pub int: Option<i64>,
    /// `None` if it is imaginary.
    pub float: Option<f64>,
    /// Real and imaginary part, if written with an `i`.
    pub complex: Option<(f64, f64)>,
    /// Whether it is written as a float, its default type then.
    pub is_float: bool,
}

impl Number {
    /// Its default value; `None` for an int of more than 63 bits.
    pub(super) fn data(self) -> Option<Data> {
        match self.complex {
            Some((real, imaginary)) => Some(Data::Complex(real, imaginary)),
            None if self.is_float => self.float.map(Data::Float),
            None => self.int.map(Data::Int),
        }
    }
}
