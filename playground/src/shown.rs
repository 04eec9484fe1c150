//! Texts of programs and hosts as the page displays them: without characters that hide others or change the text direction,
//! and of a long text the start, since a browser takes long to lay out an element with megabytes of text.

use mclive_base::unicode::visible;

/// The maximum number of bytes of a name or a message.
const MAX_LABEL: usize = 4 << 10;

/// The maximum number of bytes of a value or other text with several lines.
const MAX_TEXT: usize = 16 << 10;

/// A name or a message, on one line.
pub fn as_label(text: &str) -> String {
    let (start, more) = start_of(text, MAX_LABEL);
    visible(start).into_owned() + &more
}

/// A text with its line breaks.
pub fn as_lines(text: &str) -> String {
    let (start, more) = start_of(text, MAX_TEXT);
    let lines: Vec<_> = start.split('\n').map(visible).collect();
    lines.join("\n") + &more
}

/// Whether only its start is displayed: by [`as_lines`] if it has lines, otherwise by [`as_label`].
pub fn is_long(text: &str, has_lines: bool) -> bool {
    text.len() > if has_lines { MAX_TEXT } else { MAX_LABEL }
}

/// The start of a long text, and in words how much more there is.
fn start_of(text: &str, most: usize) -> (&str, String) {
    let (start, rest) = text.split_at(text.floor_char_boundary(most));
    let more = match rest.len() {
        0 => String::new(),
        1 => "… (1 more byte)".to_owned(),
        n => format!("… ({n} more bytes)"),
    };
    (start, more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_or_turns_text_is_an_escape() {
        let directions =
            "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";
        for shown in [as_label(directions), as_lines(directions)] {
            assert!(shown.is_ascii(), "{shown}");
            assert_eq!(shown.matches("\\u{").count(), directions.chars().count());
        }
        assert_eq!(as_label("a\tb\nc\u{200b}"), "a\tb\\nc\\u{200b}");
        assert_eq!(as_lines("a\tb\n\nc\u{202e}\r\n"), "a\tb\n\nc\\u{202e}\\r\n");
    }

    #[test]
    fn of_a_long_text_the_start_is_displayed_and_how_much_more_there_is() {
        let megabytes = "é".repeat(2 << 20);
        let (label, lines) = (as_label(&megabytes), as_lines(&megabytes));
        assert_eq!(label, format!("{}… ({} more bytes)", "é".repeat(MAX_LABEL / 2), (4 << 20) - MAX_LABEL));
        assert_eq!(lines, format!("{}… ({} more bytes)", "é".repeat(MAX_TEXT / 2), (4 << 20) - MAX_TEXT));
        assert_eq!(as_label(&"x".repeat(MAX_LABEL + 1)), format!("{}… (1 more byte)", "x".repeat(MAX_LABEL)));
        assert_eq!(as_lines(&"x".repeat(MAX_TEXT)), "x".repeat(MAX_TEXT));
        // A character is never cut.
        assert_eq!(as_label(&format!("x{megabytes}")).chars().filter(|char| *char == 'é').count(), MAX_LABEL / 2 - 1);
        for (most, has_lines) in [(MAX_LABEL, false), (MAX_TEXT, true)] {
            let is_long = |n: usize| is_long(&"x".repeat(n), has_lines);
            assert_eq!((is_long(most), is_long(most + 1)), (false, true));
        }
    }
}
