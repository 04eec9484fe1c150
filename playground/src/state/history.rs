//! Local history: when a version of the program is kept, and what has changed since the one before.

use super::program::Program;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A version is kept after a pause this long. Units: milliseconds.
const PAUSE_MS: u32 = 30_000;
/// The least time between two versions of a program. Units: milliseconds.
const APART_MS: u32 = 300_000;

/// How long to wait after an edit until its version is kept. `since_ms`: the time since the last one was, if there is
/// one. Units: milliseconds.
pub fn wait_ms(since_ms: Option<f64>) -> u32 {
    // The clock may have been set back in the meantime.
    let since_ms = since_ms.map_or(APART_MS, |since_ms| since_ms.clamp(0.0, f64::from(APART_MS)) as u32);
    (APART_MS - since_ms).max(PAUSE_MS)
}

/// How many lines differ between two versions of a program, without those that only moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Change {
    /// The number of lines that only the later version has.
    pub n_added: u32,
    /// The number of lines that only the earlier version has.
    pub n_removed: u32,
}

impl Change {
    /// What differs; `None`: at most whitespace.
    pub fn between(before: &Program, after: &Program) -> Option<Change> {
        if is_same(before, after) {
            return None;
        }
        let mut lines: BTreeMap<(&str, &str), i32> = BTreeMap::new();
        for (program, by) in [(before, -1), (after, 1)] {
            for file in program.files() {
                for line in file.text.lines().map(str::trim).filter(|line| !line.is_empty()) {
                    *lines.entry((&*file.name, line)).or_default() += by;
                }
            }
        }
        let count =
            |is_it: fn(i32) -> bool| lines.values().filter(|n| is_it(**n)).map(|n| n.unsigned_abs()).sum::<u32>();
        Some(Change { n_added: count(|n| n > 0), n_removed: count(|n| n < 0) })
    }

    /// In words: `3 lines added, 1 removed`.
    pub fn words(self) -> String {
        let lines = |n: u32| format!("{n} line{}", if n == 1 { "" } else { "s" });
        match (self.n_added, self.n_removed) {
            (0, 0) => "other changes".to_owned(),
            (added, 0) => format!("{} added", lines(added)),
            (0, removed) => format!("{} removed", lines(removed)),
            (added, removed) => format!("{} added, {removed} removed", lines(added)),
        }
    }
}

/// Whether two programs differ in whitespace at most.
fn is_same(one: &Program, other: &Program) -> bool {
    let mut pairs = one.files().iter().zip(other.files());
    one.files().len() == other.files().len()
        && pairs.all(|(one, other)| {
            let has_same_words = || one.text.split_whitespace().eq(other.text.split_whitespace());
            one.name == other.name && one.binary == other.binary && has_same_words()
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::layout::MCL;

    #[test]
    fn a_version_waits_for_a_pause_and_for_the_one_before() {
        for (since_ms, wanted) in [
            (None, 30_000),
            (Some(0.0), 300_000),
            (Some(60_000.0), 240_000),
            (Some(290_000.0), 30_000),
            (Some(1e12), 30_000),
            (Some(-1e12), 300_000),
        ] {
            assert_eq!(wait_ms(since_ms), wanted, "{since_ms:?}");
        }
    }

    #[test]
    fn what_has_changed_is_told_by_lines() {
        let program = |text: &str| Program::single(&MCL, text);
        let told = |before: &str, after: &str| Change::between(&program(before), &program(after)).map(Change::words);
        for (before, after, wanted) in [
            ("$a = 1\n", "\n$a  =  1", None),
            ("$a = 1\n", "$a = 1\n$b = 2\n", Some("1 line added")),
            ("$a = 1\n$b = 2\n$c = 3\n", "\t$b = 2\n", Some("2 lines removed")),
            ("$a = 1\n$b = 2\n", "$a = 3\n$b = 2\n$c = 3\n", Some("2 lines added, 1 removed")),
            ("$a = 1\n$b = 2\n", "$b = 2\n$a = 1\n", Some("other changes")),
        ] {
            assert_eq!(told(before, after).as_deref(), wanted, "{after:?}");
        }
        let mut two = program("$a = 1\n");
        two.add("files/a").unwrap();
        assert_eq!(Change::between(&program("$a = 1\n"), &two).map(Change::words).as_deref(), Some("other changes"));
        two.write("files/a", "$a = 1\n");
        let wanted = Change { n_added: 1, n_removed: 0 };
        assert_eq!(Change::between(&program("$a = 1\n"), &two), Some(wanted), "it is a line of another file");
    }
}
