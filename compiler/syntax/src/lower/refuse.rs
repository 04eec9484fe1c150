//! The words of the init and interpolate stages.

use crate::diag::{Code, Diagnostic, Stage, codes, suggest};
use crate::property::MetaProperty;
use crate::span::Span;
use crate::types::Type;

fn init(code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, Stage::Init, message)
}

fn interpolate(code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, Stage::Interpolate, message)
}

pub(super) fn duplicate_field(name: &str, span: Span, first: Span) -> Diagnostic {
    init(codes::DUPLICATE_FIELD, format!("the field `{name}` is set twice"))
        .at(span, "the second time")
        .also(first, "the first time")
        .help(format!("keep one of them; for a choice write `{name} => if cond {{ a }} else {{ b }},`"))
}

pub(super) fn duplicate_meta(name: &str, span: Span, first: Span) -> Diagnostic {
    init(codes::DUPLICATE_META, format!("the meta parameter `{name}` is set twice"))
        .at(span, "the second time")
        .also(first, "the first time")
        .help("keep one of them")
}

pub(super) fn unknown_edge_property(word: &str, span: Span) -> Diagnostic {
    init(codes::UNKNOWN_EDGE_PROPERTY, format!("there is no edge named `{}`", capitalized(word)))
        .at(span, "unknown")
        .help(match word {
            "require" | "after" | "requires" => "write `Depend`, for what has to be done before this",
            "subscribe" | "watch" => "write `Listen`, for what this reacts to",
            _ => "the edges are `Before`, `Notify`, `Depend` and `Listen`",
        })
}

pub(super) fn unknown_meta(word: &str, span: Span) -> Diagnostic {
    let diagnostic =
        init(codes::UNKNOWN_META, format!("there is no meta parameter named `{word}`")).at(span, "unknown");
    let near = |name: &str| name.len() > 3 && (name.starts_with(word) || word.starts_with(name));
    let names = || MetaProperty::ALL.into_iter().map(MetaProperty::name);
    match names().find(|name| near(name)).or_else(|| suggest::closest(word, names())) {
        Some(name) => diagnostic.help(format!("did you mean `Meta:{name}`?")),
        None => {
            let names: Vec<String> =
                MetaProperty::ALL.into_iter().map(|property| format!("`{}`", property.name())).collect();
            diagnostic.help(format!("the meta parameters are {}", names.join(", ")))
        }
    }
}

pub(super) fn mixed_map_keys(difference: &str, span: Span, first: Span) -> Diagnostic {
    init(codes::MIXED_MAP_KEYS, "the keys of this map have different types")
        .at(span, difference)
        .also(first, "the first key")
        .help("all the keys of a map have one type")
}

pub(super) fn unhashable_map_key(ty: &Type, span: Span) -> Diagnostic {
    init(codes::UNHASHABLE_MAP_KEY, format!("a value of type `{ty}` cannot be the key of a map"))
        .at(span, "used as a key")
        .help("keys are bools, strings, ints, floats, and structs of these")
}

pub(super) fn duplicate_map_key(key: &str, span: Span, first: Span) -> Diagnostic {
    init(codes::DUPLICATE_MAP_KEY, format!("the key `{key}` is twice in this map"))
        .at(span, "the second time")
        .also(first, "the first time")
        .help("keep one of them")
}

pub(super) fn duplicate_struct_field(name: &str, span: Span, first: Span) -> Diagnostic {
    init(codes::DUPLICATE_STRUCT_FIELD, format!("the field `{name}` is twice in this struct"))
        .at(span, "the second time")
        .also(first, "the first time")
        .help("keep one of them")
}

pub(super) fn empty_import(span: Span) -> Diagnostic {
    init(codes::EMPTY_IMPORT, "this import names nothing")
        .at(span, "empty")
        .help("name a module, such as `import \"fmt\"`, or a file")
}

pub(super) fn import_in_loop(span: Span) -> Diagnostic {
    init(codes::IMPORT_IN_LOOP, "an import cannot stand in the body of a loop")
        .at(span, "this is done once, before the program runs")
        .help("move it out of the loop")
}

fn underscores(diagnostic: Diagnostic, span: Span) -> Diagnostic {
    diagnostic.at(span, "used here").help("rename the variable, with one underscore")
}

pub(super) fn double_underscore(name: &str, span: Span) -> Diagnostic {
    let message = format!("the variable `${name}` has two underscores in a row");
    underscores(init(codes::DOUBLE_UNDERSCORE, message), span)
}

/// The same, in a hole of a string.
pub(super) fn double_underscore_in_hole(name: &str, span: Span) -> Diagnostic {
    let message = format!("the variable `${name}` has two underscores in a row");
    underscores(interpolate(codes::DOUBLE_UNDERSCORE, message), span)
}

pub(super) fn unknown_escape(c: char, span: Span) -> Diagnostic {
    interpolate(codes::UNKNOWN_ESCAPE, format!("`\\{c}` is no escape sequence"))
        .at(span, "unknown")
        .help("write `\\\\` for a backslash; there are `\\a \\b \\f \\n \\r \\t \\v \\\\ \\\" \\$`")
}

pub(super) fn lone_backslash(span: Span) -> Diagnostic {
    interpolate(codes::UNKNOWN_ESCAPE, "the string ends with a lone backslash")
        .at(span, "escapes nothing")
        .help("to end a string with a backslash put an empty variable behind it: `\"a\\\\${empty}\"`")
}

pub(super) fn bad_hole(hole: &str, span: Span) -> Diagnostic {
    let (label, help) = match hole {
        "" => ("nothing is in it", "write the name of a variable, such as `${name}`"),
        _ if hole.starts_with('$') => ("a dollar too many", "the name stands without its own dollar: `${name}`"),
        _ => (
            "not the name of a variable",
            "only the name of a variable can stand in a string: bind the value first, `$name = …`, and write `${name}`",
        ),
    };
    interpolate(codes::BAD_HOLE, "a hole in a string takes the name of a variable")
        .at(span, label)
        .help(help)
        .help("the text `${` itself is written `\\${`")
}

pub(super) fn too_many_holes(n_parts: usize, span: Span) -> Diagnostic {
    interpolate(codes::TOO_MANY_HOLES, format!("the string has too many parts: {n_parts}"))
        .at(span, "texts and holes are counted")
        .help("make it of several strings")
}

pub(super) fn duplicate_class(name: &str, span: Span, first: Span) -> Diagnostic {
    interpolate(codes::DUPLICATE_CLASS, format!("the class `{name}` is defined twice in this block"))
        .at(span, "the second time")
        .also(first, "the first time")
        .help("give each class a name of its own")
}

pub(super) fn too_deep(span: Span) -> Diagnostic {
    interpolate(codes::TOO_DEEP, "classes are nested too deeply here").at(span, "one level too many")
}

fn capitalized(word: &str) -> String {
    let mut word = word.to_owned();
    word[..1].make_ascii_uppercase();
    word
}
