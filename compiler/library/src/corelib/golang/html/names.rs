//! The named characters of HTML.

use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// One name per line, `!` if it needs no semicolon, and its characters in hexadecimal.
static NAMES: &str = include_str!("names.txt");

/// The characters of a name that is followed by a semicolon.
pub(super) fn named(name: &str) -> Option<String> {
    table().get(name).map(|entry| read(entry.chars))
}

/// The characters of a name that needs no semicolon.
pub(super) fn legacy(name: &str) -> Option<String> {
    table().get(name).filter(|entry| entry.stands_alone).map(|entry| read(entry.chars))
}

struct CharacterReference {
    chars: &'static str,
    stands_alone: bool,
}

fn table() -> &'static FxHashMap<&'static str, CharacterReference> {
    static TABLE: OnceLock<FxHashMap<&'static str, CharacterReference>> = OnceLock::new();
    let entry = |line: &'static str| {
        let (name, chars) = line.split_once(' ')?;
        let short = name.strip_suffix('!');
        Some((short.unwrap_or(name), CharacterReference { chars, stands_alone: short.is_some() }))
    };
    TABLE.get_or_init(|| NAMES.lines().filter_map(entry).collect())
}

fn read(chars: &str) -> String {
    let char = |digits: &str| char::from_u32(u32::from_str_radix(digits, 16).ok()?);
    chars.split(' ').filter_map(char).collect()
}
