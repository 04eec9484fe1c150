//! Error messages of templates, in the words of Jinja2.

use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;
use minijinja::{Error, ErrorKind};

/// The prefix of messages about unreadable templates.
const SYNTAX: &str = "jinja2.exceptions.TemplateSyntaxError";

/// The type and text of a syntax error.
pub(super) fn syntax(error: &Error, text: &str) -> String {
    let detail = error.detail().unwrap_or("syntax error");
    let misses_end = detail == "unexpected end of input, expected end of block";
    let tags = if misses_end || detail.starts_with("unknown statement ") { misplaced_tag(text) } else { None };
    let message = tags.or_else(|| unexpected(detail, error, text)).unwrap_or_else(|| detail.to_owned());
    format!("{SYNTAX}: {message}")
}

/// The type and text of a run-time error.
pub(super) fn running(error: &Error) -> String {
    let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    let named = |kind: &str| {
        let name = detail.strip_prefix(kind)?.strip_prefix(' ')?.strip_suffix(" is unknown")?;
        Some(format!("jinja2.exceptions.TemplateAssertionError: No {kind} named '{name}'."))
    };
    if let Some(text) = named("filter").or_else(|| named("test")) {
        return text;
    }
    if error.kind() == ErrorKind::InvalidOperation
        && detail.starts_with("unable to calculate ")
        && detail.ends_with("/ 0")
    {
        return "ZeroDivisionError: division by zero".into();
    }
    if error.kind() == ErrorKind::InvalidOperation
        && detail.starts_with("unable to calculate ")
        && detail.ends_with(" % 0")
    {
        let kind = if detail.contains('.') { "float" } else { "integer" };
        return format!("ZeroDivisionError: {kind} modulo by zero");
    }
    format!("jinja2.exceptions.TemplateRuntimeError: {detail}")
}

/// A statement that is still open.
struct Open<'s> {
    name: &'s str,
    /// The tags that may come next.
    awaited: &'static [&'static str],
}

impl Open<'_> {
    fn awaits(&self, tag: &str) -> bool {
        self.awaited.contains(&tag)
    }
}

/// The first tag that does not fit the ones before it, or the missing one at the end.
fn misplaced_tag(text: &str) -> Option<String> {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut tokens =
        tokenize(text, false, SyntaxConfig::default()).filter_map(|token| token.ok().map(|(token, _)| token));
    while let Some(token) = tokens.next() {
        if !matches!(token, Token::BlockStart) {
            continue;
        }
        let Some(Token::Ident(tag)) = tokens.next() else { return None };
        let mut is_assignment = false;
        let is_closed = tokens.by_ref().any(|token| {
            is_assignment |= matches!(token, Token::Assign);
            matches!(token, Token::BlockEnd)
        });
        if !is_closed {
            return None;
        }
        match (tag, open.last_mut()) {
            ("else", Some(last)) if last.awaits(tag) => {
                last.awaited = if last.name == "if" { &["endif"] } else { &["endfor"] }
            }
            ("elif", Some(last)) if last.awaits(tag) => {}
            (_, Some(last)) if last.awaits(tag) => {
                open.pop();
            }
            ("set", _) if is_assignment => {}
            ("include" | "import" | "from" | "extends", _) => {}
            _ => match awaited(tag) {
                Some(awaited) => open.push(Open { name: tag, awaited }),
                None => return Some(wrong_tag(Some(tag), &open)),
            },
        }
    }
    (!open.is_empty()).then(|| wrong_tag(None, &open))
}

fn awaited(tag: &str) -> Option<&'static [&'static str]> {
    Some(match tag {
        "if" => &["elif", "else", "endif"],
        "for" => &["endfor", "else"],
        "set" => &["endset"],
        "macro" => &["endmacro"],
        "call" => &["endcall"],
        "filter" => &["endfilter"],
        "with" => &["endwith"],
        "block" => &["endblock"],
        "autoescape" => &["endautoescape"],
        _ => return None,
    })
}

/// An unexpected tag, or the end of the template.
fn wrong_tag(tag: Option<&str>, open: &[Open<'_>]) -> String {
    let mut message = match tag {
        Some(tag) => format!("Encountered unknown tag '{tag}'."),
        None => "Unexpected end of template.".into(),
    };
    let Some(last) = open.last() else { return message };
    let awaited = last.awaited.iter().map(|tag| format!("'{tag}'")).collect::<Vec<_>>().join(" or ");
    message += &match tag {
        Some(tag) if open.iter().any(|open| open.awaits(tag)) => format!(
            " You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for {awaited}."
        ),
        _ => format!(" Jinja was looking for the following tags: {awaited}."),
    };
    message + &format!(" The innermost block that needs to be closed is '{}'.", last.name)
}

/// `unexpected identifier, expected end of block`, as in Jinja2.
fn unexpected(detail: &str, error: &Error, text: &str) -> Option<String> {
    let rest = detail.strip_prefix("unexpected ")?;
    let (found, expected) = match rest.split_once(", expected ") {
        Some((found, expected)) => (found, Some(expected)),
        None => (rest, None),
    };
    let there = error.range().and_then(|range| text.get(range)).map(str::trim).filter(|there| !there.is_empty());
    match (found, expected) {
        ("end of input", Some(expected)) => {
            Some(format!("unexpected end of template, expected '{}'.", token_name(expected, None)))
        }
        (found, Some(expected)) => {
            Some(format!("expected token '{}', got '{}'", token_name(expected, None), token_name(found, there)))
        }
        (found, None) => Some(format!("unexpected '{}'", token_name(found, there))),
    }
}

/// Jinja2's name of a token, which is its text unless it is an end.
fn token_name<'t>(token: &'t str, text: Option<&'t str>) -> &'t str {
    match token {
        "end of variable block" => "end of print statement",
        "end of block" => "end of statement block",
        "identifier" => text.unwrap_or("name"),
        token => text.unwrap_or(token.trim_matches('`')),
    }
}
