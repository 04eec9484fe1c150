//! Text as bytes that are usually UTF-8: characters, where each byte that is none counts as one.
//! Functions spec, 15.3.

use super::FnError;

/// The characters in order; a byte that is no part of one is `Err`.
pub(crate) fn chars(text: &[u8]) -> impl Iterator<Item = Result<char, u8>> + '_ {
    text.utf8_chunks().flat_map(|chunk| chunk.valid().chars().map(Ok).chain(chunk.invalid().iter().copied().map(Err)))
}

/// The characters in order, each as its bytes.
pub(crate) fn pieces(text: &[u8]) -> Vec<&[u8]> {
    let mut at = 0;
    let piece = |char: Result<char, u8>| {
        let from = at;
        at += char.map_or(1, char::len_utf8);
        &text[from..at]
    };
    chars(text).map(piece).collect()
}

/// Each character replaced by one; what is no character becomes U+FFFD.
pub(crate) fn map_chars(text: &[u8], map: impl Fn(char) -> char) -> Vec<u8> {
    let mapped: String = chars(text).map(|char| char.map_or(char::REPLACEMENT_CHARACTER, &map)).collect();
    mapped.into_bytes()
}

/// The offset of the first `part` at or behind `from`.
pub(crate) fn find(text: &[u8], part: &[u8], from: usize) -> Option<usize> {
    if part.is_empty() {
        return (from <= text.len()).then_some(from);
    }
    let first = part[0];
    let mut at = from;
    loop {
        at += text.get(at..)?.iter().position(|byte| *byte == first)?;
        if text[at..].starts_with(part) {
            return Some(at);
        }
        at += 1;
    }
}

/// A text can be made that big and no bigger: a program must not fill the memory.
pub(crate) const MAX_TEXT: usize = 32 << 20;

/// The same for the number of a list's elements.
pub(crate) const MAX_ELEMENTS: usize = 1 << 20;

/// The parts with a separator between them.
pub(crate) fn joined(parts: &[&[u8]], separator: &[u8]) -> Result<Vec<u8>, FnError> {
    let n_bytes = parts.iter().fold(0u64, |sum, part| sum + (part.len() + separator.len()) as u64);
    check_size(n_bytes.saturating_sub(separator.len() as u64))?;
    Ok(parts.join(separator))
}

/// Refuses a text of so many bytes before it is made.
pub(crate) fn check_size(n_bytes: u64) -> Result<(), FnError> {
    if n_bytes <= MAX_TEXT as u64 {
        return Ok(());
    }
    Err(FnError::fatal(format!("the text would have more than {} MiB", MAX_TEXT >> 20)))
}
