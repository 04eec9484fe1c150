//! Error messages of templates, in the words of Jinja2.

use super::{environment, shown, tags};
use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;
use minijinja::{Error, Value};

/// The prefix of messages about unreadable templates.
const SYNTAX: &str = "jinja2.exceptions.TemplateSyntaxError";

/// The type and text of an error in a string literal.
pub(super) fn escape(wrong: &str) -> String {
    format!("{SYNTAX}: {wrong}")
}

/// The type and text of a syntax error.
pub(super) fn syntax(error: &Error, text: &str) -> String {
    let detail = error.detail().unwrap_or("syntax error");
    let misses_end = detail == "unexpected end of input, expected end of block";
    let tags = if misses_end || detail.starts_with("unknown statement ") { tags::misplaced(text) } else { None };
    if detail.starts_with("block '") && detail.ends_with("' defined twice") {
        return format!("jinja2.exceptions.TemplateAssertionError: {detail}");
    }
    if let Some((missing, _)) = detail.split_once(" (line ").filter(|_| detail.starts_with("No ")) {
        return format!("jinja2.exceptions.TemplateAssertionError: {missing}");
    }
    if let Some((wrong, _)) = detail.split_once(" (line ").filter(|_| detail.to_lowercase().starts_with("expected ")) {
        return format!("{SYNTAX}: {wrong}");
    }
    match detail.strip_prefix("cannot assign to reserved variable name ") {
        Some("loop") if error.range().is_some_and(|range| is_in(text, range.start, "for")) => {
            let text = "Can't assign to special loop variable in for-loop target";
            return format!("jinja2.exceptions.TemplateAssertionError: {text}");
        }
        Some("loop" | "self") | None => {}
        Some(_) => return format!("{SYNTAX}: can't assign to 'const'"),
    }
    let plain = match detail {
        "non-keyword arg after keyword arg" => Some("invalid syntax for function call expression"),
        "expected a filter" => Some("expected token 'name', got 'end of statement block'"),
        detail if detail.starts_with("unknown ") && detail.ends_with(", expected statement") => {
            Some("tag name expected")
        }
        detail if detail.starts_with("expected call expression in call block, got ") => Some("expected call"),
        _ => None,
    };
    let message = tags
        .or_else(|| plain.map(str::to_owned))
        .or_else(|| unexpected(detail, error, text))
        .or_else(|| wrong_end(detail));
    let message = message.unwrap_or_else(|| detail.to_owned());
    format!("{SYNTAX}: {message}")
}

/// The type and text of a run-time error.
pub(super) fn running(error: &Error) -> String {
    let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    let named = |kind: &str| {
        let name = detail.strip_prefix(kind)?.strip_prefix(' ')?.strip_suffix(" is unknown")?;
        // A template that uses one outside of an `if` is not rendered; the names of functions have several parts.
        let is_looked_up = !name.contains('.') && !environment::has(kind == "filter", name);
        Some(match is_looked_up {
            true => format!("jinja2.exceptions.TemplateRuntimeError: No {kind} named '{name}' found."),
            false => format!("jinja2.exceptions.TemplateAssertionError: No {kind} named '{name}'."),
        })
    };
    if let Some(text) = named("filter").or_else(|| named("test")) {
        return text;
    }
    // Its own words, with the class before them.
    if detail.split_once(": ").is_some_and(|(class, _)| class.ends_with("Error") && !class.contains(' ')) {
        return if detail.starts_with("FilterArgumentError") { format!("jinja2.exceptions.{detail}") } else { detail };
    }
    if let Some(text) = not_found(&detail).or_else(|| operands(&detail)).or_else(|| unfit(&detail)) {
        return text;
    }
    format!("jinja2.exceptions.TemplateRuntimeError: {detail}")
}

/// A template that a statement names.
fn not_found(detail: &str) -> Option<String> {
    let included = detail.strip_prefix("tried to include non-existing template '").and_then(|it| it.strip_suffix('\''));
    let extended = || detail.strip_prefix("template \"")?.strip_suffix("\" does not exist");
    Some(format!("jinja2.exceptions.TemplateNotFound: {}", included.or_else(extended)?))
}

/// `tried to use + operator on unsupported types string and number`, in the words of Python.
fn operands(detail: &str) -> Option<String> {
    let (sign, kinds) = detail.strip_prefix("tried to use ")?.split_once(" operator on unsupported types ")?;
    let (left, right) = kinds.split_once(" and ")?;
    let (left, right) = (python(left), python(right));
    let sign = if sign == "**" { "** or pow()" } else { sign };
    Some(match (sign, left) {
        ("+", "str" | "list") => format!("TypeError: can only concatenate {left} (not \"{right}\") to {left}"),
        _ => format!("TypeError: unsupported operand type(s) for {sign}: '{left}' and '{right}'"),
    })
}

