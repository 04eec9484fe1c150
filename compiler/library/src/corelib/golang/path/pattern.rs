//! Shell patterns as in Go's `path.Match`. Functions spec, 11.6.

use crate::corelib::bytes::chars;
use crate::corelib::{CallContext, FnError, Progress, Task, Work};
use crate::value::Value;
use std::ops::Range;
use std::sync::Arc;

/// A match under way.
///
/// Plain text is compared by bytes, and `*` matches any number of them; `?` and classes match a character, or one
/// invalid byte. The text after a `*` is matched at its first occurrence, without backtracking.
///
/// Cost: the pattern's length times the name's.
#[derive(Clone)]
pub(super) struct Matching {
    items: Vec<Item>,
    name: Arc<[u8]>,
    /// The items between the `*`, in order.
    chunks: Vec<Range<usize>>,
    /// The chunk that is next.
    at: usize,
    /// Where what no chunk has taken begins.
    rest: usize,
    /// How far into that the next chunk was tried without success.
    tried: usize,
    /// What is malformed counts wherever it is.
    is_strict: bool,
    /// What is left of the cost.
    owes: u64,
}

impl Matching {
    /// As `path.Match` matches: a malformed pattern is one whatever the name is.
    pub(super) fn new(pattern: &[u8], name: Arc<[u8]>) -> Matching {
        Matching { is_strict: true, ..Matching::as_reached(pattern, name) }
    }

    /// As `filepath.Match` does: what is malformed after a `*` counts only where the name reaches it.
    pub(super) fn as_reached(pattern: &[u8], name: Arc<[u8]>) -> Matching {
        let items = parse(pattern);
        let mut chunks = Vec::new();
        let mut from = 0;
        let runs = items.iter().enumerate().filter(|(_, item)| matches!(item, Item::AnyRun));
        for (at, _) in runs {
            chunks.push(from..at);
            from = at + 1;
        }
        chunks.push(from..items.len());
        let owes = pattern.len() as u64 * name.len() as u64;
        Matching { items, name, chunks, at: 0, rest: 0, tried: 0, is_strict: false, owes }
    }

    /// Errors: the work that it owes exceeds the rest of the budget.
    pub(super) fn afford(&self, work: &Work) -> Result<(), FnError> {
        if self.owes > work.left() { work.spend(self.owes) } else { Ok(()) }
    }

    /// Does the name consist of this? `None`: the work is due; `Some(None)`: what is malformed counts.
    fn matches(&mut self, work: &Work) -> Result<Option<Option<bool>>, FnError> {
        let is_malformed = |items: &[Item]| matches!(items.last(), Some(Item::Malformed));
        if self.is_strict && is_malformed(&self.items) {
            return Ok(Some(None));
        }
        while let Some(chunk) = self.chunks.get(self.at) {
            let items = &self.items[chunk.clone()];
            if is_malformed(items) {
                return Ok(Some(None));
            }
            let rest = &self.name[self.rest..];
            let is_last = self.at + 1 == self.chunks.len();
            // Nothing is before the first chunk.
            let end = match self.at {
                0 => 0,
                _ if is_last && items.is_empty() => return Ok(Some(Some(!rest.contains(&b'/')))),
                _ => rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len()),
            };
            let fits = |from: usize| skip(items, &rest[from..]).filter(|behind| !is_last || behind.is_empty());
            let behind = loop {
                if self.tried > end {
                    return Ok(Some(Some(false)));
                }
                if let Some(behind) = fits(self.tried) {
                    break behind.len();
                }
                self.tried += 1;
                let cost = self.owes.min(1 + items.len() as u64);
                self.owes -= cost;
                work.spend(cost)?;
                if work.is_due() {
                    return Ok(None);
                }
            };
            (self.rest, self.tried) = (self.name.len() - behind, 0);
            self.at += 1;
        }
        Ok(Some(Some(self.rest == self.name.len())))
    }
}

impl Task for Matching {
    fn copy(&self) -> Box<dyn Task> {
        Box::new(self.clone())
    }

    fn resume(&mut self, _: &mut dyn CallContext, work: &Work) -> Result<Progress, FnError> {
        let Some(matches) = self.matches(work)? else { return Ok(Progress::Underway) };
        // It costs the same wherever it fits.
        work.spend(self.owes)?;
        let matches = matches.ok_or_else(|| FnError::fatal("syntax error in pattern"))?;
        Ok(Progress::Done(Value::Bool(matches)))
    }
}

/// The rest of a text after these items.
fn skip<'a>(items: &[Item], text: &'a [u8]) -> Option<&'a [u8]> {
    items.iter().try_fold(text, |rest, item| Some(&rest[item.width(rest)?..]))
}

#[derive(Clone)]
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

    /// In one go, and in pieces, which must come to the same.
    fn ended(begin: fn(&[u8], Arc<[u8]>) -> Matching, pattern: &[u8], name: &[u8]) -> Option<bool> {
        let work = Work::new(u64::MAX);
        let whole = begin(pattern, name.into()).matches(&work).unwrap().expect("nothing interrupts it");
        let mut pieces = begin(pattern, name.into());
        loop {
            work.begin_slice(1);
            if let Some(ended) = pieces.matches(&work).unwrap() {
                assert_eq!(ended, whole, "{pattern:?} {name:?}");
                return whole;
            }
        }
    }

    fn matches(pattern: &[u8], name: &[u8]) -> Option<bool> {
        ended(Matching::new, pattern, name)
    }

    fn matches_as_reached(pattern: &[u8], name: &[u8]) -> Option<bool> {
        ended(Matching::as_reached, pattern, name)
    }

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
