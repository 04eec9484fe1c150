//! Module `golang/strings`. Functions spec, 11.10 and 15.3.
//!
//! If a function works on characters, each byte that is not part of valid UTF-8 counts as one character U+FFFD.

pub(super) mod change;
pub(super) mod search;
pub(super) mod trim;

use crate::corelib::bytes::chars;
use rustc_hash::FxHashSet;

/// The characters of a set; an invalid byte in it stands for every invalid byte.
fn set(text: &[u8]) -> FxHashSet<char> {
    chars(text).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Each character with its offset and width.
fn placed(text: &[u8]) -> impl Iterator<Item = (usize, usize, char)> + '_ {
    let mut at = 0;
    chars(text).map(move |char| {
        let width = char.map_or(1, char::len_utf8);
        at += width;
        (at - width, width, char.unwrap_or(char::REPLACEMENT_CHARACTER))
    })
}