/// `value of type number is not callable` and the like, in the words of Python.
fn unfit(detail: &str) -> Option<String> {
    if detail == "filter name is required" {
        return Some("jinja2.exceptions.FilterArgumentError: map requires a filter argument".into());
    }
    if detail.starts_with("can only assign to namespaces, not ") {
        let text = "cannot assign attribute on non-namespace object";
        return Some(format!("jinja2.exceptions.TemplateRuntimeError: {text}"));
    }
    if let Some(counts) = detail.strip_prefix("sequence of wrong length (expected ") {
        let (wanted, found) = counts.strip_suffix(')')?.split_once(", got ")?;
        let (n_wanted, n_found) = (wanted.parse::<usize>().ok()?, found.parse::<usize>().ok()?);
        return Some(match n_found > n_wanted {
            true => format!("ValueError: too many values to unpack (expected {wanted})"),
            false => format!("ValueError: not enough values to unpack (expected {wanted}, got {found})"),
        });
    }
    let kind = detail.strip_prefix("value of type ")?.strip_suffix(" is not callable")?;
    Some(format!("TypeError: '{}' object is not callable", python(kind)))
}

/// Python's name of a type of minijinja.
fn python(kind: &str) -> &'static str {
    match kind {
        "string" => "str",
        "number" => "int",
        "none" => "NoneType",
        "sequence" | "iterable" => "list",
        "map" => "dict",
        "plain object" => "DynamicProxy",
        _ => "bool",
    }
}

/// The name at the end of a block, which differs from that at its start.
fn wrong_end(detail: &str) -> Option<String> {
    let (name, _) = detail.strip_prefix("mismatching name on block. Got `")?.split_once('`')?;
    Some(format!("expected token 'end of statement block', got '{name}'"))
}

/// `unexpected identifier, expected end of block`, as in Jinja2.
fn unexpected(detail: &str, error: &Error, text: &str) -> Option<String> {
    let rest = detail.strip_prefix("unexpected ")?;
    let (found, expected) = match rest.split_once(", expected ") {
        Some((found, expected)) => (found, Some(expected)),
        None => (rest, None),
    };
    let there = error.range().and_then(|range| text.get(range)).map(str::trim).filter(|there| !there.is_empty());
    let is_end = matches!(found, "end of variable block" | "end of block");
    match (found, expected) {
        ("end of comment", _) => return Some("Missing end of comment tag".into()),
        ("end of raw block", _) => return Some("Missing end of raw directive".into()),
        ("character" | "end of string", None) => {
            let place = unread(text);
            let char = text.get(place..)?.chars().next()?;
            // A token of Jinja2 that is not allowed in any tag.
            if char == ';' && open_bracket(text, place).is_none() && !awaits_value(text, place) {
                return Some(format!("expected token '{}', got ';'", end_at(text, place)));
            }
            let char = shown::repr(&Value::from(char.to_string()));
            return Some(format!("unexpected char {char} at {}", text[..place].chars().count()));
        }
        (_, Some("identifier or integer")) => return Some("expected name or number".into()),
        ("`)`" | "`,`", Some("`=`" | "assignment operator")) => {
            return Some("non-default argument follows default argument".into());
        }
        _ => {}
    }
    if expected == Some("in")
        && let Some(range) = error.range()
        && follows_not(text, range.start)
    {
        return Some(format!("expected token '{}', got 'not'", end_at(text, range.start)));
    }
    if expected == Some("identifier")
        && let Some(text) = error.range().and_then(|range| wrong_target(found, text, range.start, there))
    {
        return Some(text);
    }
    let closed = match found {
        "`)`" => Some(')'),
        "`]`" => Some(']'),
        "`}`" => Some('}'),
        _ => is_end.then_some('}'),
    };
    if let (Some(closed), Some(range)) = (closed, error.range()) {
        match open_bracket(text, range.start) {
            Some(close) if is_end || close != closed => {
                return Some(format!("unexpected '{closed}', expected '{close}'"));
            }
            None if !is_end => return Some(format!("unexpected '{closed}'")),
            _ => {}
        }
    }
    match (found, expected) {
        (_, None) if is_end => {
            let begins = error.range().is_none_or(|range| awaits_value(text, range.start));
            let word = if begins { "Expected an expression, got" } else { "unexpected" };
            Some(format!("{word} '{}'", token_name(found, None)))
        }
        ("end of input", Some(expected)) => {
            Some(format!("unexpected end of template, expected '{}'.", token_name(expected, None)))
        }
        (found, Some("assignment operator")) if error.range().is_some_and(|range| is_in(text, range.start, "set")) => {
            Some(format!("expected token 'end of statement block', got '{}'", token_name(found, there)))
        }
        // What follows an index may be another one.
        (found, Some("`]`")) => Some(format!("expected token ',', got '{}'", token_name(found, there))),
        (found, Some(expected)) => {
            Some(format!("expected token '{}', got '{}'", token_name(expected, None), token_name(found, there)))
        }
        (found, None) => Some(format!("unexpected '{}'", token_name(found, there))),
    }
}

