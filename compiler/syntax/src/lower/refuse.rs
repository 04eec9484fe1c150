//! Messages of the init and interpolate stages.

use crate::diag::{Code, Diagnostic, Stage, codes, suggest};
use crate::ident::capitalized;
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
        .at(span, "defined again here")
        .also(first, "first defined here")
        .help(format!("keep one of them; for a choice write `{name} => if cond {{ a }} else {{ b }},`"))
}

pub(super) fn duplicate_meta(name: &str, span: Span, first: Span) -> Diagnostic {
    init(codes::DUPLICATE_META, format!("the meta parameter `{name}` is set twice"))
        .at(span, "defined again here")
        .also(first, "first defined here")
        .help("remove one of the two")
}

pub(super) fn unknown_edge_property(word: &str, span: Span) -> Diagnostic {
    let said = init(codes::UNKNOWN_EDGE_PROPERTY, format!("unknown edge `{}`", capitalized(word)));
    let said = said.at(span, "unknown edge");
    match word {
        "require" | "after" | "requires" => said.help("write `Depend`: this resource waits for the other one"),
        "subscribe" | "watch" => said.help("write `Listen`: this resource is notified of changes to the other one"),
        _ => match suggest::closest(word, ["before", "notify", "depend", "listen"]) {
            Some(near) => said.help(format!("did you mean `{}`?", capitalized(near))),
            None => said.help("the edges are `Before`, `Notify`, `Depend` and `Listen`"),
        },
    }
}

pub(super) fn unknown_meta(word: &str, span: Span) -> Diagnostic {
    let diagnostic = init(codes::UNKNOWN_META, format!("unknown meta parameter `{word}`")).at(span, "unknown");
    let near = |name: &str| name.len() > 3 && (name.starts_with(word) || word.starts_with(name));
    let names = || MetaProperty::ALL.into_iter().map(MetaProperty::name);
    // `retries` begins as `retry` does.
    let shared = |name: &str| name.bytes().zip(word.bytes()).take_while(|(one, other)| one == other).count();
    let alike = || names().filter(|name| shared(name) > 3).min_by_key(|name| std::cmp::Reverse(shared(name)));
    match names().find(|name| near(name)).or_else(|| suggest::closest(word, names())).or_else(alike) {
        Some(name) => diagnostic.help(format!("did you mean `Meta:{name}`?")),
        None => {
            let names: Vec<String> =
                MetaProperty::ALL.into_iter().map(|property| format!("`{}`", property.name())).collect();
            diagnostic.help(format!("the meta parameters are {}", names.join(", ")))
        }
    }
}

pub(super) fn mixed_map_keys(ty: &Type, span: Span, first: (&Type, Span)) -> Diagnostic {
    init(codes::MIXED_MAP_KEYS, "the keys of a map must have the same type")
        .at(span, format!("this is `{ty}`"))
        .also(first.1, format!("the first key is `{}`", first.0))
        .help("use keys of the same type, or a struct: `struct{name => value}`")
}

pub(super) fn unhashable_map_key(ty: &Type, span: Span) -> Diagnostic {
    init(codes::UNHASHABLE_MAP_KEY, format!("a `{ty}` cannot be the key of a map"))
        .at(span, "used as a key")
        .help("a key must be a bool, str, int, float, or a struct of these")
}

pub(super) fn duplicate_map_key(key: &str, span: Span, first: Span) -> Diagnostic {
    init(codes::DUPLICATE_MAP_KEY, format!("duplicate key `{key}`"))
        .at(span, "defined again here")
        .also(first, "first defined here")
        .help("remove one of the two")
}

pub(super) fn duplicate_struct_field(name: &str, span: Span, first: Span) -> Diagnostic {
    init(codes::DUPLICATE_STRUCT_FIELD, format!("duplicate field `{name}`"))
        .at(span, "defined again here")
        .also(first, "first defined here")
        .help("remove one of the two")
}

pub(super) fn empty_import(span: Span) -> Diagnostic {
    init(codes::EMPTY_IMPORT, "empty import")
        .at(span, "expected the name of a module")
        .help("write the name of a module, as in `import \"fmt\"`, or a file")
}

pub(super) fn import_in_loop(span: Span) -> Diagnostic {
    init(codes::IMPORT_IN_LOOP, "`import` in the body of a loop")
        .at(span, "imports are resolved before the program runs")
        .help("move the import out of the loop")
}

fn underscores(diagnostic: Diagnostic, span: Span) -> Diagnostic {
    diagnostic.at(span, "used here").help("rename the variable, with single underscores")
}

pub(super) fn double_underscore(name: &str, span: Span) -> Diagnostic {
    let message = format!("the variable `${name}` has two underscores in a row");
    underscores(init(codes::DOUBLE_UNDERSCORE, message), span)
}

/// The same inside an interpolated string.
pub(super) fn double_underscore_in_hole(name: &str, span: Span) -> Diagnostic {
    let message = format!("the variable `${name}` has two underscores in a row");
    underscores(interpolate(codes::DOUBLE_UNDERSCORE, message), span)
}

pub(super) fn unknown_escape(c: char, span: Span) -> Diagnostic {
    let said = interpolate(codes::UNKNOWN_ESCAPE, format!("unknown escape sequence `\\{c}`")).at(span, "unknown");
    // Signs that shells and other languages escape. Those of regular expressions need the backslash.
    if matches!(c, '\'' | '#' | '/' | '@' | '%' | '&' | '!' | ';') {
        return said
            .help(format!("`{c}` needs no backslash in a string: remove it; for a backslash, write `\\\\`"))
            .edit(span, c.to_string(), "remove the backslash");
    }
    said.help("write `\\\\` for a backslash; the escape sequences are `\\a \\b \\f \\n \\r \\t \\v \\\\ \\\" \\$`")
}

