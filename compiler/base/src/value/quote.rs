//! Double-quoted text with escapes, as Go's `strconv.Quote` writes it. Functions spec, 15.4.

use crate::unicode::is_printable;
use std::fmt::Write;

/// Which characters are left unescaped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// All printable ones.
    Printable,
    /// ASCII only.
    Ascii,
    /// All printable ones and every kind of space.
    Graphic,
}

/// Quotes any bytes; invalid UTF-8 shows as `\xNN`.
pub fn quote(bytes: &[u8]) -> String {
    quote_keeping(bytes, Keep::Printable)
}

/// Quotes bytes with a choice of what is left unescaped.
pub fn quote_keeping(bytes: &[u8], keep: Keep) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push_escaped(&mut out, c, keep));
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push('"');
    out
}

fn push_escaped(out: &mut String, c: char, keep: Keep) {
    let stays = match keep {
        Keep::Printable => is_printable(c),
        Keep::Ascii => false,
        Keep::Graphic => is_printable(c) || is_space_separator(c),
    };
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\x07' => out.push_str("\\a"),
        '\x08' => out.push_str("\\b"),
        '\x0c' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\x0b' => out.push_str("\\v"),
        ' '..='~' => out.push(c),
        c if (c as u32) < 0x20 || c == '\x7f' => {
            let _ = write!(out, "\\x{:02x}", c as u32);
        }
        c if stays => out.push(c),
        c if (c as u32) < 0x10000 => {
            let _ = write!(out, "\\u{:04x}", c as u32);
        }
        c => {
            let _ = write!(out, "\\U{:08x}", c as u32);
        }
    }
}

/// Unicode's space separators (Zs), except the ASCII space.
fn is_space_separator(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(quote(b"a\"b\\\t\x01\xff"), r#""a\"b\\\t\x01\xff""#);
        assert_eq!(quote("é\u{200b}\u{a0}".as_bytes()), "\"é\\u200b\\u00a0\"");
        assert_eq!(quote("e\u{301}'☺😀\u{fffd}".as_bytes()), "\"e\u{301}'☺😀\u{fffd}\"");
        let hidden = "\u{ad}\u{2028}\u{feff}\u{e000}\u{378}\u{3000}\u{e0001}";
        assert_eq!(quote(hidden.as_bytes()), r#""\u00ad\u2028\ufeff\ue000\u0378\u3000\U000e0001""#);
    }
}
