//! Sizes of vertices, and shortening of their labels. The worker computes the boxes, the page fills them: both use
//! these functions.

use super::columns;
use mclive_base::shapes::{FunctionVertex, ResourceVertex};
use mclive_base::unicode::is_deceptive;

/// The maximum number of columns of a title; the inspector shows all of it.
const MAX_TITLE: usize = 30;

/// Width of a column in the fixed-width font. Units: pixels at scale 1.
const TITLE_ADVANCE: f32 = 7.3;
const NOTE_ADVANCE: f32 = 6.4;

/// The title of a resource's box.
pub fn resource_title(vertex: &ResourceVertex) -> String {
    cut_front(&vertex.name, MAX_TITLE)
}

/// Width and height of a resource's box. Units: pixels at scale 1.
pub fn resource_size(vertex: &ResourceVertex) -> (f32, f32) {
    let title = columns::of(&resource_title(vertex)) as f32 * TITLE_ADVANCE;
    let note = columns::of(&vertex.kind) as f32 * NOTE_ADVANCE;
    ((title.max(note) + 34.0 + 34.0).max(120.0), 44.0)
}

/// The title of a function vertex's box.
pub fn function_title(vertex: &FunctionVertex) -> String {
    cut(&vertex.label, MAX_TITLE)
}

/// Width and height of a function vertex's box. Units: pixels at scale 1.
pub fn function_size(vertex: &FunctionVertex) -> (f32, f32) {
    let title = columns::of(&function_title(vertex)) as f32 * TITLE_ADVANCE;
    ((title + 24.0).max(96.0), 44.0)
}

/// A value's text, for a box of this width.
pub fn value_note(text: &str, width: f32) -> String {
    cut(text, ((width - 22.0) / NOTE_ADVANCE) as usize)
}

/// The start of a text, on one line, in this number of columns; invisible and bidirectional characters are replaced.
pub(super) fn cut(text: &str, most: usize) -> String {
    let shown = |char: char| if is_deceptive(char) { '\u{fffd}' } else { char };
    let shown = |char: char| if char.is_whitespace() { ' ' } else { shown(char) };
    let (mut out, mut n, mut n_kept) = (String::new(), 0, 0);
    for char in text.chars().map(shown) {
        n += columns::of_char(char);
        if n > most {
            out.truncate(n_kept);
            out.push('…');
            break;
        }
        out.push(char);
        // The sign needs a column.
        if n < most {
            n_kept = out.len();
        }
    }
    out
}

/// The end of a text: the distinctive part of a path.
pub(super) fn cut_front(text: &str, most: usize) -> String {
    if columns::of(text) <= most {
        return cut(text, most);
    }
    let mut n = 1;
    let fits = |(_, char): &(usize, char)| {
        n += columns::of_char(*char);
        n <= most
    };
    let rest = text.char_indices().rev().take_while(fits).last().map_or("", |(at, _)| &text[at..]);
    format!("…{}", cut(rest, most))
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
        assert_eq!((cut("a", 0), cut("ab", 1)), ("…".to_owned(), "…".to_owned()));
    }

    #[test]
    fn wide_characters_stay_in_the_room_of_their_text() {
        assert_eq!([4, 5, 8].map(|most| cut("漢字漢字", most)), ["漢…", "漢字…", "漢字漢字"]);
        assert_eq!([4, 5, 8].map(|most| cut_front("漢字漢字", most)), ["…字", "…漢字", "漢字漢字"]);
        let vertex = |label: &str| FunctionVertex { label: label.into(), ty: None, place: None };
        assert_eq!(function_size(&vertex("漢字漢字漢字漢字")), function_size(&vertex("kanji kanji kanj")));
    }
}
