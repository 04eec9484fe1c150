//! What name resolution says about unknown names, doubled names and recursion.

use crate::diag::{Code, Diagnostic, Stage, codes};
use crate::ident::Name;
use crate::span::Span;

/// Words for a name that is not there.
pub(super) type Missing = fn(&Name, Span) -> Diagnostic;

fn error(code: Code, message: String) -> Diagnostic {
    Diagnostic::error(code, Stage::Scope, message)
}

pub(super) fn variable(name: &Name, span: Span) -> Diagnostic {
    error(codes::UNKNOWN_VARIABLE, format!("there is no variable `${name}` here")).at(span, "not defined in this scope")
}

pub(super) fn lambda(name: &Name, span: Span) -> Diagnostic {
    let message = format!("there is no variable `${name}` here to call");
    error(codes::UNKNOWN_VARIABLE, message).at(span, "not defined in this scope")
}

pub(super) fn function(name: &Name, span: Span) -> Diagnostic {
    error(codes::UNKNOWN_FUNCTION, format!("there is no function `{name}` here")).at(span, "not defined in this scope")
}

pub(super) fn class(name: &Name, span: Span) -> Diagnostic {
    error(codes::UNKNOWN_CLASS, format!("there is no class `{name}` here")).at(span, "not defined in this scope")
}

pub(super) fn argument_count(name: &Name, want: usize, got: usize, include: Span, class: Span) -> Diagnostic {
    let takes = match want {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        n => format!("{n} arguments"),
    };
    let given = match got {
        0 => "none are".to_owned(),
        1 => "one is".to_owned(),
        n => format!("{n} are"),
    };
    error(codes::CLASS_ARGUMENTS, format!("the class `{name}` takes {takes}, but {given} given"))
        .at(include, format!("{given} given here"))
        .also(class, format!("takes {takes}"))
}

/// `what` is a bind, function, class or alias, such as `variable `$x``.
pub(super) fn doubled(what: &str, first: Span, second: Span) -> Diagnostic {
    error(codes::DEFINED_TWICE, format!("the {what} is defined twice in one block"))
        .at(second, "defined again here")
        .also(first, "first defined here")
        .help("a block is no sequence of assignments: give one of them another name, or put it into an inner block")
}

/// So many places of a ring are shown.
const MAX_SHOWN: usize = 12;

/// The uses that close the ring, by their place.
pub(super) fn recursion(uses: &[Span]) -> Diagnostic {
    let message =
        if uses.len() == 1 { "this refers to itself" } else { "these definitions refer to each other in a ring" };
    let mut diagnostic = error(codes::RECURSION, message.to_owned());
    for (at, span) in uses.iter().take(MAX_SHOWN).enumerate() {
        diagnostic = match at {
            0 => diagnostic.at(*span, "this use closes the ring"),
            _ => diagnostic.also(*span, "which needs this"),
        };
    }
    diagnostic.help("recursion is not possible in this language: a value must be known before it is used")
}
