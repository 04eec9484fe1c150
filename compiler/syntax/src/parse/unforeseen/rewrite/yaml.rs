//! A block of YAML as rows: enough of it for what is pasted from playbooks and states.

use crate::parse::written;

/// The maximum number of rows of a block that are read.
const MOST: usize = 60;

/// A line without its indentation and its comment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    pub(super) depth: usize,
    pub(super) text: &'a str,
}

/// The rows from an offset on, up to the next line that is indented no more than the first one; empty lines are left
/// out. With `items`, lines of the same depth that begin with `- ` continue the block.
pub(super) fn block(text: &str, start: usize, items: bool) -> Vec<Row<'_>> {
    let from = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let rows = text[from..].lines().map(|line| {
        let text = line.trim_start_matches([' ', '\t']);
        let depth = line.len() - text.len();
        let text = text.split(" #").next().unwrap_or(text).trim_end();
        Row { depth, text }
    });
    let mut rows = rows.filter(|row| !row.text.is_empty() && !row.text.starts_with('#'));
    let Some(head) = rows.next() else { return Vec::new() };
    let rest = rows.take_while(|row| row.depth > head.depth || items && row.depth == head.depth && is_item(row.text));
    std::iter::once(head).chain(rest).take(MOST).collect()
}

pub(super) fn is_item(text: &str) -> bool {
    text.starts_with("- ")
}

/// `key: value`, with the text of the value or nothing.
pub(super) fn pair(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(':')?;
    let is_key = !key.is_empty() && !key.contains([' ', '{', '(', '"']);
    (is_key && (value.is_empty() || value.starts_with(' '))).then(|| (key.trim_matches('\''), value.trim()))
}

/// The pairs of rows at the depth of the first one, each with its value: a scalar, or the list of the items below it.
/// With `items`, each pair is an item.
pub(super) fn pairs<'a>(rows: &[Row<'a>], items: bool) -> Vec<(&'a str, Value<'a>)> {
    let Some(first) = rows.first() else { return Vec::new() };
    let mut pairs = Vec::new();
    let mut at = 0;
    while let Some(row) = rows.get(at) {
        at += 1;
        let text = if items { row.text.strip_prefix("- ").unwrap_or("") } else { row.text };
        let Some((key, value)) = pair(text).filter(|_| row.depth == first.depth) else { continue };
        let below = rows[at..].iter().take_while(|below| {
            // The items of a list may stand as deep as their key.
            below.depth > first.depth || !items && below.depth == first.depth && is_item(below.text)
        });
        let below = &rows[at..at + below.count()];
        at += below.len();
        let value = match (value, below.is_empty()) {
            ("", false) => Value::List(below.iter().filter_map(|row| row.text.strip_prefix("- ")).collect()),
            (value, _) => Value::Scalar(value),
        };
        pairs.push((key, value));
    }
    pairs
}

/// The value of a pair.
#[derive(Clone, Debug)]
pub(super) enum Value<'a> {
    Scalar(&'a str),
    List(Vec<&'a str>),
}

impl<'a> Value<'a> {
    pub(super) fn scalar(&self) -> Option<&'a str> {
        match self {
            Value::Scalar(text) if !text.is_empty() && !text.starts_with(['|', '>', '{', '&', '*', '!']) => Some(text),
            Value::Scalar(_) | Value::List(_) => None,
        }
    }

    /// The value in MCL.
    pub(super) fn written(&self) -> Option<String> {
        match self {
            Value::List(items) if items.is_empty() || items.iter().any(|item| pair(item).is_some()) => None,
            Value::List(items) => Some(written::list(items.iter().copied())),
            Value::Scalar(_) => self.scalar().map(written::as_value),
        }
    }
}
