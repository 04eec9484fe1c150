//! [`Fault`]: one error of a model, in terms of the language's own error types (spec, 11).
//!
//! A fault has a class, a message, the statement it is reported in, a place and causes. [`report()`] writes the full
//! report of the original; [`diagnose()`] makes our diagnostics.

mod class;
pub mod codes;
mod diagnose;
mod nearest;
mod report;
mod reword;
mod words;

pub use class::Class;
pub use diagnose::{WARNING, diagnose, warning_diagnostic};
pub use nearest::suggest;
pub use report::{Texts, report, warning_report};

use crate::ast::{ExprId, StmtId};
use crate::program::{EntityId, NsId};
use mclive_base::ident::Name;
use mclive_base::span::{FileId, Span};

/// A location as messages show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Location {
    /// `FILE:LINE` of the span's start.
    Line(Span),
    /// `FILE:LINE:COL` of the span's start.
    Column(Span),
    /// A location without a character, such as the end of a file.
    At { file: FileId, line: u32, col: u32, near: Span },
}

impl Location {
    /// The span.
    pub fn span(self) -> Span {
        match self {
            Location::Line(span) | Location::Column(span) | Location::At { near: span, .. } => span,
        }
    }
}

/// The statement a fault is reported in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Within {
    /// An expression.
    Expr(ExprId),
    /// A statement.
    Stmt(StmtId),
    /// A prepared text.
    Text(String),
}

/// What a name is expected to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sought {
    /// A type of an attribute, or the base of a typedef.
    Type,
    /// An entity.
    Entity,
    /// An implementation.
    Implementation,
    /// A function or a primitive type.
    Function,
}

/// A name that was not found, for suggestions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Missing {
    /// A type, as written in this namespace.
    Type(Sought, NsId, Name),
    /// A module that this namespace does not import.
    Import(NsId, Name),
    /// A variable.
    Variable(Name),
    /// An attribute of an entity.
    Attribute(EntityId, Name),
}

/// An error of a model.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Its class.
    pub class: Class,
    /// The message.
    pub message: String,
    /// The statement it is reported in.
    pub within: Option<Within>,
    /// Its place.
    pub place: Option<Location>,
    /// Its causes.
    pub causes: Vec<Fault>,
    /// The cause of a failed function, as text: `IndexError: list index out of range`.
    pub foreign_cause: Option<String>,
    /// The places of the original and the duplicate ([`Class::Duplicate`]).
    pub duplicate: Option<(Location, Location)>,
    /// Further places, each with a short text.
    pub related: Vec<(Span, String)>,
    /// Background, one line each.
    pub notes: Vec<String>,
    /// What the user can do, one line each.
    pub help: Vec<String>,
    /// The name that was not found, if that is the error.
    pub missing: Option<Missing>,
    /// The function in Python that has no result for a call, if that is the error.
    pub undeclared: Option<Name>,
    /// The values that the error is about, as models write them: the message does not show their types.
    pub values: Vec<String>,
}

/// A fault being returned; boxed, since most results have none.
pub type Failure = Box<Fault>;

impl Fault {
    /// A fault without a place yet.
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
            notes: Vec::new(),
            help: Vec::new(),
            missing: None,
            undeclared: None,
            values: Vec::new(),
        })
    }

    /// Several faults as one: a single one unchanged, more as the causes of a collection.
    pub fn all(mut faults: Vec<Failure>) -> Option<Failure> {
        if faults.len() < 2 {
            return faults.pop();
        }
        let mut many = Fault::new(Class::Multi, "");
        many.causes = faults.into_iter().map(|fault| *fault).collect();
        Some(many)
    }

    /// Sets the place, unless there is one.
    pub fn at(mut self: Box<Self>, place: Location) -> Failure {
        self.place.get_or_insert(place);
        self
    }

    /// Sets the statement, unless there is one.
    pub fn within(mut self: Box<Self>, within: Within) -> Failure {
        self.within.get_or_insert(within);
        self
    }

    /// Adds a cause.
    pub fn cause(mut self: Box<Self>, cause: Failure) -> Failure {
        self.causes.push(*cause);
        self
    }

    /// Adds a further place.
    pub fn also(mut self: Box<Self>, span: Span, text: impl Into<String>) -> Failure {
        self.related.push((span, text.into()));
        self
    }

    /// Adds a line of background.
    pub fn note(mut self: Box<Self>, text: impl Into<String>) -> Failure {
        self.notes.push(text.into());
        self
    }

    /// Adds a line of help.
    pub fn help(mut self: Box<Self>, text: impl Into<String>) -> Failure {
        self.help.push(text.into());
        self
    }

    /// Adds a value that the error is about ([`written`](crate::value::written())).
    pub fn about(mut self: Box<Self>, value: impl Into<String>) -> Failure {
        self.values.push(value.into());
        self
    }

    /// Sets the name that was not found.
    pub fn missing(mut self: Box<Self>, name: Missing) -> Failure {
        self.missing = Some(name);
        self
    }

    /// Its importance: lower numbers are reported first. Spec, 11.7.
    pub fn importance(&self) -> u16 {
        match self.class {
            Class::Attribute | Class::PluginType | Class::Wrapping => {
                self.causes.first().map_or(100, Fault::importance).saturating_add(1)
            }
            class => class.importance(),
        }
    }
}

/// The class of warnings about syntax.
pub const PARSER_WARNING: &str = "ParserWarning";

/// A warning: its class and text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// Its class.
    pub class: &'static str,
    /// The text.
    pub message: String,
    /// Its place, if any.
    pub span: Option<Span>,
}
