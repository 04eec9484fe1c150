//! General categories and scripts of Unicode 15.
//!
//! A line of the tables is a name in lower case, then ranges: how far the first character is from
//! the end of the range before, and how many more there are, in hexadecimal digits.

use super::class::{Ranges, join};
use std::cell::RefCell;
use std::collections::BTreeMap;

static CATEGORIES: &str = include_str!("categories.txt");
static SCRIPTS: &str = include_str!("scripts.txt");

const LAST: u32 = 0x10ffff;

thread_local! {
    /// What was read before: patterns that name a class many times must be cheap.
    static KNOWN: RefCell<BTreeMap<String, Ranges>> = const { RefCell::new(BTreeMap::new()) };
}

/// The characters of a category (by its short or long name) or script, in order.
pub(super) fn property(name: &str) -> Option<Ranges> {
    let name: String = name.chars().filter(|char| !" _".contains(*char)).collect::<String>().to_lowercase();
    if let Some(known) = KNOWN.with_borrow(|known| known.get(&name).cloned()) {
        return Some(known);
    }
    let ranges: Ranges = named(&name)?.into();
    KNOWN.with_borrow_mut(|known| known.insert(name, ranges.clone()));
    Some(ranges)
}

/// By a name in lower case without spaces.
fn named(name: &str) -> Option<Vec<(u32, u32)>> {
    match name {
        "any" => Some(vec![(0, LAST)]),
        "ascii" => Some(vec![(0, 0x7f)]),
        "assigned" => Some(assigned()),
        "cn" | "unassigned" => Some(others(&assigned())),
        "cs" | "surrogate" => Some(vec![(0xd800, 0xdfff)]),
        "c" | "other" => {
            let listed = categories(|category| category.starts_with('c'));
            Some(join([listed, others(&assigned()), vec![(0xd800, 0xdfff)]].concat()))
        }
        "lc" | "casedletter" => Some(categories(|category| matches!(category, "lu" | "ll" | "lt"))),
        name => {
            let short = LONG_NAMES.iter().find(|(long, _)| *long == name).map_or(name, |(_, short)| short);
            let ranges = categories(|category| category == short || short.len() == 1 && category.starts_with(short));
            if !ranges.is_empty() {
                return Some(ranges);
            }
            lines(SCRIPTS).find(|(script, _)| *script == name).map(|(_, ranges)| read(ranges))
        }
    }
}

/// Surrogates have a category, though no text has them.
fn assigned() -> Vec<(u32, u32)> {
    let mut ranges = categories(|_| true);
    ranges.push((0xd800, 0xdfff));
    join(ranges)
}

/// All categories that are wanted, together.
fn categories(is_wanted: impl Fn(&str) -> bool) -> Vec<(u32, u32)> {
    join(lines(CATEGORIES).filter(|(name, _)| is_wanted(name)).flat_map(|(_, ranges)| read(ranges)).collect())
}

/// The lines of a table: a name, and ranges that are still to be read.
fn lines(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table.lines().map(|line| line.split_once(' ').unwrap_or((line, "")))
}

fn read(ranges: &str) -> Vec<(u32, u32)> {
    let number = |text: &str| u32::from_str_radix(text, 16).unwrap_or_default();
    let mut end = 0;
    let range = |text: &str| {
        let (gap, more) = text.split_once('+').unwrap_or((text, "0"));
        let first = end + number(gap);
        end = first + number(more);
        (first, end)
    };
    ranges.split(' ').map(range).collect()
}

/// What is in none of the ranges.
fn others(ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut out = Vec::new();
    let mut from = 0;
    for (first, last) in ranges {
        if from < *first {
            out.push((from, first - 1));
        }
        from = last + 1;
    }
    if from <= LAST {
        out.push((from, LAST));
    }
    out
}

/// Without spaces and underscores.
static LONG_NAMES: [(&str, &str); 38] = [
    ("closepunctuation", "pe"),
    ("cntrl", "cc"),
    ("combiningmark", "m"),
    ("connectorpunctuation", "pc"),
    ("control", "cc"),
    ("currencysymbol", "sc"),
    ("dashpunctuation", "pd"),
    ("decimalnumber", "nd"),
    ("digit", "nd"),
    ("enclosingmark", "me"),
    ("finalpunctuation", "pf"),
    ("format", "cf"),
    ("initialpunctuation", "pi"),
    ("letter", "l"),
    ("letternumber", "nl"),
    ("lineseparator", "zl"),
    ("lowercaseletter", "ll"),
    ("mark", "m"),
    ("mathsymbol", "sm"),
    ("modifierletter", "lm"),
    ("modifiersymbol", "sk"),
    ("nonspacingmark", "mn"),
    ("number", "n"),
    ("openpunctuation", "ps"),
    ("otherletter", "lo"),
    ("othernumber", "no"),
    ("otherpunctuation", "po"),
    ("othersymbol", "so"),
    ("paragraphseparator", "zp"),
    ("privateuse", "co"),
    ("punct", "p"),
    ("punctuation", "p"),
    ("separator", "z"),
    ("spaceseparator", "zs"),
    ("spacingmark", "mc"),
    ("symbol", "s"),
    ("titlecaseletter", "lt"),
    ("uppercaseletter", "lu"),
];
