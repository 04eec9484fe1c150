//! Module `golang/html`: text as HTML and back. Functions spec, 11.1 and 15.8.

mod names;

use super::go_functions;
use crate::value::Value;
use names::{legacy, named};

go_functions! {
    ESCAPE_STRING "golang/html.escape_string" "func(s str) str"
    "Escapes `&`, `<`, `>`, `'` and `\"` as HTML entities."
    [
        r#"html.escape_string("<a b='c'>")"# => r#""&lt;a b=&#39;c&#39;&gt;""#,
        r#"html.escape_string("&amp; \"")"# => r#""&amp;amp; &#34;""#,
        r#"html.escape_string("é")"# => r#""é""#,
    ]
    |args| Ok(Value::from(escape(args.bytes(0)?)));

    UNESCAPE_STRING "golang/html.unescape_string" "func(s str) str"
    "Replaces HTML entities with their characters: named ones such as `&eacute;`, numeric ones such as `&#233;` and \
     `&#xe9;`.\n\nSome legacy names need no semicolon. Anything else is left unchanged."
    [
        r#"html.unescape_string("&lt;&eacute;&#233;&#xE9;&gt;")"# => r#""<ééé>""#,
        r#"html.unescape_string("&copy&notit; &nope; &")"# => r#""©¬it; &nope; &""#,
        r#"html.unescape_string("&#128;&#65b &#9x &#;")"# => r#""€Ab &#9x &#;""#,
        r#"len(html.unescape_string("&#x;&#4294967361;"))"# => "4",
    ]
    |args| Ok(Value::from(unescape(args.bytes(0)?)));
}

fn escape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'\'' => out.extend_from_slice(b"&#39;"),
            b'"' => out.extend_from_slice(b"&#34;"),
            byte => out.push(*byte),
        }
    }
    out
}

fn unescape(text: &[u8]) -> Vec<u8> {
    let mut rest = text;
    let mut out = Vec::with_capacity(text.len());
    while let Some(at) = rest.iter().position(|byte| *byte == b'&') {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let found = if rest.get(1) == Some(&b'#') { number(rest) } else { name(rest) };
        match found {
            Some((chars, len)) => {
                out.extend_from_slice(chars.as_bytes());
                rest = &rest[len..];
            }
            None => {
                out.push(b'&');
                rest = &rest[1..];
            }
        }
    }
    out.extend_from_slice(rest);
    out
}

/// The expansion of a named reference, and its length.
fn name(text: &[u8]) -> Option<(String, usize)> {
    let len = text[1..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let name = std::str::from_utf8(&text[1..1 + len]).ok()?;
    if text.get(1 + len) == Some(&b';')
        && let Some(chars) = named(name)
    {
        return Some((chars, len + 2));
    }
    // The longest prefix that is a name without a semicolon; the whole name may be longer.
    let whole = legacy(name).map(|chars| (chars, len + 1));
    whole.or_else(|| (2..=len.min(6)).rev().find_map(|len| Some((legacy(&name[..len])?, len + 1))))
}

/// The expansion of a numeric reference, and its length. The number wraps at 32 bits.
fn number(text: &[u8]) -> Option<(String, usize)> {
    let (radix, start) = if matches!(text.get(2), Some(b'x' | b'X')) { (16, 3) } else { (10, 2) };
    let mut value = 0_i32;
    let mut len = start;
    while let Some(digit) = text.get(len).and_then(|byte| char::from(*byte).to_digit(radix)) {
        value = value.wrapping_mul(radix as i32).wrapping_add(digit as i32);
        len += 1;
    }
    len += usize::from(text.get(len) == Some(&b';'));
    if len <= 3 {
        return None;
    }
    let char = match value {
        0x80..=0x9f => WINDOWS_1252[value as usize - 0x80],
        0 => char::REPLACEMENT_CHARACTER,
        value => u32::try_from(value).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    Some((char.into(), len))
}

/// The characters of 128 to 159, which old pages use as in Windows-1252.
static WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];
