//! The width of a text in a fixed-width font: wide characters take two columns.
//!
//! Each character takes at least one column, even a combining one, so a text that fits is never long.

/// The columns of a character: two for ideographs, syllables, full-width forms and emoji. Some symbols that only some fonts draw
/// wide are counted as wide.
pub(super) fn of_char(char: char) -> usize {
    let is_wide = matches!(
        u32::from(char),
        0x1100..=0x115F
            | 0x231A..=0x231B
            | 0x2329..=0x232A
            | 0x23E9..=0x23F3
            | 0x2600..=0x27BF
            | 0x2B1B..=0x2B1C
            | 0x2B50..=0x2B55
            | 0x2E80..=0x303E
            | 0x3041..=0xA4CF
            | 0xA960..=0xA97F
            | 0xAC00..=0xD7A3
            | 0xF900..=0xFAFF
            | 0xFE10..=0xFE19
            | 0xFE30..=0xFE6F
            | 0xFF01..=0xFF60
            | 0xFFE0..=0xFFE6
            | 0x16FE0..=0x18DFF
            | 0x1B000..=0x1B2FF
            | 0x1F000..=0x1FAFF
            | 0x20000..=0x3FFFD
    );
    if is_wide { 2 } else { 1 }
}

/// The columns of a text.
pub(super) fn of(text: &str) -> usize {
    text.chars().map(of_char).sum()
}

/// The start of a text that fits into this number of columns.
pub(super) fn head(text: &str, most: usize) -> &str {
    let mut n = 0;
    let first_left_out = text.char_indices().find(|(_, char)| {
        n += of_char(*char);
        n > most
    });
    first_left_out.map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wide_takes_two_columns() {
        for (text, n) in
            [("", 0), ("a\u{e9}→", 3), ("漢字", 4), ("한a", 3), ("ｶﾞ", 2), ("！", 2), ("🦀!", 3), ("e\u{301}", 2)]
        {
            assert_eq!(of(text), n, "{text}");
        }
    }

    #[test]
    fn a_wide_character_fits_whole_or_not_at_all() {
        assert_eq!(["a漢b", "ab", ""].map(|text| head(text, 2)), ["a", "ab", ""]);
        assert_eq!((head("a漢b", 3), head("a漢b", 0)), ("a漢", ""));
    }
}
