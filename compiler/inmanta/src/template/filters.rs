//! What Jinja2 offers beyond minijinja's own filters and functions.

use minijinja::{Environment, Error, ErrorKind, Value};
use minijinja_contrib::{filters, globals, pycompat};

/// No text is padded beyond this width.
const MAX_WIDTH: usize = 100_000;

/// Methods of Python's texts, lists and dicts, and the filters and functions that minijinja leaves out.
pub(super) fn add(environment: &mut Environment<'_>) {
    environment.set_unknown_method_callback(pycompat::unknown_method_callback);
    environment.add_filter("truncate", truncate);
    environment.add_filter("striptags", filters::striptags);
    environment.add_filter("filesizeformat", filters::filesizeformat);
    environment.add_filter("wordcount", |text: String| text.split_whitespace().count());
    environment.add_filter("center", center);
    environment.add_filter("forceescape", |text: Value| minijinja::HtmlEscape(&text.to_string()).to_string());
    environment.add_filter("pprint", |value: Value| super::shown::repr(&value));
    environment.add_function("joiner", globals::joiner);
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
    let width = width.unwrap_or(80);
    if width > MAX_WIDTH {
        return Err(Error::new(ErrorKind::InvalidOperation, format!("no text is padded to {width} characters")));
    }
    let missing = width.saturating_sub(text.chars().count());
    // Python puts the odd blank to the left of a text in an odd width.
    let left = missing / 2 + (missing & width & 1);
    Ok(format!("{}{text}{}", " ".repeat(left), " ".repeat(missing - left)))
}
