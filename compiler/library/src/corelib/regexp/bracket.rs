//! Brackets: `[a-z\d[:space:]]`.

use super::class::{self, Class, Item};
use super::error::{BAD_RANGE, NO_BRACKET, PatternError};
use super::escape;

/// The class at the start of the text, and the rest.
pub(super) fn class(text: &str, ignores_case: bool) -> Result<(Class, &str), PatternError> {
    let mut rest = &text[1..];
    let mut class = Class { ignores_case, ..Class::default() };
    if let Some(behind) = rest.strip_prefix('^') {
        (class.is_negated, rest) = (true, behind);
    }
    let mut single = Vec::new();
    let mut is_first = true;
    while is_first || !rest.starts_with(']') {
        is_first = false;
        if let Some((item, behind)) = named(rest)? {
            class.items.push(item);
            rest = behind;
            continue;
        }
        let (low, behind) = character(rest, text)?;
        let (mut high, mut end) = (low, behind);
        if let Some(behind) = behind.strip_prefix('-').filter(|behind| !behind.starts_with(']') && !behind.is_empty()) {
            (high, end) = character(behind, text)?;
        }
        if high < low {
            return Err(PatternError::new(BAD_RANGE, &rest[..rest.len() - end.len()]));
        }
        single.push((low, high));
        rest = end;
    }
    class.items.push(Item { ranges: crate::unicode::join(single).into(), is_negated: false });
    Ok((class, &rest[1..]))
}

/// `[:alpha:]`, `\d` or `\pL` at the start of the text.
fn named(text: &str) -> Result<Option<(Item, &str)>, PatternError> {
    let posix = text.strip_prefix("[:").and_then(|name| name.split_once(":]"));
    let Some((name, behind)) = posix else { return escape::class(text) };
    match class::posix(name) {
        Some(item) => Ok(Some((item, behind))),
        None => Err(PatternError::new(BAD_RANGE, &text[..text.len() - behind.len()])),
    }
}

fn character<'a>(text: &'a str, whole: &str) -> Result<(u32, &'a str), PatternError> {
    match text.chars().next() {
        None => Err(PatternError::new(NO_BRACKET, whole)),
        Some('\\') => escape::character(text),
        Some(char) => Ok((char.into(), &text[char.len_utf8()..])),
    }
}
