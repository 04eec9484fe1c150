//! Messages about unknown names, duplicate names and recursion.

use crate::diag::{Code, Diagnostic, Stage, codes};
use crate::ident::Name;
use crate::span::Span;

/// The message for an unknown name.
pub(super) type Missing = fn(&Name, Span) -> Diagnostic;

fn error(code: Code, message: String) -> Diagnostic {
    Diagnostic::error(code, Stage::Scope, message)
}

pub(super) fn variable(name: &Name, span: Span) -> Diagnostic {
    error(codes::UNKNOWN_VARIABLE, format!("cannot find variable `${name}` in this scope")).at(span, "not defined")
}

pub(super) fn lambda(name: &Name, span: Span) -> Diagnostic {
    let message = format!("cannot find variable `${name}` in this scope");
    error(codes::UNKNOWN_VARIABLE, message).at(span, "not defined")
}

pub(super) fn function(name: &Name, span: Span) -> Diagnostic {
    error(codes::UNKNOWN_FUNCTION, format!("cannot find function `{name}` in this scope")).at(span, "not defined")
}

pub(super) fn class(name: &Name, span: Span) -> Diagnostic {
    error(codes::UNKNOWN_CLASS, format!("cannot find class `{name}` in this scope")).at(span, "not defined")
}

pub(super) fn argument_count(
    name: &Name,
    params: &[crate::hir::Param],
    got: usize,
    include: Span,
    class: Span,
) -> Diagnostic {
    let want = params.len();
    let takes = match want {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        n => format!("{n} arguments"),
    };
    let given = match got {
        0 => "none were".to_owned(),
        1 => "1 was".to_owned(),
        n => format!("{n} were"),
    };
    let names: Vec<String> = params.iter().map(|param| format!("${}", param.name)).collect();
    let help = match want {
        0 => format!("write `include {name}`"),
        _ => format!("write the values in the order of the parameters: `include {name}({})`", names.join(", ")),
    };
    error(codes::CLASS_ARGUMENTS, format!("class `{name}` takes {takes}, but {given} given"))
        .at(include, format!("{given} given here"))
        .also(class, format!("takes {takes}"))
        .help(help)
}

/// `what` is a bind, function, class or alias, for example `variable `$x``.
pub(super) fn doubled(what: &str, first: Span, second: Span) -> Diagnostic {
    error(codes::DEFINED_TWICE, format!("the {what} is defined more than once"))
        .at(second, "defined again here")
        .also(first, "first defined here")
        .help("a variable cannot be reassigned: rename one of the two, or define it in an inner block")
}

/// The maximum number of places of a ring that are shown.
const MAX_SHOWN: usize = 12;

/// The uses that close the ring, with their spans.
pub(super) fn recursion(uses: &[Span], is_of_class: bool) -> Diagnostic {
    let mut diagnostic = error(codes::RECURSION, "circular definition".to_owned());
    for (at, span) in uses.iter().take(MAX_SHOWN).enumerate() {
        diagnostic = match at {
            0 if uses.len() == 1 => diagnostic.at(*span, "refers to itself"),
            0 => diagnostic.at(*span, "this completes the cycle"),
            _ => diagnostic.also(*span, "which refers to this"),
        };
    }
    if uses.len() == 1 && !is_of_class {
        diagnostic = diagnostic.help(
            "to combine the elements of a list, write `iter.reduce($start, $list, func($acc, $x) { … })`, after `import \
             \"iter\"`",
        );
    }
    diagnostic.help(match is_of_class {
        true => "a class cannot include itself: remove one of the `include` statements",
        false => "a definition cannot refer to itself, and a variable cannot be reassigned: use another name",
    })
}
