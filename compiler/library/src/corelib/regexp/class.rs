//! Sets of characters: brackets and escapes such as `\d` and `\pL`.

use super::fold::cases;
use super::property;
use std::sync::Arc;

/// Ranges from a first to a last character.
pub(super) type Ranges = Arc<[(u32, u32)]>;

#[derive(Debug, Default)]
pub(super) struct Class {
    pub(super) items: Vec<Item>,
    pub(super) is_negated: bool,
    pub(super) ignores_case: bool,
}

/// A part of a class: ranges in order, possibly negated.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) ranges: Ranges,
    pub(super) is_negated: bool,
}

impl Class {
    pub(super) fn contains(&self, char: u32) -> bool {
        self.items.iter().any(|item| item.contains(char, self.ignores_case)) != self.is_negated
    }
}

impl Item {
    fn contains(&self, char: u32, ignores_case: bool) -> bool {
        let holds = |char: u32| {
            let behind = self.ranges.partition_point(|range| range.0 <= char);
            behind > 0 && char <= self.ranges[behind - 1].1
        };
        let is_in = if ignores_case { cases(char).any(holds) } else { holds(char) };
        is_in != self.is_negated
    }
}

/// `\d`, `\S` and similar, by letter.
pub(super) fn perl(letter: u8) -> Option<Item> {
    let name = match letter.to_ascii_lowercase() {
        b'd' => "digit",
        // Unlike `[:space:]` without the vertical tab.
        b's' => "perl_space",
        b'w' => "word",
        _ => return None,
    };
    ascii(name).map(|ranges| Item { ranges, is_negated: letter.is_ascii_uppercase() })
}

/// `[:alpha:]`, `[:^alpha:]`, by the name between the colons.
pub(super) fn posix(name: &str) -> Option<Item> {
    let (name, is_negated) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
    let is_posix = !name.starts_with("perl_");
    ascii(name).filter(|_| is_posix).map(|ranges| Item { ranges, is_negated })
}

/// `\p{Greek}`, `\p{^Greek}`, by the name.
pub(super) fn property(name: &str) -> Option<Item> {
    let (name, is_negated) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
    property::property(name).map(|ranges| Item { ranges, is_negated })
}

fn ascii(name: &str) -> Option<Ranges> {
    let ranges: &[(u8, u8)] = match name {
        "alnum" => &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
        "alpha" => &[(b'A', b'Z'), (b'a', b'z')],
        "ascii" => &[(0, 0x7f)],
        "blank" => &[(b'\t', b'\t'), (b' ', b' ')],
        "cntrl" => &[(0, 0x1f), (0x7f, 0x7f)],
        "digit" => &[(b'0', b'9')],
        "graph" => &[(b'!', b'~')],
        "lower" => &[(b'a', b'z')],
        "perl_space" => &[(b'\t', b'\n'), (0x0c, b'\r'), (b' ', b' ')],
        "print" => &[(b' ', b'~')],
        "punct" => &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')],
        "space" => &[(b'\t', b'\r'), (b' ', b' ')],
        "upper" => &[(b'A', b'Z')],
        "word" => &[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')],
        "xdigit" => &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')],
        _ => return None,
    };
    Some(ranges.iter().map(|(low, high)| (u32::from(*low), u32::from(*high))).collect())
}
