//! Escapes for invisible and control characters: no output of the product contains them raw.

use super::hidden;
use std::borrow::Cow;
use std::fmt::Write;

/// Whether this is a control character, invisible, or changes the text direction.
pub fn is_deceptive(char: char) -> bool {
    char.is_control() || hidden(char).is_some()
}

/// One line of text with such characters escaped as `\u{202e}`. Tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_shown = |c: char| c == '\t' || !is_deceptive(c);
    if text.chars().all(is_shown) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_shown(c) {
            true => out.push(c),
            // `\n` as well as `\u{1b}`.
            false if c == '\n' || c == '\r' => out.extend(c.escape_default()),
            false => drop(write!(out, "{}", c.escape_unicode())),
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_turns_or_hides_is_an_escape() {
        assert_eq!(visible("plain, naïve, 日本語 🙂\t."), "plain, naïve, 日本語 🙂\t.");
        assert_eq!(visible("a\x1b]0;x\x07b"), "a\\u{1b}]0;x\\u{7}b");
        assert_eq!(visible("two\nlines\r"), "two\\nlines\\r");
        assert_eq!(visible("\u{202e}gnp\u{200b}\u{e0041}\u{9b}"), "\\u{202e}gnp\\u{200b}\\u{e0041}\\u{9b}");
    }
}
