//! [`Fault`]: one thing wrong with a model, as the language's own error types have it (spec, 11).
//!
//! A fault knows its class, its message, the statement that it is reported in, its place and its
//! causes. [`report()`] writes the full report of the original; [`diagnose()`] makes diagnostics of ours.

mod class;
pub mod codes;
mod diagnose;
mod report;

pub use class::Class;
pub use diagnose::{WARNING, diagnose, warning_diagnostic};
pub use report::{Texts, report, warning_report};

use crate::ast::{ExprId, StmtId};
use mclive_base::span::{FileId, Span};

/// A place that messages tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// `FILE:LINE` of the span's start.
    Line(Span),
    /// `FILE:LINE:COL` of the span's start.
    Column(Span),
    /// A place that no character has, such as the end of a file.
    At { file: FileId, line: u32, col: u32, near: Span },
}

impl Place {
    pub fn span(self) -> Span {
        match self {
            Place::Line(span) | Place::Column(span) | Place::At { near: span, .. } => span,
        }
    }
}

/// The statement that a fault is reported in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Within {
    Expr(ExprId),
    Stmt(StmtId),
    /// A text that is already written.
    Text(String),
}

/// What is wrong.
#[derive(Clone, Debug)]
pub struct Fault {
    pub class: Class,
    pub message: String,
    pub within: Option<Within>,
    pub place: Option<Place>,
    pub causes: Vec<Fault>,
    /// The cause of a failed function, as text: `IndexError: list index out of range`.
    pub foreign_cause: Option<String>,
    /// Where the original and the duplicate are defined ([`Class::Duplicate`]).
    pub duplicate: Option<(Place, Place)>,
    /// Other places that explain, with a few words.
    pub related: Vec<(Span, String)>,
    /// What to do about it.
    pub help: Vec<String>,
}

/// A fault on its way; boxed, since results without one are the rule.
pub type Failure = Box<Fault>;

impl Fault {
    pub fn new(class: Class, message: impl Into<String>) -> Failure {
        Box::new(Fault {
            class,
            message: message.into(),
            within: None,
            place: None,
            causes: Vec::new(),
            foreign_cause: None,
            duplicate: None,
            related: Vec::new(),
            help: Vec::new(),
        })
    }

    /// Sets where it is, unless that is known.
    pub fn at(mut self: Box<Self>, place: Place) -> Failure {
        self.place.get_or_insert(place);
        self
    }

    /// Sets the statement that it is reported in, unless that is known.
    pub fn within(mut self: Box<Self>, within: Within) -> Failure {
        self.within.get_or_insert(within);
        self
    }

    pub fn cause(mut self: Box<Self>, cause: Failure) -> Failure {
        self.causes.push(*cause);
        self
    }

    pub fn also(mut self: Box<Self>, span: Span, text: impl Into<String>) -> Failure {
        self.related.push((span, text.into()));
        self
    }

    pub fn help(mut self: Box<Self>, text: impl Into<String>) -> Failure {
        self.help.push(text.into());
        self
    }

    /// How important it is: lower numbers are told first. Spec, 11.7.
    pub fn importance(&self) -> u16 {
        match self.class {
            Class::Attribute | Class::PluginType | Class::Wrapping => {
                self.causes.first().map_or(100, Fault::importance).saturating_add(1)
            }
            class => class.importance(),
        }
    }
}

/// The class of warnings about how a text is written.
pub const PARSER_WARNING: &str = "ParserWarning";

/// A warning: its class and text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    pub class: &'static str,
    pub message: String,
    pub span: Option<Span>,
}
