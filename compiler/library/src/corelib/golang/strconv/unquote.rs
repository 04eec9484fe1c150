//! Go's string and character literals. Functions spec, 11.9 and 15.4.

use crate::corelib::bytes::pieces;

/// The content of a text that is exactly one literal.
pub(in crate::corelib::golang) fn unquote(text: &[u8]) -> Option<Vec<u8>> {
    literal(text).filter(|(_, end)| *end == text.len()).map(|(content, _)| content)
}

/// The literal at the start of a text: its content, and its end.
pub(super) fn literal(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    match text.first()? {
        b'`' => {
            let end = 1 + text[1..].iter().position(|byte| *byte == b'`')?;
            let content = text[1..end].iter().copied().filter(|byte| *byte != b'\r').collect();
            Some((content, end + 1))
        }
        quote @ (b'"' | b'\'') => {
            let mut at = 1;
            let (mut content, mut n_characters) = (Vec::new(), 0);
            while *text.get(at)? != *quote {
                at += character(&text[at..], *quote, &mut content)?;
                n_characters += 1;
            }
            // A character literal may be empty.
            (*quote == b'"' || n_characters <= 1).then_some((content, at + 1))
        }
        _ => None,
    }
}

/// Decodes one character or escape; returns its length in the text.
fn character(text: &[u8], quote: u8, content: &mut Vec<u8>) -> Option<usize> {
    if text[0] == b'\n' {
        return None;
    }
    if text[0] != b'\\' {
        let piece = pieces(&text[..text.len().min(4)]).next()?;
        // A cut at four bytes can split a later character, never the first. Only valid characters are allowed in these
        // quotes.
        content.extend_from_slice(if std::str::from_utf8(piece).is_ok() { piece } else { "\u{fffd}".as_bytes() });
        return Some(piece.len());
    }
    let plain = |byte: u8| Some((byte, 2));
    let (byte, width) = match text.get(1)? {
        b'a' => plain(7),
        b'b' => plain(8),
        b'f' => plain(12),
        b'n' => plain(b'\n'),
        b'r' => plain(b'\r'),
        b't' => plain(b'\t'),
        b'v' => plain(11),
        b'\\' => plain(b'\\'),
        own if *own == quote => plain(quote),
        b'x' => Some((number(text.get(2..4)?, 16)? as u8, 4)),
        b'0'..=b'7' => Some((u8::try_from(number(text.get(1..4)?, 8)?).ok()?, 4)),
        b'u' => return scalar(number(text.get(2..6)?, 16)?, 6, content),
        b'U' => return scalar(number(text.get(2..10)?, 16)?, 10, content),
        _ => None,
    }?;
    content.push(byte);
    Some(width)
}

fn scalar(value: u32, width: usize, content: &mut Vec<u8>) -> Option<usize> {
    let char = char::from_u32(value)?;
    content.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    Some(width)
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    digits
        .iter()
        .try_fold(0_u32, |value, byte| value.checked_mul(radix)?.checked_add(char::from(*byte).to_digit(radix)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        let bytes = |text: &str| unquote(text.as_bytes());
        assert_eq!(bytes(r#""a\x41\101\u00e9\"""#).as_deref(), Some("aAAé\"".as_bytes()));
        assert_eq!(bytes("`a\r\nb`").as_deref(), Some(&b"a\nb"[..]));
        assert_eq!(bytes("''").as_deref(), Some(&b""[..]));
        assert_eq!(unquote(b"\"\xff\\xff\"").as_deref(), Some(&b"\xef\xbf\xbd\xff"[..]));
        assert_eq!(unquote(b"`\xff`").as_deref(), Some(&b"\xff"[..]));
        assert_eq!(bytes(r"'\''").as_deref(), Some(&b"'"[..]));
        for bad in ["'ab'", "\"a\nb\"", r#""\q""#, r#""\1""#, r#""\400""#, r#""\ud800""#, r#""\'""#, "\"a", "a", ""] {
            assert_eq!(bytes(bad), None, "{bad}");
        }
    }
}
