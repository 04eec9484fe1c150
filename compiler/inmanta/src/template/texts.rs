//! Filters of Jinja2 that minijinja lacks, or implements differently.

use super::shown;
use minijinja::value::{Tuple, ValueKind};
use minijinja::{Error, ErrorKind, State, Value, tests};
use std::collections::BTreeMap;

/// The start of a text longer than `length` plus a tolerance, up to a space.
pub(super) fn truncate(
    text: String,
    length: Option<usize>,
    kills_words: Option<bool>,
    end: Option<String>,
    leeway: Option<usize>,
) -> String {
    let (length, leeway, end) = (length.unwrap_or(255), leeway.unwrap_or(5), end.unwrap_or_else(|| "...".into()));
    if text.chars().count() <= length.saturating_add(leeway) {
        return text;
    }
    let kept: String = text.chars().take(length.saturating_sub(end.chars().count())).collect();
    let kept = match kept.rsplit_once(' ') {
        Some((words, _)) if !kills_words.unwrap_or(false) => words,
        _ => &kept,
    };
    format!("{kept}{end}")
}

/// The number of characters or elements.
pub(super) fn length(value: &Value) -> Result<usize, Error> {
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    let lacking = || format!("TypeError: object of type '{}' has no len()", shown::python_kind(value));
    value.len().ok_or_else(|| Error::new(ErrorKind::InvalidOperation, lacking()))
}

/// The number of words: what other characters than letters, digits and `_` separate.
pub(super) fn wordcount(text: String) -> usize {
    let is_between = |char: char| !char.is_alphanumeric() && char != '_';
    text.split(is_between).filter(|word| !word.is_empty()).count()
}

pub(super) fn center(text: String, width: Option<usize>) -> String {
    let width = width.unwrap_or(80);
    let missing = width.saturating_sub(text.chars().count());
    // Python puts the odd blank to the left of a text in an odd width.
    let left = missing / 2 + (missing & width & 1);
    format!("{}{text}{}", " ".repeat(left), " ".repeat(missing - left))
}

/// `indent(text, width, first, blank)`: a prefix, or so many spaces, before each line but the first.
pub(super) fn indent(
    text: &Value,
    width: Option<Value>,
    first: Option<bool>,
    blank: Option<bool>,
) -> Result<String, Error> {
    let width = width.unwrap_or_else(|| Value::from(4));
    let prefix = match (width.as_str(), width.as_usize()) {
        (Some(prefix), _) => prefix.to_owned(),
        (None, Some(width)) => " ".repeat(width),
        (None, None) => return Err(Error::new(ErrorKind::InvalidOperation, "TypeError: a width must be an integer")),
    };
    if text.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    let text = shown::text(text);
    let mut out = String::with_capacity(text.len());
    for (nr, line) in text.split('\n').enumerate() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if nr > 0 {
            out.push('\n');
        }
        let is_indented = if nr == 0 { first == Some(true) } else { blank == Some(true) || !line.is_empty() };
        if is_indented {
            out.push_str(&prefix);
        }
        out.push_str(line);
    }
    Ok(out)
}

