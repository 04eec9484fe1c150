//! Paths, and other texts of a system, as the brain and its hosts write them.

use std::borrow::Cow;

/// An absolute path without doubled slashes, `.`, `..` and a slash at the end.
pub fn clean(path: &str) -> String {
    format!("/{}", plain(path))
}

/// A relative path without empty parts, `.` and `..`, which cannot lead above where it begins.
pub(crate) fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Any bytes as text that [`native`] makes bytes again: a byte that is no part of UTF-8, or zero, is written as a
/// zero and two hexadecimal digits. No name of a file and no argument of a command holds a zero.
pub fn escaped(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !bytes.contains(&0) => Cow::Borrowed(text),
        _ => {
            let mut text = String::with_capacity(bytes.len());
            let odd = |text: &mut String, byte: u8| {
                text.push('\0');
                text.extend([byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap_or('0')));
            };
            for chunk in bytes.utf8_chunks() {
                for letter in chunk.valid().chars() {
                    if letter == '\0' { odd(&mut text, 0) } else { text.push(letter) }
                }
                chunk.invalid().iter().for_each(|byte| odd(&mut text, *byte));
            }
            Cow::Owned(text)
        }
    }
}

/// The bytes that [`escaped`] wrote. Of a text that it never writes, the bytes as they are: the zeros among them
/// make every system refuse it. So two texts never name one thing, and what a policy says of a path's text holds
/// for the path.
pub fn native(text: &str) -> Cow<'_, [u8]> {
    if !text.contains('\0') {
        return Cow::Borrowed(text.as_bytes());
    }
    let bytes = decoded(text);
    if escaped(&bytes) == text { Cow::Owned(bytes) } else { Cow::Borrowed(text.as_bytes()) }
}

fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = match (first, after) {
            (0, [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                let digit = |digit: u8| (digit as char).to_digit(16).map_or(0, |digit| digit as u8);
                bytes.push(digit(*high) << 4 | digit(*low));
                after
            }
            _ => {
                bytes.push(*first);
                after
            }
        };
    }
    bytes
}

/// The same for people: `a\xff`.
pub fn shown(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\\x")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_go_through_text_and_back() {
        for (bytes, text, people) in [
            (&b"plain \xc3\xa4"[..], "plain ä", "plain ä"),
            (b"a\xffb", "a\0ffb", "a\\xffb"),
            (b"\xc3", "\0c3", "\\xc3"),
            (b"\0ff", "\u{0}00ff", "\\x00ff"),
        ] {
            assert_eq!((escaped(bytes), native(text), shown(text)), (text.into(), bytes.into(), people.into()));
        }
    }

    #[test]
    fn nothing_is_hidden_in_an_escape() {
        // `..`, a slash and a letter, which a policy that reads the text would not see.
        for text in ["/a/\u{0}2e\u{0}2e/b", "/a\u{0}2fb", "/\u{0}c3\u{0}a4", "/a\u{0}FF", "/a\u{0}"] {
            assert_eq!(native(text), text.as_bytes());
        }
    }
}
