//! Shell patterns: `*` (all except a slash), `**` (all), `?`, `[a-z]`, `[^a-z]`, `\` before a letter.
//!
//! Linear in practice: on a mismatch only the latest star is tried again.
//!
//! The crate `globset` is not used: its classes match a slash (`/srv/[^x]etc` would allow `/srv//etc`, `/a[!b]c` would
//! allow `/a/c`), which in a policy is an open door; its `?` and its classes match single bytes, so that `[ä]` matches
//! half a letter; and functions need a pattern without alternatives (`{a,b}`) in any case. Names that are no UTF-8 come
//! with escapes (`vocab/path.rs`); here such a byte is one letter, as it is for a shell.

use mclive_base::vocab::path;
use std::borrow::Cow;

/// The special characters.
pub(crate) const SPECIAL: [char; 4] = ['*', '?', '[', '\\'];

/// Whether the whole text matches.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (letters(pattern), letters(text));
    let (mut p, mut t) = (0, 0);
    // The latest star: the position in the pattern after it, the position in the text, and whether it may cross a
    // slash.
    let mut star: Option<(usize, usize, bool)> = None;
    // The latest double star, tried again when the latest single one cannot be extended.
    let mut wide: Option<(usize, usize)> = None;
    loop {
        if p < pattern.len() && pattern[p] == STAR {
            let double = pattern.get(p + 1) == Some(&STAR);
            p += if double { 2 } else { 1 };
            star = Some((p, t, double));
            if double {
                wide = Some((p, t));
            }
            continue;
        }
        if t == text.len() && p == pattern.len() {
            return true;
        }
        if t < text.len()
            && let Some(after) = one(&pattern, p, text[t])
        {
            (p, t) = (after, t + 1);
            continue;
        }
        match (&mut star, &mut wide) {
            (Some((after, from, double)), _) if *from < text.len() && (*double || text[*from] != SLASH) => {
                *from += 1;
                (p, t) = (*after, *from);
            }
            (_, Some((after, from))) if *from < text.len() => {
                *from += 1;
                (p, t) = (*after, *from);
                star = Some((p, t, true));
            }
            _ => return false,
        }
    }
}

/// A character, or above all characters a byte that is not part of one.
type Letter = u32;
const ODD: Letter = 0x11_0000;
const STAR: Letter = '*' as Letter;
const SLASH: Letter = '/' as Letter;

fn letters(text: &str) -> Vec<Letter> {
    let mut letters = Vec::with_capacity(text.len());
    for chunk in path::native(text).utf8_chunks() {
        letters.extend(chunk.valid().chars().map(Letter::from));
        letters.extend(chunk.invalid().iter().map(|byte| ODD + Letter::from(*byte)));
    }
    letters
}

/// Matches one character; returns the next position in the pattern.
fn one(pattern: &[Letter], at: usize, c: Letter) -> Option<usize> {
    let is = |at: usize, letter: char| pattern.get(at) == Some(&Letter::from(letter));
    match char::from_u32(*pattern.get(at)?) {
        Some('?') => (c != SLASH).then_some(at + 1),
        Some('[') => {
            let mut next = at + 1;
            let negated = is(next, '^') || is(next, '!');
            next += usize::from(negated);
            let (mut found, first) = (false, next);
            while !(next > first && is(next, ']')) {
                let (low, after) = escaped(pattern, next)?;
                let ranges = is(after, '-') && pattern.get(after + 1).is_some() && !is(after + 1, ']');
                let (high, after) = if ranges { escaped(pattern, after + 1)? } else { (low, after) };
                found |= (low..=high).contains(&c);
                next = after;
            }
            (found != negated && c != SLASH).then_some(next + 1)
        }
        Some(_) | None => escaped(pattern, at).and_then(|(wanted, after)| (wanted == c).then_some(after)),
    }
}

/// The character at a position, or the one after a backslash.
fn escaped(pattern: &[Letter], at: usize) -> Option<(Letter, usize)> {
    match pattern.get(at)? {
        letter if *letter == Letter::from('\\') => pattern.get(at + 1).map(|letter| (*letter, at + 2)),
        letter => Some((*letter, at + 1)),
    }
}

/// The pattern that matches only this text.
pub(crate) fn literal(text: &str) -> Cow<'_, str> {
    if !text.contains(SPECIAL) {
        return Cow::Borrowed(text);
    }
    let mut pattern = String::with_capacity(text.len() + 4);
    for letter in text.chars() {
        if SPECIAL.contains(&letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    Cow::Owned(pattern)
}

#[cfg(test)]
mod tests {
    use super::{literal, matches};

    #[test]
    fn stars_stop_at_slashes_unless_doubled() {
        assert!(matches("/etc/*", "/etc/hosts") && !matches("/etc/*", "/etc/a/b") && matches("/etc/**", "/etc/a/b"));
        assert!(matches("/**/*.conf", "/a/b/c.conf") && !matches("*.conf", "a/c.conf"));
    }

    #[test]
    fn classes_and_escapes() {
        assert!(
            matches("f[0-9].?", "f7.x") && !matches("f[^0-9]", "f7") && matches(r"a\*", "a*") && !matches(r"a\*", "ab")
        );
        assert!(matches("[]a]", "]") && matches("[a-]", "-") && !matches("[a", "a") && matches("[ä]", "ä"));
    }

    #[test]
    fn no_class_matches_a_slash() {
        assert!(!matches("/a[^b]c", "/a/c") && !matches("/a[!-9]c", "/a/c") && !matches("/a?c", "/a/c"));
    }

    #[test]
    fn a_byte_that_is_no_letter_is_one_letter() {
        assert!(matches("/a?b", "/a\0ffb") && matches("/*", "/\0ff") && matches("/[^x]", "/\0c3"));
        assert!(!matches("/a?b", "/a\0ff\0feb") && !matches("/a\0ff", "/aff"));
    }

    #[test]
    fn a_literal_matches_itself_alone() {
        for text in ["/plain", r"/a*[b]\?", "/\0ff*"] {
            assert!(matches(&literal(text), text));
        }
        assert!(!matches(&literal("/a*"), "/ab"));
    }

    #[test]
    fn many_stars_are_quick() {
        assert!(!matches(&"*a".repeat(40), &"b".repeat(4000)));
    }
}
