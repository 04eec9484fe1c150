//! Sizes of vertices, and shortening of their labels. The worker computes the boxes, the page fills them: both use
//! these functions.

use mclive_base::shapes::{FunctionVertex, ResourceVertex};
use mclive_base::unicode::is_deceptive;

/// The most characters of a title; the inspector shows all of it.
const MAX_TITLE: usize = 30;

/// Width of a character in the fixed-width font. Units: pixels at scale 1.
const TITLE_ADVANCE: f32 = 7.3;
const NOTE_ADVANCE: f32 = 6.4;

/// The title of a resource's box.
pub fn resource_title(vertex: &ResourceVertex) -> String {
    cut_front(&vertex.name, MAX_TITLE)
}

/// Width and height of a resource's box. Units: pixels at scale 1.
pub fn resource_size(vertex: &ResourceVertex) -> (f32, f32) {
    let title = resource_title(vertex).chars().count() as f32 * TITLE_ADVANCE;
    let note = vertex.kind.chars().count() as f32 * NOTE_ADVANCE;
    ((title.max(note) + 34.0 + 34.0).max(120.0), 44.0)
}

/// The title of a function vertex's box.
pub fn function_title(vertex: &FunctionVertex) -> String {
    cut(&vertex.label, MAX_TITLE)
}

/// Width and height of a function vertex's box. Units: pixels at scale 1.
pub fn function_size(vertex: &FunctionVertex) -> (f32, f32) {
    let title = function_title(vertex).chars().count() as f32 * TITLE_ADVANCE;
    ((title + 24.0).max(96.0), 44.0)
}

/// A value's text, for a box of this width.
pub fn value_note(text: &str, width: f32) -> String {
    cut(text, ((width - 22.0) / NOTE_ADVANCE) as usize)
}

/// The start of a text, on one line; invisible and bidirectional characters are replaced.
pub(super) fn cut(text: &str, most: usize) -> String {
    let shown = |char: char| if is_deceptive(char) { '\u{fffd}' } else { char };
    let shown = |char: char| if char.is_whitespace() { ' ' } else { shown(char) };
    let mut out: String = text.chars().take(most + 1).map(shown).collect();
    if let Some((at, _)) = out.char_indices().nth(most) {
        out.truncate(at);
        out.pop();
        out.push('…');
    }
    out
}

/// The end of a text: the distinctive part of a path.
pub(super) fn cut_front(text: &str, most: usize) -> String {
    let n_chars = text.chars().count();
    if n_chars <= most {
        return cut(text, most);
    }
    let rest: String = text.chars().skip(n_chars - most + 1).collect();
    format!("…{}", cut(&rest, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_cut() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("ab\ncd\u{202e}e", 10), "ab cd\u{fffd}e");
        assert_eq!(cut_front("/a/long/path", 6), "…/path");
        assert_eq!(cut_front("/a/b", 6), "/a/b");
    }
}