pub(super) fn lone_backslash(span: Span) -> Diagnostic {
    interpolate(codes::UNKNOWN_ESCAPE, "the string ends with a backslash")
        .at(span, "incomplete escape sequence")
        .help("to end a string with a backslash, append an empty variable: `\"a\\\\${empty}\"`")
}

/// `${name` without its `}`.
pub(super) fn open_hole(name: &str, span: Span) -> Diagnostic {
    interpolate(codes::BAD_HOLE, "missing `}` after the name of a variable")
        .at(span, "expected `}` after this")
        .help(format!("write `${{{name}}}`"))
        .help("for the text `${`, write `\\${`")
        .edit(span.at_end(), "}", "add the `}`")
}

/// Whether a variable or a class can have this name.
fn is_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.bytes().all(is_part)
}

/// The name and the fallback of a shell parameter, as in `PORT:-80`.
fn shell_default(hole: &str) -> Option<(&str, &str)> {
    let (name, fallback) = hole.split_once(":-").or_else(|| hole.split_once(":="))?;
    let is_word = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_word && !fallback.contains(['\\', '$'])).then_some((name, fallback))
}

/// Characters of an expression that is more than the name of a variable.
const COMPUTED: [char; 7] = ['(', '[', '+', '-', '*', '/', '>'];

pub(super) fn bad_hole(hole: &str, span: Span) -> Diagnostic {
    let is_word = !hole.is_empty() && hole.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_shown = hole.len() <= 60 && !hole.contains(['\n', '"', '`']);
    let default = shell_default(hole).filter(|_| is_shown);
    let (label, help) = match hole {
        _ if default.is_some() => {
            let (name, fallback) = default.unwrap_or_default();
            (
                "this looks like a shell parameter",
                format!(
                    "define a variable, `$value = sys.getenv(\"{name}\") <|> \"{fallback}\"`, after `import \"sys\"`, and \
                     write `${{value}}`"
                ),
            )
        }
        "" => ("expected a name", "write the name of a variable, as in `${name}`".to_owned()),
        _ if hole.starts_with('$') && is_shown && hole.contains(COMPUTED) => (
            "expected the name of a variable",
            format!("define a variable for the value, `$value = {}`, and write `${{value}}`", hole.replace('\'', "\"")),
        ),
        _ if hole.starts_with('$') => {
            let name = Some(hole.trim_start_matches('$')).filter(|name| is_name(name) && is_shown).unwrap_or("name");
            ("unexpected `$`", format!("write the name without its `$`: `${{{name}}}`"))
        }
        _ if is_name(hole.trim()) && is_shown => {
            ("spaces around the name", format!("write the name without the spaces: `${{{}}}`", hole.trim()))
        }
        _ if is_word && hole.contains(|char: char| char.is_ascii_uppercase()) => (
            "names cannot contain capital letters",
            format!(
                "write `${{{}}}` for a variable; for an environment variable, write `sys.getenv(\"{hole}\")`, after `import \"sys\"`",
                hole.to_ascii_lowercase()
            ),
        ),
        _ if hole.starts_with("count.index") => (
            "this looks like HCL",
            "in a loop, `for $index, $value in $list { … }`, define `$n = fmt.printf(\"%d\", $index)`, after \
             `import \"fmt\"`, and write `${n}`"
                .to_owned(),
        ),
        _ if is_shown && hole.contains(COMPUTED) => {
            let begins = hole.split(['[', '-', '+', '*', '/']).next().unwrap_or_default().trim();
            let is_name = !begins.contains('(') && begins.starts_with(|char: char| char.is_ascii_lowercase());
            let sigil = if is_name { "$" } else { "" };
            (
                "expected the name of a variable",
                format!(
                    "define a variable for the value, `$value = {sigil}{}`, and write `${{value}}`",
                    hole.replace('\'', "\"")
                ),
            )
        }
        _ => (
            "expected the name of a variable",
            match hole.split_once("::") {
                Some((class, name)) if is_name(class) && is_name(name) => format!(
                    "include the class with an alias, `include {class} as {class}`, and write `${{{class}.{name}}}`"
                ),
                _ => "define a variable for the value, `$name = …`, and write `${name}`".to_owned(),
            },
        ),
    };
    interpolate(codes::BAD_HOLE, "only a variable can be interpolated")
        .at(span, label)
        .help(help)
        .help("for the text `${`, write `\\${`")
}

pub(super) fn too_many_holes(n_parts: usize, span: Span) -> Diagnostic {
    interpolate(codes::TOO_MANY_HOLES, format!("a string with {n_parts} parts is too long to interpolate"))
        .at(span, "literal parts and variables count")
        .help("split the string, and join the parts with `+`")
}

pub(super) fn duplicate_class(name: &str, span: Span, first: Span) -> Diagnostic {
    interpolate(codes::DUPLICATE_CLASS, format!("the class `{name}` is defined more than once"))
        .at(span, "defined again here")
        .also(first, "first defined here")
        .help("rename one of the two")
}

pub(super) fn too_deep(span: Span) -> Diagnostic {
    interpolate(codes::TOO_DEEP, "maximum nesting depth of classes exceeded").at(span, "nested too deeply")
}
