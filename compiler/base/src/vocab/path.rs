//! Paths and other system strings, in the form that the brain and its hosts use.

use std::borrow::Cow;

/// Normalises an absolute path: no doubled slashes, `.`, `..` or trailing slash.
pub fn clean(path: &str) -> String {
    normal("/", path)
}

/// Normalises a relative path: no empty parts, `.` or `..`, so it cannot leave its base.
pub(crate) fn plain(path: &str) -> String {
    normal("", path)
}

/// The root, which is empty or a slash, and what the path leads to below it.
fn normal(root: &str, path: &str) -> String {
    let mut normal = String::with_capacity(root.len() + path.len());
    normal.push_str(root);
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                let parent = normal[root.len()..].rfind('/').unwrap_or(0);
                normal.truncate(root.len() + parent);
            }
            part => {
                if normal.len() > root.len() {
                    normal.push('/');
                }
                normal.push_str(part);
            }
        }
    }
    normal
}

/// Any bytes as text that [`native`] reverses: a byte that is not valid UTF-8, or zero, is written as a zero and two
/// hexadecimal digits. File names and command arguments cannot contain a zero.
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

/// The bytes that [`escaped`] encoded. A text it would never write is returned as it is, and its zeros make every
/// system refuse it. So no two texts name the same thing, and a policy decision about a path's text holds for the path.
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

/// The same for display: `a\xff`.
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
    fn a_normal_path_stays_below_its_root() {
        for (path, expected) in [
            ("", "/"),
            ("/", "/"),
            ("a", "/a"),
            ("/a//b/./c/", "/a/b/c"),
            ("/a/..", "/"),
            ("/../../a/b/../c", "/a/c"),
            ("/a/b/../../../c/.", "/c"),
        ] {
            assert_eq!((clean(path).as_str(), plain(path).as_str()), (expected, &expected[1..]), "{path}");
        }
    }

    #[test]
    fn nothing_is_hidden_in_an_escape() {
        // `..`, a slash and a letter in forms that a policy reading the text would miss.
        for text in ["/a/\u{0}2e\u{0}2e/b", "/a\u{0}2fb", "/\u{0}c3\u{0}a4", "/a\u{0}FF", "/a\u{0}"] {
            assert_eq!(native(text), text.as_bytes());
        }
    }
}
