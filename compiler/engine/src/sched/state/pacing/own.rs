//! [`OwnPaths`]: recent changes made by this program itself.
//!
//! A resource that fails because the program creates its prerequisites only later, without an edge that says so, has
//! failed: the order of the program is wrong, and success would depend on chance. So for a resource that has never been
//! up to date, changes made by the program do not count as events, and changes from outside do. For a resource that was
//! once up to date, both count.
//!
//! If the program reads what it writes, a change may lead to the next change of the same resource, directly or through
//! others, and so on without end. So each change is recorded with the changes that led to it.

use crate::protocol::{Moment, ResourceId};
use crate::sched::state::Slot;
use crate::vocab::path::clean;
use crate::vocab::{Step, file};
use std::collections::VecDeque;
use std::sync::Arc;

/// The longest delay between a change and its event. Milliseconds.
const LATEST: u64 = 2_000;
/// The maximum number of paths that are remembered.
const MOST: usize = 256;
/// The longest cycle that is detected.
const LONGEST_ROUND: usize = 8;

/// The resources whose changes led to another one, the latest first.
pub(crate) type Lineage = Arc<[ResourceId]>;

#[derive(Clone, Default)]
pub(crate) struct OwnPaths {
    made: VecDeque<Made>,
}

#[derive(Clone)]
struct Made {
    at: Moment,
    by: Slot,
    path: String,
    /// Starts with the resource that made it.
    lineage: Lineage,
}

impl OwnPaths {
    /// Records steps of a vertex that are about to be carried out; `after` is what led to its current version.
    pub(crate) fn make(&mut self, now: Moment, by: Slot, id: &ResourceId, after: Option<&Lineage>, steps: &[Step]) {
        let mut lineage: Option<Lineage> = None;
        for step in steps {
            let Step::File(
                file::Step::MakeDir { path, .. }
                | file::Step::Write { path, .. }
                | file::Step::Create { path, .. }
                | file::Step::Symlink { path, .. },
            ) = step
            else {
                continue;
            };
            if self.made.len() == MOST {
                self.made.pop_front();
            }
            let before = || after.iter().flat_map(|after| after.iter()).cloned();
            let whole = || std::iter::once(id.clone()).chain(before()).take(LONGEST_ROUND).collect();
            let lineage = lineage.get_or_insert_with(whole).clone();
            self.made.push_back(Made { at: now, by, path: clean(path), lineage });
        }
    }

    fn lately(&self, now: Moment) -> impl Iterator<Item = &Made> {
        self.made.iter().rev().filter(move |made| made.at.plus_ms(LATEST) >= now)
    }

    /// Whether this path, or a directory that contains it, was changed just now by another vertex whose own attempts
    /// failed.
    pub(crate) fn made(&self, now: Moment, slot: Slot, path: &str) -> bool {
        let path = clean(path);
        let is_at = |made: &str| path.strip_prefix(made).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.lately(now).any(|made| made.by != slot && is_at(&made.path))
    }

    /// The lineage of a fact, such as `the content of /etc/motd`, if it is about something made just now.
    pub(crate) fn lineage(&self, now: Moment, fact: &str) -> Option<&Lineage> {
        let is_of = |path: &str| fact.strip_suffix(path).is_some_and(|what| what.ends_with(' '));
        self.lately(now).find(|made| is_of(&made.path)).map(|made| &made.lineage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Moment = Moment(1_000_000_000);

    fn id(name: &str) -> ResourceId {
        ResourceId::new("file", name)
    }

    fn create(path: &str) -> [Step; 1] {
        [Step::File(file::Step::Create { path: path.into(), mode: None })]
    }

    #[test]
    fn what_another_made_is_known_for_a_while_and_ones_own_attempt_is_not() {
        let mut own = OwnPaths::default();
        let step = Step::File(file::Step::MakeDir { path: "/a/b/".into(), parents: false, mode: None });
        own.make(Moment(0), Slot(1), &id("b"), None, &[step]);
        assert!(own.made(SOON, Slot(2), "/a/b") && own.made(SOON, Slot(2), "/a/b/c"));
        assert!(!own.made(SOON, Slot(1), "/a/b"), "an attempt that failed made nothing");
        assert!(!own.made(SOON, Slot(2), "/a/bc") && !own.made(SOON, Slot(2), "/a"));
        assert!(!own.made(Moment(3_000_000_000), Slot(2), "/a/b"));
    }

    #[test]
    fn what_led_to_a_fact_is_known_by_its_name() {
        let mut own = OwnPaths::default();
        own.make(Moment(0), Slot(1), &id("a"), None, &create("/a"));
        let of_a = own.lineage(SOON, "the content of /a").cloned().unwrap();
        assert_eq!(*of_a, [id("a")]);
        own.make(SOON, Slot(2), &id("b"), Some(&of_a), &create("/x/b"));
        assert_eq!(**own.lineage(SOON, "the content of /x/b").unwrap(), [id("b"), id("a")]);
        assert!(own.lineage(SOON, "the content of /b").is_none());
        assert!(own.lineage(Moment(5_000_000_000), "the content of /x/b").is_none(), "that is long ago");
    }

    #[test]
    fn of_a_long_round_the_latest_are_kept() {
        let (mut own, mut after) = (OwnPaths::default(), None);
        for index in 0..20 {
            let name = format!("/{index}");
            own.make(Moment(0), Slot(index), &id(&name), after.as_ref(), &create(&name));
            after = own.lineage(SOON, &format!("the content of {name}")).cloned();
        }
        let after = after.unwrap();
        assert_eq!((after.len(), &after[0]), (LONGEST_ROUND, &id("/19")));
    }
}
