//! Messages about names, attributes and elements that do not exist, in the words of Jinja2.

use super::shown::{INSTANCE, jinja_kind, repr};
use super::snapshot::Shared;
use minijinja::{Error, ErrorKind, Value};
use std::fmt::{self, Display, Formatter};
use std::ops::Range;

/// The error of a filter or test that is given what does not exist.
pub(super) const GIVEN: &str = "the value does not exist";

/// A macro uses its caller, but no `call` block called it.
const NO_CALLER: &str = "No caller defined";

/// What a template looked up without success.
#[derive(Clone, Debug)]
pub(super) enum Missed {
    /// A variable.
    Name(String),
    /// An attribute of a value of this type.
    Attribute(&'static str, String),
    /// An element of a value of this type.
    Element(&'static str, String),
}

impl Missed {
    /// What a value of this type lacks.
    pub(super) fn of(kind: &'static str, key: &Value) -> Missed {
        match key.as_str() {
            Some(name) => Missed::Attribute(kind, name.to_owned()),
            None => Missed::Element(kind, repr(key)),
        }
    }

    fn key(&self) -> &str {
        let (Missed::Name(key) | Missed::Attribute(_, key) | Missed::Element(_, key)) = self;
        key
    }
}

impl Display for Missed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Missed::Name(name) => write!(f, "'{name}' is undefined"),
            Missed::Attribute(kind, name) => write!(f, "'{}' has no attribute '{name}'", jinja_kind(kind)),
            Missed::Element(kind, key) => write!(f, "{} has no element {key}", jinja_kind(kind)),
        }
    }
}

/// What is undefined, if that is the error.
pub(super) fn message(error: &Error, text: &str, shared: &Shared) -> Option<String> {
    let detail = error.detail().unwrap_or_default();
    match error.kind() {
        // Its own words.
        ErrorKind::UndefinedError if detail.contains(" has no ") => return Some(detail.to_owned()),
        ErrorKind::UndefinedError => {}
        ErrorKind::UnknownFunction => return Some(format!("'{}' is undefined", detail.strip_suffix(" is unknown")?)),
        ErrorKind::UnknownMethod if detail.starts_with("undefined ") => {}
        ErrorKind::UnknownMethod => return method(detail),
        ErrorKind::InvalidOperation if has_undefined_operand(detail) => {}
        _ => return None,
    }
    let range = error.range().map(|range| whole_path(text, range));
    let source = range.clone().and_then(|range| text.get(range)).unwrap_or_default();
    let root = name(source);
    if source.contains("loop.nextitem") {
        return Some("there is no next item".into());
    }
    if source.contains("loop.previtem") {
        return Some("there is no previous item".into());
    }
    // Nothing but names, or it is the place of a filter or operator.
    let is_path = source.trim().split('.').all(|part| !part.is_empty() && part.chars().all(is_word));
    if let Some((_, attribute)) = source.split_once('.').filter(|_| is_path) {
        if root == "self" {
            let attribute = name(attribute);
            return Some(format!("'jinja2.runtime.TemplateReference object' has no attribute '{attribute}'"));
        }
        if !root.is_empty() && !shared.is_missing(&root) && !is_parameter(text, &root) {
            let path: Vec<&str> = source.trim().split('.').skip(1).collect();
            let lacking = shared.lacking(&root, &path).or_else(|| match shared.missed() {
                // A variable of the template itself, such as one of a loop.
                Some(Missed::Attribute(kind, attribute)) if path.contains(&&*attribute) => Some((kind, attribute)),
                _ => None,
            });
            let (kind, attribute) = lacking.unwrap_or_else(|| (INSTANCE, name(attribute)));
            return Some(Missed::Attribute(kind, attribute).to_string());
        }
    }
    if let Some((container, key)) = subscript(source)
        && let Some(kind) = shared.kind(container)
    {
        let missed = match key.strip_prefix(['"', '\'']) {
            Some(text) => Missed::Attribute(kind, text[..text.len() - 1].to_owned()),
            None => Missed::Element(kind, key.to_owned()),
        };
        return Some(missed.to_string());
    }
    if shared.is_missing(&root) {
        return Some(format!("'{root}' is undefined"));
    }
    if root == "caller" {
        return Some(NO_CALLER.into());
    }
    if is_parameter(text, &root) {
        // It may be given, and lack an attribute.
        let is_part = |missed: &Missed| source.trim().split('.').skip(1).any(|name| name == missed.key());
        return Some(match shared.missed().filter(is_part) {
            Some(missed @ Missed::Attribute(..)) if is_path => missed.to_string(),
            _ => format!("parameter '{root}' was not provided"),
        });
    }
    let (place, line) = match (range, error.line()) {
        (Some(range), _) => (range.start, whole_line(text, range.start)),
        (None, Some(nr)) => (0, text.lines().nth(nr - 1).unwrap_or_default()),
        (None, None) => (0, ""),
    };
    let missed = shared.missed();
    // A filter for an empty list has the same error, unless it is given what is missing.
    if let Some(word) = emptied(&root)
        && detail != GIVEN
        && missed.as_ref().is_none_or(|missed| filtered(text, place) != Some(missed.key()))
    {
        return Some(format!("No {word} item, sequence was empty."));
    }
    // The place may be that of the operator or filter. What was looked up last is most likely what it used.
    if let Some(missed) = missed.as_ref().filter(|missed| words(line).any(|word| word == missed.key())) {
        return Some(missed.to_string());
    }
    if let Some(word) = words(line).find(|word| shared.is_missing(word)) {
        return Some(format!("'{word}' is undefined"));
    }
    if let Some(missed) = missed {
        return Some(missed.to_string());
    }
    Some(unprovided(text, line).unwrap_or_else(|| match filtered(text, place).and_then(emptied) {
        Some(word) => format!("No {word} item, sequence was empty."),
        None => format!("'{root}' is undefined"),
    }))
}

