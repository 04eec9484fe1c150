//! The named characters of HTML.

use std::cmp::Ordering;

/// One name per line, in order, `!` if it needs no semicolon, and its characters in hexadecimal.
static NAMES: &str = include_str!("names.txt");

/// The characters of a name that is followed by a semicolon.
pub(super) fn named(name: &str) -> Option<String> {
    lookup(name).map(|entry| read(entry.chars))
}

/// The characters of a name that needs no semicolon.
pub(super) fn legacy(name: &str) -> Option<String> {
    lookup(name).filter(|entry| entry.stands_alone).map(|entry| read(entry.chars))
}

struct CharacterReference {
    chars: &'static str,
    stands_alone: bool,
}

/// Finds a name by halving the lines.
fn lookup(name: &str) -> Option<CharacterReference> {
    let mut lines = NAMES;
    while !lines.is_empty() {
        let start = lines[..lines.len() / 2].rfind('\n').map_or(0, |at| at + 1);
        let end = lines[start..].find('\n').map_or(lines.len(), |at| start + at + 1);
        let (entry, chars) = lines[start..end].trim_end().split_once(' ')?;
        let short = entry.strip_suffix('!');
        match short.unwrap_or(entry).cmp(name) {
            Ordering::Less => lines = &lines[end..],
            Ordering::Equal => return Some(CharacterReference { chars, stands_alone: short.is_some() }),
            Ordering::Greater => lines = &lines[..start],
        }
    }
    None
}

fn read(chars: &str) -> String {
    let char = |digits: &str| char::from_u32(u32::from_str_radix(digits, 16).ok()?);
    chars.split(' ').filter_map(char).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_is_found() {
        let names: BTreeSet<&str> = NAMES.lines().filter_map(|line| line.split([' ', '!']).next()).collect();
        for line in NAMES.lines() {
            let (entry, chars) = line.split_once(' ').expect("a name and its characters");
            let name = entry.trim_end_matches('!');
            let found = lookup(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!((found.chars, found.stands_alone), (chars, entry != name));
            for other in [&name[1..], &format!("{name}~"), &format!("!{name}")] {
                assert_eq!(lookup(other).is_some(), names.contains(other), "{other}");
            }
        }
        assert!(lookup("").is_none());
    }
}
