//! Unicode 15 data as the language defines it: categories, scripts, case. Functions spec, 15.3 to 15.5.
//!
//! Rust's standard library follows newer versions, in which more characters are assigned. Here those are unassigned:
//! not printable, in no category, and without case mappings.
//!
//! A line of the tables is a name in lower case, then ranges: the distance of the first character from the end of the
//! previous range, and the number of further characters, in hexadecimal.

mod hidden;
mod visible;

pub use hidden::{Hidden, hidden, hidden_in};
pub use visible::{is_deceptive, visible};

use std::sync::OnceLock;

static CATEGORIES: &str = include_str!("categories.txt");
static SCRIPTS: &str = include_str!("scripts.txt");

/// The last code point.
pub const LAST: u32 = 0x10ffff;

/// First and last character of each range, ascending and disjoint.
pub type Ranges = Vec<(u32, u32)>;

/// The union of all wanted categories; they are named `lu`, `nd` and so on.
pub fn categories(is_wanted: &dyn Fn(&str) -> bool) -> Ranges {
    join(lines(CATEGORIES).filter(|(name, _)| is_wanted(name)).flat_map(|(_, ranges)| read(ranges)).collect())
}

/// The characters of a script, by its lower-case name.
pub fn script(name: &str) -> Option<Ranges> {
    lines(SCRIPTS).find(|(script, _)| *script == name).map(|(_, ranges)| read(ranges))
}

/// Every character that has a category, including surrogates.
pub fn assigned() -> Ranges {
    let mut ranges = categories(&|_| true);
    ranges.push((0xd800, 0xdfff));
    join(ranges)
}

/// Letters, marks, numbers, punctuation, symbols, and the ASCII space.
pub fn is_printable(char: char) -> bool {
    static PRINTABLE: OnceLock<Ranges> = OnceLock::new();
    if char.is_ascii() {
        return matches!(char, ' '..='~');
    }
    holds(PRINTABLE.get_or_init(|| categories(&|name| name.starts_with(['l', 'm', 'n', 'p', 's']))), char)
}

/// Letters and decimal digits.
pub fn is_letter_or_digit(char: char) -> bool {
    static WORD: OnceLock<Ranges> = OnceLock::new();
    if char.is_ascii() {
        return char.is_ascii_alphanumeric();
    }
    holds(WORD.get_or_init(|| categories(&|name| name.starts_with('l') || name == "nd")), char)
}

/// Marks that are drawn over or around the character before them.
pub fn is_mark(char: char) -> bool {
    static MARKS: OnceLock<Ranges> = OnceLock::new();
    !char.is_ascii() && holds(MARKS.get_or_init(|| categories(&|name| matches!(name, "mn" | "me"))), char)
}

/// The lower-case form, one character for one.
pub fn to_lower(char: char) -> char {
    match char {
        // The full mapping has two characters.
        'İ' => 'i',
        _ => single(char, char.to_lowercase()),
    }
}

/// The upper-case form, one character for one.
pub fn to_upper(char: char) -> char {
    match char {
        // Greek letters with iota subscript: the full mapping expands the iota.
        '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => {
            char::from_u32(char as u32 + 8).unwrap_or(char)
        }
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => char::from_u32(char as u32 + 9).unwrap_or(char),
        _ => single(char, char.to_uppercase()),
    }
}

/// The title-case form, one character for one: digraphs have their own, Georgian has none.
pub fn to_title(char: char) -> char {
    match char {
        'Ǆ' | 'ǅ' | 'ǆ' => 'ǅ',
        'Ǉ' | 'ǈ' | 'ǉ' => 'ǈ',
        'Ǌ' | 'ǋ' | 'ǌ' => 'ǋ',
        'Ǳ' | 'ǲ' | 'ǳ' => 'ǲ',
        '\u{10d0}'..='\u{10ff}' => char,
        _ => to_upper(char),
    }
}

/// The mapping, if it is one assigned character; otherwise the character itself.
fn single(char: char, mut mapped: impl ExactSizeIterator<Item = char>) -> char {
    static ASSIGNED: OnceLock<Ranges> = OnceLock::new();
    let is_one = mapped.len() == 1;
    match mapped.next() {
        Some(other) if is_one && other != char => {
            let is_known = |char: char| char.is_ascii() || holds(ASSIGNED.get_or_init(assigned), char);
            if is_known(char) && is_known(other) { other } else { char }
        }
        _ => char,
    }
}

fn holds(ranges: &[(u32, u32)], char: char) -> bool {
    let behind = ranges.partition_point(|range| range.0 <= char as u32);
    behind > 0 && char as u32 <= ranges[behind - 1].1
}

/// Sorts ranges and merges those that overlap or touch.
pub fn join(mut ranges: Ranges) -> Ranges {
    ranges.sort_unstable();
    let mut out: Ranges = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match out.last_mut() {
            Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
            _ => out.push((first, last)),
        }
    }
    out
}

/// The lines of a table: a name and its unparsed ranges.
fn lines(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table.lines().map(|line| line.split_once(' ').unwrap_or((line, "")))
}

fn read(ranges: &str) -> Ranges {
    let number = |text: &str| u32::from_str_radix(text, 16).unwrap_or_default();
    let mut end = 0;
    let range = |text: &str| {
        let (gap, more) = text.split_once('+').unwrap_or((text, "0"));
        let first = end + number(gap);
        end = first + number(more);
        (first, end)
    };
    ranges.split(' ').map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_character_for_one() {
        for (from, to) in
            [('ǆ', 'Ǆ'), ('ı', 'I'), ('ŉ', 'ŉ'), ('ǰ', 'ǰ'), ('ΐ', 'ΐ'), ('և', 'և'), ('ÿ', 'Ÿ'), ('µ', 'Μ'), ('ſ', 'S')]
        {
            assert_eq!(to_upper(from), to);
        }
        for (from, to) in [('ẞ', 'ß'), ('\u{212a}', 'k'), ('Σ', 'σ')] {
            assert_eq!(to_lower(from), to);
        }
        assert_eq!((to_title('ǆ'), to_title('ა'), to_title('ß')), ('ǅ', 'ა', 'ß'));
    }

    #[test]
    fn newer_characters_are_not_there() {
        // These are letters in Unicode 16 only, or have case mappings only there.
        for (char, same) in [('ƛ', 'ƛ'), ('ɤ', 'ɤ'), ('\u{a7da}', '\u{a7da}'), ('\u{1c8a}', '\u{1c8a}')] {
            assert_eq!((to_upper(char), to_lower(char)), (same, same));
        }
        assert!(!is_printable('\u{1c89}') && !is_letter_or_digit('\u{1c89}') && !is_printable('\u{1b4e}'));
        assert!(is_printable('\u{301}') && !is_printable('\u{3000}') && is_letter_or_digit('٣'));
        assert!(!is_letter_or_digit('½') && !is_letter_or_digit('\u{301}'));
    }

    #[test]
    fn marks_take_no_room_of_their_own() {
        assert!(
            ['\u{301}', '\u{5b4}', '\u{64b}', '\u{e31}', '\u{20dd}', '\u{3099}', '\u{1e944}'].into_iter().all(is_mark)
        );
        // The last one is a vowel sign with a place beside its letter.
        assert!(!['a', '^', '´', 'é', 'א', '\u{25cc}', '\u{93f}'].into_iter().any(is_mark));
    }
}