/// `tried to use + operator on unsupported types undefined and number`, or a call of what does not exist
fn has_undefined_operand(detail: &str) -> bool {
    if detail == "value of type undefined is not callable" {
        return true;
    }
    let kinds = detail.split_once(" operator on unsupported types ").and_then(|(_, kinds)| kinds.split_once(" and "));
    kinds.is_some_and(|(left, right)| left == "undefined" || right == "undefined")
}

/// What a filter of this name does not find in an empty list.
fn emptied(filter: &str) -> Option<&'static str> {
    match filter {
        "first" => Some("first"),
        "last" => Some("last"),
        "min" | "max" => Some("aggregated"),
        _ => None,
    }
}

/// The last word before the filter at a place.
fn filtered(text: &str, filter: usize) -> Option<&str> {
    let before = text.get(..filter)?.trim_end().strip_suffix('|')?.trim_end();
    words(before).last().filter(|word| before.ends_with(*word))
}

/// The parts of `name[key]`, if the text is nothing else and the key is a number or a plain string.
fn subscript(source: &str) -> Option<(&str, &str)> {
    let (container, key) = source.trim().strip_suffix(']')?.split_once('[')?;
    let (container, key) = (container.trim_end(), key.trim());
    let quoted = ['"', '\''].iter().find_map(|quote| key.strip_prefix(*quote)?.strip_suffix(*quote));
    let is_plain = match quoted {
        Some(text) => text.chars().all(is_word),
        None => !key.is_empty() && key.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit()),
    };
    (is_plain && !container.is_empty() && container.chars().all(is_word)).then_some((container, key))
}

/// `string has no method named x`
fn method(detail: &str) -> Option<String> {
    let (kind, method) = detail.split_once(" has no method named ")?;
    let kind = match kind {
        "string" => "str",
        "sequence" => "list",
        "map" => "dict",
        "number" => "int",
        _ => return None,
    };
    Some(format!("'{kind} object' has no attribute '{method}'"))
}

/// The name that a text begins with.
fn name(text: &str) -> String {
    text.trim_start().chars().take_while(|char| is_word(*char)).collect()
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !is_word(char)).filter(|word| !word.is_empty())
}

/// The range of a name and its attributes. minijinja reports that of the last two attributes only.
fn whole_path(text: &str, range: Range<usize>) -> Range<usize> {
    let Some(before) = text.get(..range.start).filter(|_| text[range.start..].starts_with('.')) else { return range };
    before.trim_end_matches(|char| is_word(char) || char == '.').len()..range.end
}

fn whole_line(text: &str, at: usize) -> &str {
    let (Some(before), Some(behind)) = (text.get(..at), text.get(at..)) else { return "" };
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let end = behind.find('\n').map_or(text.len(), |end| at + end);
    &text[start..end]
}

/// Whether a macro has a parameter of this name.
fn is_parameter(text: &str, name: &str) -> bool {
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once("macro ")
        && let Some((_, behind)) = behind.split_once('(')
        && let Some((params, behind)) = behind.split_once("%}")
    {
        if words(params).any(|word| word == name) {
            return true;
        }
        rest = behind;
    }
    false
}

/// What a line of a macro may lack: a parameter without a default, or the caller.
fn unprovided(text: &str, line: &str) -> Option<String> {
    let uses = line.split("%}").map(|part| match part.rsplit_once("{%") {
        Some((before, tag)) if tag.trim_start_matches(['-', '+']).trim_start().starts_with("macro ") => before,
        _ => part,
    });
    uses.flat_map(words).find_map(|word| match word {
        "caller" => Some(NO_CALLER.to_owned()),
        word if is_required(text, word) => Some(format!("parameter '{word}' was not provided")),
        _ => None,
    })
}

/// Whether a macro has a parameter of this name without a default.
fn is_required(text: &str, name: &str) -> bool {
    text.split("macro ").skip(1).any(|behind| {
        let head = behind.split_once("%}").map_or(behind, |(head, _)| head);
        let params = head.split_once('(').map_or("", |(_, params)| params);
        let mut required = params.split(',').filter(|param| !param.contains('='));
        required.any(|param| param.trim_matches(|char: char| !is_word(char)) == name)
    })
}
