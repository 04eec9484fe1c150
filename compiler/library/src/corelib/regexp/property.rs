//! The meaning of the name in `\p{NAME}`: general categories and scripts.

use super::class::Ranges;
use crate::unicode::{LAST, assigned, categories, join, script};
use std::cell::RefCell;
use std::collections::BTreeMap;

thread_local! {
    /// A cache: patterns that name a class many times must be cheap.
    static KNOWN: RefCell<BTreeMap<String, Ranges>> = const { RefCell::new(BTreeMap::new()) };
}

/// The characters of a category (by its short or long name) or script, in order.
pub(super) fn property(name: &str) -> Option<Ranges> {
    let name: String = name.chars().filter(|char| !" _-".contains(*char)).collect::<String>().to_lowercase();
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
            let listed = categories(&|category| category.starts_with('c'));
            Some(join([listed, others(&assigned()), vec![(0xd800, 0xdfff)]].concat()))
        }
        "lc" | "casedletter" => Some(categories(&|category| matches!(category, "lu" | "ll" | "lt"))),
        name => {
            let short = LONG_NAMES.iter().find(|(long, _)| *long == name).map_or(name, |(_, short)| short);
            let ranges = categories(&|category| category == short || short.len() == 1 && category.starts_with(short));
            if !ranges.is_empty() {
                return Some(ranges);
            }
            script(name)
        }
    }
}

/// The complement of the ranges.
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

/// Without spaces, underscores and hyphens.
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