/// The first word of the block that is open at a place, and what stands between it and the place.
fn tag(text: &str, place: usize) -> Option<(&str, &str)> {
    let before = text.get(..place)?;
    let inside = before[before.rfind("{%")? + 2..].trim_start_matches(['-', '+']).trim();
    if inside.contains("%}") {
        return None;
    }
    Some(match inside.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim()),
        None => (inside, ""),
    })
}

/// The end of the tag around a place.
fn end_at(text: &str, place: usize) -> &'static str {
    if tag(text, place).is_some() { "end of statement block" } else { "end of print statement" }
}

fn is_in(text: &str, place: usize, word: &str) -> bool {
    tag(text, place).is_some_and(|(first, _)| first == word)
}

/// Whether there is a `not` before a place, outside of brackets: without an `in`, it cannot follow a value.
fn follows_not(text: &str, place: usize) -> bool {
    let before = text.get(..place).unwrap_or_default().trim_end();
    let word = before.rsplit(|char: char| !char.is_alphanumeric() && char != '_').next();
    word == Some("not") && open_bracket(text, place).is_none()
}

/// Whether a value begins at a place: Jinja2 expects an expression there, and within a value only finds an end that is
/// unexpected.
fn awaits_value(text: &str, place: usize) -> bool {
    let before = text.get(..place).unwrap_or_default().trim_end();
    if before.ends_with("{{") || before.ends_with("{{-") {
        return true;
    }
    match tag(text, place) {
        Some(("if" | "elif", rest)) => rest.is_empty(),
        Some(("for", rest)) => rest.is_empty() || rest.ends_with(" in"),
        Some(("set", rest)) => rest.is_empty() || rest.ends_with('=') && !rest.ends_with("=="),
        _ => false,
    }
}

/// What is not a name, where a `set`, `for` or `with` assigns to it.
fn wrong_target(found: &str, text: &str, place: usize, there: Option<&str>) -> Option<String> {
    let (word, rest) = tag(text, place)?;
    let is_target = match word {
        "set" | "with" => !rest.contains('='),
        "for" => !rest.split_whitespace().any(|word| word == "in"),
        _ => false,
    };
    // Names of attributes and filters.
    if !is_target || rest.ends_with(['.', '|']) {
        return None;
    }
    let kind = match found {
        "integer" | "float" | "string" => "const",
        "`[`" => "list",
        "`{`" => "dict",
        _ => return Some(format!("unexpected '{}'", token_name(found, there))),
    };
    let kind = if rest.contains(',') { "tuple" } else { kind };
    Some(format!("can't assign to '{kind}'"))
}

/// The place of the first text that is not part of a token.
fn unread(text: &str) -> usize {
    let tokens = tokenize(text, false, SyntaxConfig::default());
    let read = tokens.map_while(Result::ok).last().map_or(0, |(_, span)| span.end_offset as usize);
    let rest = text.get(read..).unwrap_or_default();
    read + (rest.len() - rest.trim_start().len())
}

/// The end of the innermost bracket that is open at a place.
fn open_bracket(text: &str, place: usize) -> Option<char> {
    let mut open = Vec::new();
    for token in tokenize(text, false, SyntaxConfig::default()) {
        let Ok((token, span)) = token else { break };
        if span.start_offset as usize >= place {
            break;
        }
        match token {
            Token::BlockStart | Token::VariableStart => open.clear(),
            Token::BracketOpen => open.push(']'),
            Token::ParenOpen => open.push(')'),
            Token::BraceOpen => open.push('}'),
            Token::BracketClose | Token::ParenClose | Token::BraceClose => {
                open.pop();
            }
            _ => {}
        }
    }
    open.pop()
}

/// Jinja2's name of a token, which is its text unless it is an end or a constant.
fn token_name<'t>(token: &'t str, text: Option<&'t str>) -> &'t str {
    match token {
        "end of variable block" => "end of print statement",
        "end of block" => "end of statement block",
        "identifier" => text.unwrap_or("name"),
        "assignment operator" => "=",
        "integer" | "float" | "string" => token,
        token => text.unwrap_or(token.trim_matches('`')),
    }
}
