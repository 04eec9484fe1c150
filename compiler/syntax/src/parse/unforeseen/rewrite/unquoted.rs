//! Strings without all of their quotes: a value of a field with signs in it, such as `u=rw,go=r`, and an element of a
//! list that is not closed.

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

/// A match that captures what is before an element of a list whose string ends after its comma, the string, and the
/// word after it: `["git, "vim"]`.
pub(in super::super) fn open_element(_text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let [_, string, word, ..] = found.captures[..] else { return None };
    let element = string.strip_prefix('"')?.strip_suffix('"')?.trim_end().strip_suffix(',')?;
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | '/' | ':');
    let is_shown = !element.is_empty() && element.chars().all(is_plain);
    is_shown.then(|| vec![format!("close the string before the comma: `\"{element}\", \"{word}\"`")])
}
