//! The words of type errors. Each constructor is one code of the register; inference only says
//! what it found.

use super::join::Mismatch;
use super::table::{Table, TyId};
use crate::diag::{Diagnostic, Stage, codes};
use crate::span::Span;
use crate::types::{FuncType, TypeKind};

pub(super) fn error(code: codes::Code, message: impl Into<String>, span: Span, here: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, Stage::Unify, message).at(span, here)
}

/// A type in words: its text, or of one that is unknown or too big the outermost form.
pub(super) fn shown(table: &mut Table, ty: TyId) -> String {
    const MAX: usize = 120;
    let id = table.shallow(ty);
    let text = table.finish_open(id).map(|ty| ty.to_string()).filter(|text| text.len() <= MAX);
    match (table.kind(id), text) {
        (None | Some(TypeKind::Var), _) => "of an unknown type".into(),
        (Some(TypeKind::List), Some(text)) if text.starts_with("[]?") => "a list".into(),
        (Some(TypeKind::Map), Some(text)) if text.starts_with("map{?") => "a map".into(),
        (Some(TypeKind::Func), Some(text)) if text.contains('?') => "a function".into(),
        (Some(_), Some(text)) => format!("`{text}`"),
        (Some(kind), None) => format!("a large {kind}"),
    }
}

/// Two types that should be one are not.
pub(super) fn types_differ(table: &mut Table, want: TyId, got: TyId, why: &Mismatch, span: Span) -> Diagnostic {
    match why {
        Mismatch::Kinds { want: want_part, got: got_part, because } => {
            let (want_text, got_text) = (shown(table, *want_part), shown(table, *got_part));
            let here = if (*want_part, *got_part) == (table.shallow(want), table.shallow(got)) {
                format!("this is {got_text}, {want_text} is wanted")
            } else {
                let (want, got) = (shown(table, want), shown(table, got));
                format!("this is {got}, {want} is wanted")
            };
            let message = format!("{want_text} is wanted here, not {got_text}");
            let mut diagnostic = error(codes::TYPES_DIFFER, message, span, here);
            if let Some(because) = because.filter(|because| *because != span) {
                diagnostic = diagnostic.also(because, "the type was decided here");
            }
            for help in hints(want_text.trim_matches('`'), got_text.trim_matches('`')) {
                diagnostic = diagnostic.help(help);
            }
            diagnostic
        }
        Mismatch::FieldCount => {
            let (want, got) = (shown(table, want), shown(table, got));
            error(codes::STRUCTS_DIFFER, "the structs have different numbers of fields", span, format!("this is {got}"))
                .help(format!("write all fields of {want}, in this order"))
        }
        Mismatch::FieldNames => {
            let (want, got) = (shown(table, want), shown(table, got));
            error(codes::STRUCTS_DIFFER, "the structs have different fields", span, format!("this is {got}"))
                .help(format!("the names and their order must be those of {want}"))
        }
        Mismatch::ArgCount { want, got } => {
            let message = format!("a function of {} is wanted, not one of {got}", counted(*want, "parameter"));
            error(codes::ARG_COUNT, message, span, "this one has another number of parameters")
        }
        Mismatch::Infinite => {
            error(codes::INFINITE_TYPE, "this type would contain itself", span, "it would have to be a part of itself")
                .help("a function cannot be applied to itself, nor a list be an element of itself")
        }
    }
}

/// What people usually meant.
pub(super) fn hints(want: &str, got: &str) -> Vec<&'static str> {
    match (want, got) {
        ("str", "int") => vec!["there is no implicit conversion: `fmt.printf(\"%d\", …)` makes text of a number"],
        ("str", "float") => vec!["there is no implicit conversion: `fmt.printf(\"%f\", …)` makes text of a number"],
        ("float", "int") | ("int", "float") => {
            vec!["int and float do not mix: write `2.0` for a float, or use `convert.int_to_float`"]
        }
        ("a list", want) if want.starts_with("map{") => vec!["over a map goes `forkv $key, $value in …`"],
        ("a map", want) if want.starts_with("[]") => vec!["over a list goes `for $index, $value in …`"],
        ("[]str", "str") => vec!["put it into a list, `[…]`, or use a string with a hole, `\"${name}\"`, as a name"],
        _ => Vec::new(),
    }
}

