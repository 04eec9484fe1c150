//! What Jinja2 offers beyond minijinja's own filters and functions.

use super::methods;
use minijinja::value::{Kwargs, Rest, ValueKind};
use minijinja::{Environment, Error, Value};
use minijinja_contrib::{filters, globals};
use std::collections::BTreeMap;

/// Methods of Python's texts, lists and dicts, and the filters and functions that minijinja leaves out.
pub(super) fn add(environment: &mut Environment<'_>) {
    environment.set_unknown_method_callback(methods::call);
    environment.add_filter("truncate", truncate);
    environment.add_filter("striptags", filters::striptags);
    environment.add_filter("filesizeformat", filters::filesizeformat);
    environment.add_filter("wordcount", |text: String| text.split_whitespace().count());
    environment.add_filter("center", center);
    environment.add_filter("wordwrap", wordwrap);
    environment.add_filter("tojson", |value: &Value, indent: Option<Value>, options: Kwargs| {
        minijinja::filters::tojson(&sorted(value), indent, options)
    });
    environment.add_filter("forceescape", |text: Value| minijinja::HtmlEscape(&text.to_string()).to_string());
    environment.add_filter("pprint", |value: Value| super::shown::repr(&value));
    environment.add_function("joiner", globals::joiner);
    environment.add_function("cycler", |items: Rest<Value>| globals::cycler(items.0));
    environment.add_test("callable", |_: &Value| false);
    environment.add_test("sequence", |value: &Value| {
        matches!(value.kind(), ValueKind::Seq | ValueKind::String | ValueKind::Map)
    });
}

/// The beginning of a text that is longer than `length` and a little, up to a blank.
fn truncate(
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

fn center(text: String, width: Option<usize>) -> Result<String, Error> {
    let width = methods::width(width.unwrap_or(80))?;
    let missing = width.saturating_sub(text.chars().count());
    // Python puts the odd blank to the left of a text in an odd width.
    let left = missing / 2 + (missing & width & 1);
    Ok(format!("{}{text}{}", " ".repeat(left), " ".repeat(missing - left)))
}

/// Lines of at most this width, broken at blanks; a word that is longer is broken anywhere.
fn wordwrap(text: String, width: Option<usize>, breaks_words: Option<bool>, end: Option<String>) -> String {
    let (width, end) = (width.unwrap_or(79).max(1), end.unwrap_or_else(|| "\n".into()));
    let breaks_words = breaks_words.unwrap_or(true);
    let mut lines = Vec::new();
    for line in text.lines() {
        let (mut begun, mut length) = (String::new(), 0);
        for word in line.split_whitespace() {
            let mut word: Vec<char> = word.chars().collect();
            if length > 0 && length + 1 + word.len() > width {
                lines.push(std::mem::take(&mut begun));
                length = 0;
            }
            if length > 0 {
                begun.push(' ');
                length += 1;
            }
            while breaks_words && word.len() > width {
                lines.push(word.drain(..width).collect());
            }
            length += word.len();
            begun.extend(word);
        }
        lines.push(begun);
    }
    lines.join(&end)
}

/// The value with the keys of its dicts in order, as Jinja2 writes them in JSON.
fn sorted(value: &Value) -> Value {
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
