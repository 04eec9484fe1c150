//! The statements that no scenario of a program executed.

use super::Played;
use super::find::Suite;
use std::collections::BTreeMap;

/// Statements by place (file as shown, line, what), and whether any scenario executed each.
pub(super) struct Coverage(BTreeMap<(String, u32, String), bool>);

pub(super) fn of(suites: &[Suite], played: &[Played]) -> Coverage {
    let mut statements = BTreeMap::new();
    for played in played {
        let root = &suites[played.suite].root;
        for place in &played.tested.covered {
            let file = format!("{root}{}", place.file.trim_start_matches('/'));
            let key = (file.trim_start_matches("./").to_owned(), place.line, place.what.clone());
            *statements.entry(key).or_insert(false) |= place.seen;
        }
    }
    Coverage(statements)
}

impl Coverage {
    pub(super) fn n_statements(&self) -> usize {
        self.0.len()
    }

    pub(super) fn n_seen(&self) -> usize {
        self.0.values().filter(|seen| **seen).count()
    }

    /// `FILE:LINE: WHAT` of each statement that no scenario executed.
    pub(super) fn unseen(&self) -> Vec<String> {
        let unseen = self.0.iter().filter(|(_, seen)| !**seen);
        unseen.map(|((file, line, what), _)| format!("{file}:{line}: {what}")).collect()
    }
}
