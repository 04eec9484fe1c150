//! [`Touches`]: which paths the vertices of a plan look at, and which they change.
//!
//! A plan processes its resources in one of several possible orders. If two of them use the same path and at least one
//! changes it, the outcome depends on their order. Edits of parts of a file do not count, because their order does not
//! matter.

use super::Slot;
use crate::gather;
use crate::vocab::path::clean;
use crate::vocab::{Power, Probe, Step, file};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of paths below a changed one that are examined.
const MOST_BELOW: usize = 64;
/// The maximum number of pairs that are reported.
const MOST_TOLD: usize = 8;

/// Empty, except in a plan.
#[derive(Clone, Default)]
pub(crate) struct Touches {
    looks: ByPath,
    changes: ByPath,
    /// Those of the changes that concern everything below their path.
    covers: ByPath,
    /// The reported pairs, the smaller slot first; at most [`MOST_TOLD`].
    told: Vec<(Slot, Slot)>,
}

type ByPath = BTreeMap<String, BTreeSet<Slot>>;

/// How far a change reaches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// It concerns attributes of the path.
    Itself,
    /// It concerns what the path is, and so everything below it.
    Below,
}

impl Touches {
    /// Records that a vertex looks at paths. Returns the other vertices that changed one of them before, each with the
    /// path.
    pub(crate) fn look(&mut self, slot: Slot, probes: &[Probe]) -> BTreeMap<Slot, String> {
        let mut met = BTreeMap::new();
        for probe in probes {
            for power in probe.powers() {
                let Power::Read(path) = power else { continue };
                let path = clean(path);
                self.changed_before(slot, &path, &mut met);
                self.looks.entry(path).or_default().insert(slot);
            }
        }
        met
    }

    /// A vertex changes paths. Returns the others that looked at one of them or changed it before, each with the path.
    pub(crate) fn change(&mut self, slot: Slot, steps: &[Step]) -> BTreeMap<Slot, String> {
        let mut met = BTreeMap::new();
        for (path, extent) in steps.iter().filter_map(changed) {
            let path = clean(path);
            self.changed_before(slot, &path, &mut met);
            self.looked_before(slot, &path, extent, &mut met);
            if extent == Extent::Below {
                self.covers.entry(path.clone()).or_default().insert(slot);
            }
            self.changes.entry(path).or_default().insert(slot);
        }
        met
    }

    /// Whether to report a pair that meets: it has not been reported before, and the limit is not reached.
    pub(crate) fn tells(&mut self, one: Slot, other: Slot) -> bool {
        let pair = (one.min(other), one.max(other));
        let tells = self.told.len() < MOST_TOLD && !self.told.contains(&pair);
        if tells {
            self.told.push(pair);
        }
        tells
    }

    /// A vertex leaves the graph.
    pub(crate) fn leave(&mut self, slot: Slot) {
        for all in [&mut self.looks, &mut self.changes, &mut self.covers] {
            gather::keep(all, |_, slots| {
                slots.remove(&slot);
                !slots.is_empty()
            });
        }
        self.told.retain(|(one, other)| *one != slot && *other != slot);
    }

    fn changed_before(&self, slot: Slot, path: &str, met: &mut BTreeMap<Slot, String>) {
        let above = path.match_indices('/').map(|(at, _)| &path[..at]).filter(|above| !above.is_empty());
        let above = above.map(|at| (at, self.covers.get(at)));
        for (at, slots) in above.chain([(path, self.changes.get(path))]) {
            for other in slots.into_iter().flatten().filter(|other| **other != slot) {
                met.entry(*other).or_insert_with(|| at.to_owned());
            }
        }
    }

    fn looked_before(&self, slot: Slot, path: &str, extent: Extent, met: &mut BTreeMap<Slot, String>) {
        let begin = format!("{}/", path.trim_end_matches('/'));
        let below = self.looks.range(begin.clone()..).take_while(|(at, _)| at.starts_with(&begin)).take(MOST_BELOW);
        let below = below.filter(|_| extent == Extent::Below);
        for (_, slots) in self.looks.get_key_value(path).into_iter().chain(below) {
            for other in slots.iter().filter(|other| **other != slot) {
                met.entry(*other).or_insert_with(|| path.to_owned());
            }
        }
    }
}

fn changed(step: &Step) -> Option<(&str, Extent)> {
    let Step::File(step) = step else { return None };
    match step {
        file::Step::Write { path, .. }
        | file::Step::Create { path, .. }
        | file::Step::MakeDir { path, .. }
        | file::Step::Remove { path, .. }
        | file::Step::Symlink { path, .. } => Some((path, Extent::Below)),
        file::Step::SetMode { path, .. } | file::Step::SetOwner { path, .. } | file::Step::SetLabel { path, .. } => {
            Some((path, Extent::Itself))
        }
        file::Step::Edit { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Slot = Slot(1);
    const OTHER: Slot = Slot(2);

    fn stat(path: &str) -> [Probe; 1] {
        [Probe::File(file::Probe::Stat { path: path.into(), follow: false })]
    }

    fn make(path: &str) -> [Step; 1] {
        [Step::File(file::Step::MakeDir { path: path.into(), parents: false, mode: None })]
    }

    fn set_mode(path: &str) -> [Step; 1] {
        [Step::File(file::Step::SetMode { path: path.into(), mode: 0o700 })]
    }

    fn met(path: &str) -> BTreeMap<Slot, String> {
        [(ONE, path.to_owned())].into()
    }

    #[test]
    fn who_looks_meets_who_changed_the_path_or_made_what_it_is_in() {
        let mut touches = Touches::default();
        assert!(touches.change(ONE, &make("/d/")).is_empty());
        assert_eq!(touches.look(OTHER, &stat("/d//x/y")), met("/d"));
        assert!(touches.look(OTHER, &stat("/dx")).is_empty() && touches.look(ONE, &stat("/d/x")).is_empty());
        touches.change(ONE, &set_mode("/e"));
        assert_eq!(touches.look(OTHER, &stat("/e")), met("/e"));
        assert!(touches.look(OTHER, &stat("/e/x")).is_empty());
    }

    #[test]
    fn who_changes_meets_who_has_looked_there_or_below() {
        let mut touches = Touches::default();
        touches.look(ONE, &stat("/d/x"));
        assert_eq!(touches.change(OTHER, &make("/d")), met("/d"));
        assert!(touches.change(OTHER, &set_mode("/d")).is_empty());
        assert_eq!(touches.change(OTHER, &set_mode("/d/./x")), met("/d/x"));
    }

    #[test]
    fn a_pair_is_reported_once_and_only_while_both_are_there() {
        let mut touches = Touches::default();
        assert!(touches.tells(ONE, OTHER) && !touches.tells(OTHER, ONE));
        touches.change(ONE, &make("/d"));
        touches.leave(ONE);
        assert!(touches.look(OTHER, &stat("/d")).is_empty() && touches.tells(ONE, OTHER));
    }
}
