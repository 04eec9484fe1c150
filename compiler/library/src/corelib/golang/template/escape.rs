//! `html`, `js` and `urlquery`: text for other languages. Functions spec, 9.1.

use crate::corelib::bytes::chars;
use crate::unicode::is_printable;

pub(super) fn html(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            b'"' => out.extend_from_slice(b"&#34;"),
            b'\'' => out.extend_from_slice(b"&#39;"),
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            0 => out.extend_from_slice("\u{fffd}".as_bytes()),
            byte => out.push(*byte),
        }
    }
    out
}

pub(super) fn js(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for char in chars(text) {
        match char {
            Err(byte) => out.push(byte),
            Ok('\\') => out.extend_from_slice(b"\\\\"),
            Ok('\'') => out.extend_from_slice(b"\\'"),
            Ok('"') => out.extend_from_slice(b"\\\""),
            Ok(c) if "<>&=".contains(c) || c < ' ' || !is_printable(c) => {
                out.extend_from_slice(format!("\\u{:04X}", c as u32).as_bytes());
            }
            Ok(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out
}

pub(super) fn urlquery(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(*byte),
            b' ' => out.push(b'+'),
            byte => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(html(b"<a b='\"&\0'>"), "&lt;a b=&#39;&#34;&amp;\u{fffd}&#39;&gt;".as_bytes());
        assert_eq!(js("<é='\n\u{1}\u{200b}".as_bytes()), r"\u003Cé\u003D\'\u000A\u0001\u200B".as_bytes());
        assert_eq!(urlquery("a b/é~".as_bytes()), b"a+b%2F%C3%A9~");
    }
}
