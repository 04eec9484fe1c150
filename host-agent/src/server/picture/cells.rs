//! A text as [`Cell`]s: characters with the marks on them.
//!
//! No character can move another part of the text. Words of right-to-left scripts are reversed one by one, so that they
//! are readable; the order of words, and of the parts of a path, does not change.

use mclive_base::unicode::{is_deceptive, is_mark};

/// Holds the marks at the start of a text, which have no character to stand on.
const CIRCLE: char = '\u{25cc}';

/// A character with the marks above, below and around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub(super) base: char,
    pub(super) marks: Vec<char>,
}

impl Cell {
    pub(super) fn of(base: char) -> Cell {
        Cell { base, marks: Vec::new() }
    }

    /// Whether this is a letter of a script that is written from right to left. Digits are not, in any script.
    fn is_from_right(&self) -> bool {
        let is_in_block = matches!(self.base,
            '\u{590}'..='\u{8ff}'
            | '\u{fb1d}'..='\u{fdff}'
            | '\u{fe70}'..='\u{feff}'
            | '\u{10800}'..='\u{10fff}'
            | '\u{1e800}'..='\u{1efff}');
        is_in_block && self.base.is_alphabetic()
    }
}

/// The cells of a text, in the order of reading. Characters that could deceive are replacement characters.
pub(super) fn cells(text: &str) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    for c in text.chars() {
        match c {
            '\n' | '\t' => cells.push(Cell::of(' ')),
            c if is_deceptive(c) => cells.push(Cell::of(char::REPLACEMENT_CHARACTER)),
            // Selectors choose between forms of the character before them; there is one form of each.
            '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {}
            c if is_mark(c) => match cells.last_mut() {
                Some(cell) => cell.marks.push(c),
                None => cells.push(Cell { base: CIRCLE, marks: vec![c] }),
            },
            c => cells.push(Cell::of(c)),
        }
    }
    cells
}

/// Reverses each right-to-left word, so that it can be drawn from left to right.
pub(super) fn turn(cells: &mut [Cell]) {
    for word in cells.chunk_by_mut(|cell, next| cell.is_from_right() && next.is_from_right()) {
        word.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str) -> String {
        let mut cells = cells(text);
        turn(&mut cells);
        cells.iter().flat_map(|cell| [cell.base].into_iter().chain(cell.marks.iter().copied())).collect()
    }

    #[test]
    fn marks_stand_on_the_character_before_them() {
        let cell = |base, marks: &[char]| Cell { base, marks: marks.to_vec() };
        assert_eq!(cells("e\u{301}\u{323}x"), [cell('e', &['\u{301}', '\u{323}']), cell('x', &[])]);
        assert_eq!(cells("\u{301}"), [cell(CIRCLE, &['\u{301}'])]);
        assert_eq!(cells("か\u{3099}"), [cell('か', &['\u{3099}'])]);
        assert_eq!(cells("❤\u{fe0f}葛\u{e0100}"), [cell('❤', &[]), cell('葛', &[])], "selectors are not drawn");
    }

    #[test]
    fn words_from_the_right_are_turned_and_keep_their_places() {
        assert_eq!(drawn("/srv/אבג/דה.txt"), "/srv/גבא/הד.txt");
        assert_eq!(drawn("ש\u{5c1}ל x"), "לש\u{5c1} x", "marks stay on their letters");
        assert_eq!(drawn("ملف 12 ١٢"), "فلم 12 ١٢", "numbers are written from the left");
        assert_eq!(drawn("αβγ 日本"), "αβγ 日本");
    }

    #[test]
    fn no_character_turns_or_hides_others() {
        assert_eq!(drawn("a\u{202e}bc\u{202c}\u{2067}d\u{61c}"), "a\u{fffd}bc\u{fffd}\u{fffd}d\u{fffd}");
        assert_eq!(drawn("א\u{202d}ב"), "א\u{fffd}ב");
        assert_eq!(drawn("a\u{200b}b\u{0}\u{e0041}\tc"), "a\u{fffd}b\u{fffd}\u{fffd} c");
    }
}
