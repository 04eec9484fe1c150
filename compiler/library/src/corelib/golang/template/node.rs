//! The parsed template. Every node knows its place in the text; recursion in it is bounded by the parser.

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
    pub span: Range<usize>,
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
    pub commands: Vec<Command>,
}

/// A call with its arguments, or a single operand.
#[derive(Debug)]
pub(super) struct Command {
    pub span: Range<usize>,
    pub args: Vec<Expr>,
}

#[derive(Debug)]
pub(super) struct Expr {
    pub span: Range<usize>,
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
    /// `(pipeline).A`; without fields just the parentheses.
    Chain(Box<Pipe>, Vec<String>),
}

/// A constant number: what it can be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    /// Nothing where it has a fraction, or more than 63 bits.
    pub int: Option<i64>,
    /// Nothing where it is imaginary.
    pub float: Option<f64>,
    /// The parts of one that is written with an `i`.
    pub complex: Option<(f64, f64)>,
    /// Written as a float: it is one where nothing else is asked for.
    pub is_float: bool,
}

impl Number {
    /// What it is by itself; `None` for an int of more than 63 bits.
    pub(super) fn data(self) -> Option<Data> {
        match self.complex {
            Some((real, imaginary)) => Some(Data::Complex(real, imaginary)),
            None if self.is_float => self.float.map(Data::Float),
            None => self.int.map(Data::Int),
        }
    }
}
