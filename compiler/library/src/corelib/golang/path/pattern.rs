//! Shell patterns as in Go's `path.Match`. Functions spec, 11.6.

use crate::corelib::bytes::chars;

/// Does the pattern match the whole name, as `path.Match` says it? `None`: the pattern is malformed, wherever.
pub(super) fn matches(pattern: &[u8], name: &[u8]) -> Option<bool> {
    let items = parse(pattern);
    if matches!(items.last(), Some(Item::Malformed)) { None } else { matches_items(&items, name) }
}

/// The same as `filepath.Match` says it: what is malformed behind a `*` counts only where the name reaches it.
pub(super) fn matches_as_reached(pattern: &[u8], name: &[u8]) -> Option<bool> {
    matches_items(&parse(pattern), name)
}

/// Does the name consist of these? `None` where it reaches what is malformed.
///
/// Plain text is compared by bytes, and `*` matches any number of them; `?` and classes match a character, or one
/// invalid byte. The text after a `*` is matched at its first occurrence, without backtracking.
///
/// Cost: the pattern's length times the name's.
fn matches_items(items: &[Item], name: &[u8]) -> Option<bool> {
    let mut rest = name;
    let mut chunks = items.split(|item| matches!(item, Item::AnyRun)).peekable();
    let is_sound = |chunk: &[Item]| !matches!(chunk.last(), Some(Item::Malformed));
    if !chunks.peek().is_none_or(|first| is_sound(first)) {
        return None;
    }
    match chunks.next().and_then(|first| skip(first, rest)) {
        Some(behind) => rest = behind,
        None => return Some(false),
    }
    if chunks.peek().is_none() {
        return Some(rest.is_empty());
    }
    while let Some(chunk) = chunks.next() {
        if !is_sound(chunk) {
            return None;
        }
        let is_last = chunks.peek().is_none();
        if is_last && chunk.is_empty() {
            return Some(!rest.contains(&b'/'));
        }
        let end = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
        let fits = |from: usize| skip(chunk, &rest[from..]).filter(|behind| !is_last || behind.is_empty());
        match (0..=end).find_map(fits) {
            Some(behind) => rest = behind,
            None => return Some(false),
        }
    }
    Some(rest.is_empty())
}

/// The rest of a text after these items.
fn skip<'a>(items: &[Item], text: &'a [u8]) -> Option<&'a [u8]> {
    items.iter().try_fold(text, |rest, item| Some(&rest[item.width(rest)?..]))
}

enum Item {
    /// `*`
    AnyRun,
    /// `?`
    AnyOne,
    Is(u8),
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
    /// The last item of a pattern that is malformed from here on.
    Malformed,
}

impl Item {
    /// How many bytes it matches at the start of a non-empty name; `None` if it does not match.
    fn width(&self, name: &[u8]) -> Option<usize> {
        let (character, width) = first(name)?;
        match self {
            Item::AnyRun | Item::Malformed => None,
            Item::AnyOne => (character != '/').then_some(width),
            Item::Is(own) => (*own == name[0]).then_some(1),
            Item::Class { negated, ranges } => {
                let is_in = ranges.iter().any(|(low, high)| (*low..=*high).contains(&character));
                (is_in != *negated).then_some(width)
            }
        }
    }
}

/// The first character and its width; an invalid byte counts as U+FFFD.
fn first(text: &[u8]) -> Option<(char, usize)> {
    // A cut at four bytes can split a later character, never the first.
    let first = chars(&text[..text.len().min(4)]).next()?;
    Some(first.map_or((char::REPLACEMENT_CHARACTER, 1), |char| (char, char.len_utf8())))
}

fn parse(pattern: &[u8]) -> Vec<Item> {
    let mut rest = pattern;
    let mut items = Vec::new();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        let item = match byte {
            b'*' => Some(Item::AnyRun),
            b'?' => Some(Item::AnyOne),
            b'\\' => rest.split_first().map(|(escaped, after)| {
                rest = after;
                Item::Is(*escaped)
            }),
            b'[' => class(&mut rest),
            byte => Some(Item::Is(*byte)),
        };
        match item {
            Some(item) => items.push(item),
            None => {
                items.push(Item::Malformed);
                break;
            }
        }
    }
    items
}

/// The inside of brackets: one or more characters or ranges, up to `]`.
fn class(rest: &mut &[u8]) -> Option<Item> {
    let negated = rest.first() == Some(&b'^');
    *rest = &rest[usize::from(negated)..];
    let mut ranges = Vec::new();
    while ranges.is_empty() || rest.first() != Some(&b']') {
        let low = class_end(rest)?;
        let mut high = low;
        if rest.first() == Some(&b'-') {
            *rest = &rest[1..];
            high = class_end(rest)?;
        }
        ranges.push((low, high));
    }
    *rest = &rest[1..];
    Some(Item::Class { negated, ranges })
}

/// One end of a range; invalid bytes are malformed here.
fn class_end(rest: &mut &[u8]) -> Option<char> {
    match rest.first()? {
        b'-' | b']' => return None,
        b'\\' => *rest = &rest[1..],
        _ => {}
    }
    let char = chars(&rest[..rest.len().min(4)]).next()?.ok()?;
    *rest = &rest[char.len_utf8()..];
    Some(char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, expect) in [
            ("*.txt", "a.txt", Some(true)),
            ("a*b*c", "axxbyyc", Some(true)),
            ("a**c*", "abcd", Some(true)),
            ("*[!-/]*", "*/*", Some(false)),
            ("*/*b", "a/xb", Some(true)),
            ("*", "a/b", Some(false)),
            ("?", "/", Some(false)),
            ("[c-a]", "b", Some(false)),
            ("[!a]", "!", Some(true)),
            ("[\\]]", "]", Some(true)),
            ("\\*", "*", Some(true)),
            ("", "", Some(true)),
            ("[]a]", "a", None),
            ("[^]", "a", None),
            ("[a-]", "a", None),
            ("[-a]", "a", None),
            ("x[a", "abc", None),
            ("a\\", "a", None),
        ] {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), expect, "{pattern} {name}");
        }
        for (pattern, name, expect) in [
            (&b"[\xff]"[..], &b"\xff"[..], None),
            (b"\xff", b"\xfe", Some(false)),
            (b"\xc3?", "\u{e9}".as_bytes(), Some(true)),
            (b"*\xa9", "\u{e9}".as_bytes(), Some(true)),
            (b"[^a]", b"\xff", Some(true)),
        ] {
            assert_eq!(matches(pattern, name), expect, "{pattern:?} {name:?}");
        }
    }

    #[test]
    fn what_is_malformed_behind_a_star() {
        for (pattern, name, always, reached) in [
            ("x*[a", "abc", None, Some(false)),
            ("x*[a", "xbc", None, None),
            ("a*b*\\", "axc", None, Some(false)),
            ("x[a", "abc", None, None),
            ("*[", "", None, None),
        ] {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), always, "{pattern} {name}");
            assert_eq!(matches_as_reached(pattern.as_bytes(), name.as_bytes()), reached, "{pattern} {name}");
        }
    }
}
