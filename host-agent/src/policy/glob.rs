//! Shell patterns: `*` (all except a slash), `**` (all), `?`, `[a-z]`, `[^a-z]`, `\` before a letter.
//!
//! Linear in practice: on a mismatch only the latest star is tried again.
//!
//! The crate `globset` is not used: its classes match a slash (`/srv/[^x]etc` would allow `/srv//etc`, `/a[!b]c` would
//! allow `/a/c`), which in a policy is an open door; its `?` and its classes match single bytes, so that `[ä]` matches
//! half a character; and functions need a pattern without alternatives (`{a,b}`) in any case. Names that are not UTF-8
//! come with escapes (`vocab/path.rs`); here such a byte is one letter, as it is for a shell.

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
    match char::from_u32(*pattern.get(at)?) {
        Some('?') => (c != SLASH).then_some(at + 1),
        Some('[') => {
            let mut found = false;
            let (negated, after) = class(pattern, at, |low, high| found |= (low..=high).contains(&c))?;
            (found != negated && c != SLASH).then_some(after)
        }
        Some(_) | None => escaped(pattern, at).and_then(|(wanted, after)| (wanted == c).then_some(after)),
    }
}

/// Reads the class at a position: hands over its characters as ranges; returns whether it is negated, and the next position.
/// `None`: it has no end.
fn class(pattern: &[Letter], at: usize, mut take: impl FnMut(Letter, Letter)) -> Option<(bool, usize)> {
    let is = |at: usize, letter: char| pattern.get(at) == Some(&Letter::from(letter));
    let mut next = at + 1;
    let negated = is(next, '^') || is(next, '!');
    next += usize::from(negated);
    let first = next;
    while !(next > first && is(next, ']')) {
        let (low, after) = escaped(pattern, next)?;
        let ranges = is(after, '-') && pattern.get(after + 1).is_some() && !is(after + 1, ']');
        let (high, after) = if ranges { escaped(pattern, after + 1)? } else { (low, after) };
        take(low, high);
        next = after;
    }
    Some((negated, next + 1))
}

/// The character at a position, or the one after a backslash.
fn escaped(pattern: &[Letter], at: usize) -> Option<(Letter, usize)> {
    match pattern.get(at)? {
        letter if *letter == Letter::from('\\') => pattern.get(at + 1).map(|letter| (*letter, at + 2)),
        letter => Some((*letter, at + 1)),
    }
}

/// A part of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// One of the two stars of a double one, too.
    Star,
    /// `?`.
    Any,
    Class,
    Literal(char),
}

/// The parts of a pattern. Errors: why it matches nothing, whatever the text is.
pub(super) fn parts(pattern: &str) -> Result<Vec<Part>, &'static str> {
    let pattern = letters(pattern);
    if pattern.is_empty() {
        return Err("it is empty; write an empty list, `[]`, to allow nothing");
    }
    let (mut parts, mut at) = (Vec::new(), 0);
    while let Some(letter) = pattern.get(at) {
        let (part, after) = match char::from_u32(*letter) {
            Some('*') => (Part::Star, at + 1),
            Some('?') => (Part::Any, at + 1),
            Some('[') => {
                let mut has_any = false;
                let class = class(&pattern, at, |low, high| has_any |= low < high || low == high && low != SLASH);
                let (negated, after) = class.ok_or("its class has no `]`; write `\\[` for a bracket")?;
                if !negated && !has_any {
                    return Err(
                        "its class matches nothing; write ranges from low to high, and slashes outside of `[…]`",
                    );
                }
                (Part::Class, after)
            }
            Some(_) | None => {
                let (letter, after) = escaped(&pattern, at)
                    .ok_or("nothing follows the backslash at its end; write `\\\\` for a backslash")?;
                (Part::Literal(char::from_u32(letter).unwrap_or(char::REPLACEMENT_CHARACTER)), after)
            }
        };
        parts.push(part);
        at = after;
    }
    Ok(parts)
}

/// A pattern as an automaton: which positions in it texts without slashes lead to.
pub(super) struct Steps(Vec<Letter>);

impl Steps {
    pub(super) fn of(pattern: &str) -> Steps {
        Steps(letters(pattern))
    }

    pub(super) fn is_end(&self, at: usize) -> bool {
        at == self.0.len()
    }

    /// The position after a star, which may match nothing.
    pub(super) fn skipped(&self, at: usize) -> Option<usize> {
        (self.0.get(at) == Some(&STAR)).then_some(at + 1)
    }

    /// The position that a character leads to.
    pub(super) fn after(&self, at: usize, c: char) -> Option<usize> {
        if self.0.get(at) == Some(&STAR) { Some(at) } else { one(&self.0, at, Letter::from(c)) }
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
    use super::{Part, literal, matches, parts};

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
    fn a_pattern_that_no_text_matches_is_told_apart() {
        for pattern in ["", "[a", "a[^]", "a\\", "[\\", "[z-a]", "/[/]x"] {
            assert!(parts(pattern).is_err(), "{pattern}");
        }
        for (pattern, text) in [("[]]", "]"), ("[z-ab]", "b"), ("[^/]", "a"), ("a\\*", "a*"), ("[a-]", "-"), ("]", "]")]
        {
            assert!(parts(pattern).is_ok() && matches(pattern, text), "{pattern}");
        }
        let all = [Part::Literal('a'), Part::Star, Part::Star, Part::Any, Part::Class, Part::Literal('[')];
        assert_eq!(parts("a**?[b]\\[").unwrap(), all);
    }

    #[test]
    fn many_stars_are_quick() {
        assert!(!matches(&"*a".repeat(40), &"b".repeat(4000)));
    }
}
