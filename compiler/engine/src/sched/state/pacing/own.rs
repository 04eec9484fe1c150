//! [`OwnPaths`]: what this program itself made lately.
//!
//! Who fails at once, because the program makes what it needs only later and no edge says so, has failed: the order of
//! the program is wrong, and by chance alone it would be right another time. So what the program makes is no
//! news for who has never been right; what comes from outside is, and for who was right once everything is.
//!
//! And where the program reads what it writes, a change may lead to the next one of the same resource, by itself or over others,
//! and so on for ever. So with what was made it is known what led to it.

use crate::protocol::{Moment, ResourceId};
use crate::sched::state::Slot;
use crate::vocab::path::clean;
use crate::vocab::{Step, file};
use std::collections::VecDeque;
use std::sync::Arc;

/// An event is heard of so long after its cause, at the most. Milliseconds.
const LATEST: u64 = 2_000;
/// So many paths are remembered.
const MOST: usize = 256;
/// The longest round that is noticed.
const LONGEST_ROUND: usize = 8;

/// Those whose changes led to a resource, the latest first.
pub(crate) type Lineage = Arc<[ResourceId]>;

#[derive(Default)]
pub(crate) struct OwnPaths {
    made: VecDeque<Made>,
}

struct Made {
    at: Moment,
    by: Slot,
    path: String,
    /// It begins with who made it.
    lineage: Lineage,
}

impl OwnPaths {
    /// These steps of a vertex are about to be carried out; `after`: what led to it as it is.
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

    /// This, or a directory that it is in, was made just now by another vertex than this one, whose own attempts failed.
    pub(crate) fn made(&self, now: Moment, slot: Slot, path: &str) -> bool {
        let path = clean(path);
        let is_at = |made: &str| path.strip_prefix(made).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.lately(now).any(|made| made.by != slot && is_at(&made.path))
    }

    /// A fact with this name, such as `the content of /etc/motd`, is about what was made just now: what led to it.
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