/// A type that nothing determines.
pub(super) fn ambiguous(table: &mut Table, ty: TyId, span: Span, what: &str) -> Diagnostic {
    let ty = match shown(table, ty).as_str() {
        "of an unknown type" => String::new(),
        ty => format!(": it is {ty}, but of what?"),
    };
    error(codes::AMBIGUOUS, format!("the type of {what} is not determined{ty}"), span, "nothing here says what it is")
        .help("give it a type: bind it to a variable with one, as in `$x []int = []`")
}

/// A function that does not take the types that its call has found.
pub(super) fn cannot_build(name: &str, func: &FuncType, reason: &str, span: Span) -> Diagnostic {
    let types: Vec<String> = func.params.iter().map(|(_, ty)| format!("`{ty}`")).collect();
    let given = if types.is_empty() { "no arguments".to_owned() } else { types.join(", ") };
    let said = error(codes::CANNOT_BUILD, format!("{name} does not work on {given}"), span, "with these types");
    if reason.contains("did not match") { said } else { said.help(reason) }
}

pub(super) fn unhashable(key: &str, span: Span) -> Diagnostic {
    error(codes::UNHASHABLE_KEY, format!("map key type `{key}` is not hashable"), span, "this map's keys")
        .help("keys can be bool, str, int, float, or structs of these")
}

pub(super) fn known_type_differs(reason: &str, span: Span) -> Diagnostic {
    error(codes::TYPES_DIFFER, format!("type error: {reason}"), span, "it has a type already")
        .help("the declared type and the value's type must be the same")
}

pub(super) fn used_with_two_types(reason: &str, span: Span) -> Diagnostic {
    error(codes::TYPES_DIFFER, format!("type error: {reason}"), span, "used with two types in the loop")
        .help("a definition inside of a loop has one type: give each type a definition of its own")
}

pub(super) fn too_deep(span: Span) -> Diagnostic {
    error(codes::TYPE_TOO_DEEP, "this type is too big", span, "more than 300 levels or 10,000 parts")
        .help("flatten the data: a list or map of small structs instead of structs in structs")
}

pub(super) fn variant_param(name: &str, span: Span) -> Diagnostic {
    error(codes::VARIANT, format!("parameter `${name}` is declared as `variant`"), span, "no value has this type")
        .help("leave the type out: the parameter then takes what the call gives it")
}

pub(super) fn too_many_args(name: &str, takes: usize, given: usize, span: Span) -> Diagnostic {
    let message = format!("function `{name}` takes {} but is given {given}", counted(takes, "argument"));
    error(codes::ARG_COUNT, message, span, "too many arguments")
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

pub(super) fn inference_failed(name: &str, reason: &str, span: Span) -> Diagnostic {
    error(codes::BAD_CALL, format!("cannot call `{name}`: {reason}"), span, "in this call")
}

pub(super) fn value_inconsistent(name: &str, at: usize, says: &str, is: &str, span: Span) -> Diagnostic {
    let message = format!("argument #{at} of `{name}` is declared `{says}`, but its value is {is}");
    error(codes::VALUE_INCONSISTENT, message, span, "type and value differ")
}

pub(super) fn unknown_field(kind: &str, field: &str, near: Option<&str>, span: Span) -> Diagnostic {
    let message = format!("resource kind `{kind}` has no field `{field}`");
    let diagnostic = error(codes::UNKNOWN_FIELD, message, span, "not a field of this kind");
    match near {
        Some(near) => {
            diagnostic.help(format!("did you mean `{near}`?")).edit(span, near, format!("rename to `{near}`"))
        }
        None => diagnostic.help(format!("`mclive docs resources {kind}` lists its fields")),
    }
}

pub(super) fn unknown_kind(kind: &str, near: Option<&str>, span: Span) -> Diagnostic {
    let diagnostic = error(codes::UNKNOWN_KIND, format!("there is no resource kind `{kind}`"), span, "unknown kind");
    match near {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")).edit(span, near, format!("use `{near}`")),
        None => diagnostic.help("`mclive docs resources` lists all kinds"),
    }
}

pub(super) fn lone_half(span: Span) -> Diagnostic {
    error(codes::LONE_HALF, "an edge needs two halves", span, "only one half")
        .help("write `Kind[\"a\"] -> Kind[\"b\"]`")
}

pub(super) fn cannot_send(reason: &str, span: Span) -> Diagnostic {
    error(codes::CANNOT_SEND, reason, span, "in this edge")
}
