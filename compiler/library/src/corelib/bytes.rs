//! Text as bytes that are usually UTF-8: each invalid byte counts as one character. Functions spec, 15.3.

use super::FnError;
use memchr::memmem;

/// The characters in order; an invalid byte is `Err`.
pub(crate) fn chars(text: &[u8]) -> impl Iterator<Item = Result<char, u8>> + '_ {
    text.utf8_chunks().flat_map(|chunk| chunk.valid().chars().map(Ok).chain(chunk.invalid().iter().copied().map(Err)))
}

/// The bytes of each character, in order.
pub(crate) fn pieces(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    chars(text).map(move |char| {
        let from = at;
        at += char.map_or(1, char::len_utf8);
        &text[from..at]
    })
}

/// Maps each character; invalid bytes become U+FFFD.
pub(crate) fn map_chars(text: &[u8], map: impl Fn(char) -> char) -> Vec<u8> {
    let mapped: String = chars(text).map(|char| char.map_or(char::REPLACEMENT_CHARACTER, &map)).collect();
    mapped.into_bytes()
}

/// The offset of the first `part`. Cost: linear in all cases.
pub(crate) fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    memmem::find(text, part)
}

/// The offset of the last `part`. Cost: linear.
pub(crate) fn find_last(text: &[u8], part: &[u8]) -> Option<usize> {
    memmem::rfind(text, part)
}

/// The offsets of a non-empty `part`, from left to right, without overlaps. Cost: linear.
pub(crate) fn find_all<'t>(text: &'t [u8], part: &'t [u8]) -> impl Iterator<Item = usize> + 't {
    memmem::find_iter(text, part)
}

/// The maximum number of bytes of a text: a program must not fill the memory.
pub const MAX_TEXT: usize = 32 << 20;

/// The maximum number of elements of a list.
pub(crate) const MAX_ELEMENTS: usize = 1 << 20;

/// Joins the parts with a separator.
pub(crate) fn joined(parts: &[&[u8]], separator: &[u8]) -> Result<Vec<u8>, FnError> {
    let n_bytes = parts.iter().fold(0u64, |sum, part| sum + (part.len() + separator.len()) as u64);
    check_size(n_bytes.saturating_sub(separator.len() as u64))?;
    Ok(parts.join(separator))
}

/// Refuses a text of this size before it is made.
pub(crate) fn check_size(n_bytes: u64) -> Result<(), FnError> {
    if n_bytes <= MAX_TEXT as u64 {
        return Ok(());
    }
    Err(too_long())
}

/// The error of a function whose result would be too long.
pub(crate) fn too_long() -> FnError {
    FnError::fatal(format!("the string would exceed {} MiB", MAX_TEXT >> 20))
}
