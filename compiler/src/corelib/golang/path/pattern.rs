//! Shell patterns, as Go's `path.Match` reads them. Functions spec, 11.6.

/// Does the pattern match the whole name? `None`: the pattern is malformed, wherever.
///
/// Cost: the pattern's length times the name's.
pub(super) fn matches(pattern: &[u8], name: &[u8]) -> Option<bool> {
    let items = parse(pattern)?;
    let characters = characters(name);
    // The set of places in the name that the items so far can lead to.
    let mut places = vec![false; characters.len() + 1];
    places[0] = true;
    for item in &items {
        let mut next = vec![false; characters.len() + 1];
        match item {
            Item::AnyRun => {
                let mut reached = false;
                for (at, place) in places.iter().enumerate() {
                    reached = reached && characters[at - 1] != SLASH || *place;
                    next[at] = reached;
                }
            }
            Item::AnyOne | Item::Is(_) | Item::Class { .. } => {
                for (at, character) in characters.iter().enumerate() {
                    next[at + 1] = places[at] && item.takes(*character);
                }
            }
        }
        places = next;
    }
    Some(places[characters.len()])
}

const SLASH: u32 = '/' as u32;

enum Item {
    /// `*`
    AnyRun,
    /// `?`
    AnyOne,
    Is(u32),
    Class {
        negated: bool,
        ranges: Vec<(u32, u32)>,
    },
}

impl Item {
    fn takes(&self, character: u32) -> bool {
        match self {
            Item::AnyRun => false,
            Item::AnyOne => character != SLASH,
            Item::Is(own) => *own == character,
            Item::Class { negated, ranges } => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&character)) != *negated
            }
        }
    }
}

/// Code points; each byte that is no part of valid UTF-8 counts as U+FFFD.
fn characters(text: &[u8]) -> Vec<u32> {
    let chunks = text.utf8_chunks();
    chunks
        .flat_map(|chunk| chunk.valid().chars().map(u32::from).chain(chunk.invalid().iter().map(|_| 0xfffd)))
        .collect()
}

fn parse(pattern: &[u8]) -> Option<Vec<Item>> {
    let characters = characters(pattern);
    let mut rest = characters.as_slice();
    let mut items = Vec::new();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        items.push(match char::from_u32(*first) {
            Some('*') => Item::AnyRun,
            Some('?') => Item::AnyOne,
            Some('\\') => {
                let (escaped, after) = rest.split_first()?;
                rest = after;
                Item::Is(*escaped)
            }
            Some('[') => class(&mut rest)?,
            _ => Item::Is(*first),
        });
    }
    Some(items)
}

/// The inside of brackets: one or more characters or ranges, up to `]`.
fn class(rest: &mut &[u32]) -> Option<Item> {
    let negated = rest.first() == Some(&u32::from('^'));
    *rest = &rest[usize::from(negated)..];
    let mut ranges = Vec::new();
    while ranges.is_empty() || rest.first() != Some(&u32::from(']')) {
        let low = class_end(rest)?;
        let mut high = low;
        if rest.first() == Some(&u32::from('-')) {
            *rest = &rest[1..];
            high = class_end(rest)?;
        }
        ranges.push((low, high));
    }
    *rest = &rest[1..];
    Some(Item::Class { negated, ranges })
}

fn class_end(rest: &mut &[u32]) -> Option<u32> {
    let (first, after) = rest.split_first()?;
    *rest = after;
    match char::from_u32(*first) {
        Some('-' | ']') => None,
        Some('\\') => {
            let (escaped, after) = rest.split_first()?;
            *rest = after;
            Some(*escaped)
        }
        _ => Some(*first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, expect) in [
            ("*.txt", "a.txt", Some(true)),
            ("a*b*c", "axxbyyc", Some(true)),
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
    }
}
