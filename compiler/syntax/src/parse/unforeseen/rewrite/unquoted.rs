//! A value of a field without quotes, with signs in it: `u=rw,go=r`, `root:root`.

use super::super::shape::Match;
use super::write;

/// A match that marks the value.
pub(in super::super) fn unquoted(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let value = text.get(found.marked.0..found.marked.1)?;
    let is_part = |char: char| {
        char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '+' | '=' | ':' | ',' | '.' | '/' | '@' | '%')
    };
    value.chars().all(is_part).then(|| write(&format!("\"{value}\"")))?.map(|help| vec![help])
}
