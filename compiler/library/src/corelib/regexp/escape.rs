//! Escaped characters and character classes.

use super::class::{self, Item};
use super::error::{BAD_ESCAPE, BAD_RANGE, PatternError, TRAILING_BACKSLASH};

/// The character of an escape at the start of the text, and the rest.
pub(super) fn character(text: &str) -> Result<(u32, &str), PatternError> {
    let mut rest = text.strip_prefix('\\').unwrap_or(text).chars();
    let Some(first) = rest.next() else { return Err(PatternError::new(TRAILING_BACKSLASH, "")) };
    let found = match first {
        // A single digit other than 0 would be a backreference, which is not supported.
        '1'..='7' if !rest.as_str().starts_with(|next: char| next.is_digit(8)) => None,
        '0'..='7' => {
            let mut value = u32::from(first) - u32::from('0');
            for _ in 0..2 {
                let Some(digit) = rest.clone().next().and_then(|next| next.to_digit(8)) else { break };
                value = value * 8 + digit;
                rest.next();
            }
            Some(value)
        }
        'x' => hexadecimal(&mut rest),
        'a' => Some(7),
        'f' => Some(12),
        'n' => Some(10),
        'r' => Some(13),
        't' => Some(9),
        'v' => Some(11),
        _ if first.is_ascii() && !first.is_ascii_alphanumeric() => Some(first.into()),
        _ => None,
    };
    let read = &text[..text.len() - rest.as_str().len()];
    found.map(|char| (char, rest.as_str())).ok_or_else(|| PatternError::new(BAD_ESCAPE, read))
}

/// The part after `\x`: two digits, or any number of them in braces.
fn hexadecimal(rest: &mut std::str::Chars) -> Option<u32> {
    let first = rest.next()?;
    if first != '{' {
        return Some(first.to_digit(16)? * 16 + rest.next()?.to_digit(16)?);
    }
    let mut value = rest.next()?.to_digit(16)?;
    loop {
        match rest.next()? {
            '}' => return Some(value),
            digit => value = value * 16 + digit.to_digit(16)?,
        }
        if value > u32::from(char::MAX) {
            return None;
        }
    }
}

/// The class of an escape at the start of the text (`\d`, `\pL`), and the rest; `None` if it is not a class.
pub(super) fn class(text: &str) -> Result<Option<(Item, &str)>, PatternError> {
    let Some(&[b'\\', letter, ..]) = text.as_bytes().get(..2) else { return Ok(None) };
    if !matches!(letter, b'p' | b'P') {
        return Ok(class::perl(letter).map(|item| (item, &text[2..])));
    }
    let name = &text[2..];
    let bad = |part| Err(PatternError::new(BAD_RANGE, part));
    let (name, end) = match name.strip_prefix('{') {
        Some(name) => match name.find('}') {
            Some(len) => (&name[..len], 3 + len + 1),
            None => return bad(text),
        },
        None => {
            let len = name.chars().next().map_or(0, char::len_utf8);
            (&name[..len], 2 + len)
        }
    };
    match class::property(name) {
        Some(mut item) => {
            item.is_negated ^= letter == b'P';
            Ok(Some((item, &text[end..])))
        }
        None => bad(&text[..end]),
    }
}
