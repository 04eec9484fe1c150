//! Filters all output at the last moment, whatever its source: text of a program, a file or a peer cannot control the
//! terminal or hide.
//!
//! The only control sequences that pass are the agent's own colours, and only in text that the agent has coloured: there,
//! the texts of others are made visible before they are coloured.

use mclive_base::unicode::is_deceptive;
use std::borrow::Cow;
use std::fmt::Write;

/// The colours of `show` and of rendered diagnostics.
const COLOURS: [&str; 8] = ["0", "1", "2", "31", "32", "33", "34", "36"];

/// Filters lines of text.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    lines(text, |_| None)
}

/// Filters lines of text that the agent has coloured.
pub(super) fn coloured(text: &str) -> Cow<'_, str> {
    lines(text, colour)
}

/// `passes` returns the length of a sequence that is allowed at the start of a text.
fn lines(text: &str, passes: impl Fn(&str) -> Option<usize>) -> Cow<'_, str> {
    if !text.contains(|c| c != '\n' && c != '\t' && is_deceptive(c)) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = passes(rest).unwrap_or(c.len_utf8());
        match c {
            _ if length > c.len_utf8() => out.push_str(&rest[..length]),
            '\n' | '\t' => out.push(c),
            c if is_deceptive(c) => {
                let _ = write!(out, "{}", c.escape_unicode());
            }
            c => out.push(c),
        }
        rest = &rest[length..];
    }
    out.into()
}

/// Filters JSON documents: such characters occur only in strings, where each has an escape.
pub(super) fn json(text: &str) -> Cow<'_, str> {
    if !text.contains(|c| c != '\n' && is_deceptive(c)) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if c == '\n' || !is_deceptive(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out.into()
}

/// The length of the colour sequence at the start of a text.
fn colour(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("\x1b[")?;
    let (codes, _) = rest.split_once('m')?;
    codes.split(';').all(|code| COLOURS.contains(&code)).then_some(codes.len() + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Terminal controls, characters that reverse or hide text, and look-alikes of the agent's own escapes.
    const HOSTILE: &[&str] = &[
        "\x1b]0;title\x07",
        "\x1b]8;;http://evil/\x1b\\link\x1b]8;;\x1b\\",
        "\x1b]52;c;ZXZpbA==\x07",
        "\x1b[2J\x1b[H",
        "\x1b[1A\x1b[2K",
        "\x1b[8mhidden",
        "\x1b[31;8m",
        "\x1b[6n",
        "\x1b[?1049h",
        "\x1bP+q544e\x1b\\",
        "\x1bc",
        "\x1b",
        "\x1b[",
        "\u{9b}2J",
        "\u{9d}0;title\u{9c}",
        "over\rwritten",
        "a\x08b",
        "bell\x07",
        "null\0",
        "\x7f",
        "\x0e\x0f",
        "\u{202e}gnp.exe",
        "\u{2066}a\u{2069}",
        "\u{61c}",
        "zero\u{200b}width",
        "\u{200d}",
        "\u{2060}",
        "\u{feff}",
        "soft\u{ad}hyphen",
        "tag\u{e0041}\u{e0042}",
        "\u{3164}filler",
        "line\u{2028}paragraph\u{2029}",
        "\u{fff9}note\u{fffa}",
    ];

    #[test]
    fn no_hostile_text_passes() {
        for hostile in HOSTILE {
            for shown in [plain(hostile), coloured(hostile)] {
                assert!(!shown.contains(is_deceptive), "{hostile:?} is shown as {shown:?}");
            }
            let document = serde_json::json!({ "text": hostile }).to_string();
            let shown = json(&document);
            assert!(shown.chars().all(|c| !is_deceptive(c)), "{hostile:?} is {shown:?} in JSON");
            let read: serde_json::Value = serde_json::from_str(&shown).unwrap();
            assert_eq!(read["text"], *hostile, "what a machine reads is what was said");
        }
    }

    #[test]
    fn plain_text_our_colours_and_lines_pass() {
        for ours in
            ["", "naïve 日本語 🙂\tx\ny\n", "\x1b[1;31mfailed\x1b[0m", "\x1b[2m 0.1\x1b[0m \x1b[1;34m-->\x1b[0m"]
        {
            assert_eq!(coloured(ours), ours);
        }
        assert_eq!(plain("naïve 日本語 🙂\tx\ny\n"), "naïve 日本語 🙂\tx\ny\n");
        assert_eq!(json("{\"a\": \"é🙂\"}\n"), "{\"a\": \"é🙂\"}\n");
    }

    #[test]
    fn nobody_else_colours_plain_text() {
        assert_eq!(plain("\x1b[32mok\x1b[0m"), "\\u{1b}[32mok\\u{1b}[0m");
    }
}