/// `replace(text, old, new, count)`
pub(super) fn replace(text: &Value, old: &Value, new: &Value, count: Option<i64>) -> Result<String, Error> {
    if [text, old, new].iter().any(|value| value.is_undefined()) {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    let [text, old, new] = [text, old, new].map(shown::text);
    Ok(match count.and_then(|count| usize::try_from(count).ok()) {
        Some(count) => text.replacen(&old, &new, count),
        None => text.replace(&old, &new),
    })
}

/// The last character, element or key.
pub(super) fn last(value: &Value) -> Result<Value, Error> {
    minijinja::filters::last(keys_of(value)?)
}

/// Whether it is the name of a filter.
pub(super) fn is_filter(state: &State<'_, '_>, name: &Value) -> bool {
    name.as_str().is_some_and(|name| tests::is_filter(state, name))
}

/// Whether it is the name of a test.
pub(super) fn is_test(state: &State<'_, '_>, name: &Value) -> bool {
    name.as_str().is_some_and(|name| tests::is_test(state, name))
}

/// The keys of a dict; any other value itself.
pub(super) fn keys_of(value: &Value) -> Result<Value, Error> {
    match value.kind() {
        ValueKind::Map => Ok(value.try_iter()?.collect()),
        _ => Ok(value.clone()),
    }
}

/// Errors: it is nothing that a loop or filter can iterate over. minijinja takes null for an empty list.
pub(super) fn check_iterable(value: &Value) -> Result<(), Error> {
    check_elements_of(value, |kind| format!("'{kind}' object is not iterable"))
}

/// Errors: nothing can be searched for in it.
pub(super) fn check_searchable(value: &Value) -> Result<(), Error> {
    check_elements_of(value, |kind| format!("argument of type '{kind}' is not iterable"))
}

/// Whether something is an element of a list, a key of a dict, or a part of a text.
///
/// Errors: nothing can be searched for in it, or it is a text, and the part is none.
pub(super) fn contained(state: &State<'_, '_>, part: &Value, whole: &Value) -> Result<bool, Error> {
    check_searchable(whole)?;
    // Nothing is compared.
    if whole.kind() == ValueKind::Seq && whole.len() == Some(0) {
        return Ok(false);
    }
    if whole.is_undefined() || part.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    let kind = shown::python_kind(part);
    if whole.kind() == ValueKind::Map && matches!(kind, "list" | "dict") {
        return Err(Error::new(ErrorKind::InvalidOperation, format!("TypeError: unhashable type: '{kind}'")));
    }
    if whole.as_str().is_some() && part.as_str().is_none() {
        let text = format!("TypeError: 'in <string>' requires string as left operand, not {kind}");
        return Err(Error::new(ErrorKind::InvalidOperation, text));
    }
    tests::is_in(state, part, whole)
}

/// Errors: it has no elements that could get names.
pub(super) fn check_unpackable(value: &Value) -> Result<(), Error> {
    check_elements_of(value, |kind| format!("cannot unpack non-iterable {kind} object"))
}

/// Errors: an element of a list has no elements itself.
pub(super) fn check_elements(list: &Value) -> Result<(), Error> {
    // The elements of other iterables can be taken only once.
    if list.kind() != ValueKind::Seq {
        return Ok(());
    }
    list.try_iter()?.try_for_each(|item| check_unpackable(&item))
}

fn check_elements_of(value: &Value, text: impl Fn(&str) -> String) -> Result<(), Error> {
    match value.kind() {
        ValueKind::None | ValueKind::Bool | ValueKind::Number => {
            let text = format!("TypeError: {}", text(shown::python_kind(value)));
            Err(Error::new(ErrorKind::InvalidOperation, text))
        }
        _ => Ok(()),
    }
}

/// A list of pairs as tuples.
pub(super) fn pairs(list: &Value) -> Result<Value, Error> {
    let tuple = |pair: Value| match pair.try_iter() {
        Ok(parts) => Value::from(Tuple::from(parts.collect::<Vec<Value>>())),
        Err(_) => pair.clone(),
    };
    Ok(list.try_iter()?.map(tuple).collect())
}

/// The value with sorted dict keys, as in Jinja2's JSON.
pub(super) fn sorted(value: &Value) -> Value {
    match (value.kind(), value.try_iter()) {
        (ValueKind::Map, Ok(keys)) => {
            let entry = |key: Value| {
                let item = value.get_item(&key).unwrap_or_default();
                (key, sorted(&item))
            };
            Value::from(keys.map(entry).collect::<BTreeMap<Value, Value>>())
        }
        (ValueKind::Seq, Ok(items)) => items.map(|item| sorted(&item)).collect(),
        _ => value.clone(),
    }
}
