//! [`OwnPaths`]: what this program itself made lately.
//!
//! Who fails at once, because the program makes what it needs only later and no edge says so, has failed: the order of
//! the program is wrong, and by chance alone it would be right another time. So what the program makes is no
//! news for who has never been right; what comes from outside is, and for who was right once everything is.
//!
//! And a value that follows from what a resource itself has just written leads to its next change, and so on for ever.

use crate::protocol::Moment;
use crate::sched::state::Slot;
use crate::vocab::path::clean;
use crate::vocab::{Step, file};
use std::collections::VecDeque;

/// An event is heard of so long after its cause, at the most. Milliseconds.
const LATEST: u64 = 2_000;
/// So many paths are remembered.
const MOST: usize = 256;

#[derive(Default)]
pub(crate) struct OwnPaths {
    made: VecDeque<(Moment, Slot, String)>,
}

impl OwnPaths {
    /// These steps of a vertex are about to be carried out.
    pub(crate) fn make(&mut self, now: Moment, slot: Slot, steps: &[Step]) {
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
            self.made.push_back((now, slot, clean(path)));
        }
    }

    /// This, or a directory that it is in, was made just now by another vertex than this one, whose own attempts failed.
    pub(crate) fn made(&self, now: Moment, slot: Slot, path: &str) -> bool {
        let path = clean(path);
        let is_at = |made: &str| path.strip_prefix(made).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.made.iter().any(|(at, by, made)| *by != slot && at.plus_ms(LATEST) >= now && is_at(made))
    }

    /// A fact with this name, such as `the content of /etc/motd`, is about what this vertex made just now.
    pub(crate) fn made_itself(&self, now: Moment, slot: Slot, fact: &str) -> bool {
        let is_of = |path: &str| fact.strip_suffix(path).is_some_and(|what| what.ends_with(' '));
        self.made.iter().any(|(at, by, made)| *by == slot && at.plus_ms(LATEST) >= now && is_of(made))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_made_is_known_for_a_while_and_ones_own_attempt_is_not() {
        let mut own = OwnPaths::default();
        let step = Step::File(file::Step::MakeDir { path: "/a/b/".into(), parents: false, mode: None });
        own.make(Moment(0), Slot(1), &[step]);
        let soon = Moment(1_000_000_000);
        assert!(own.made(soon, Slot(2), "/a/b") && own.made(soon, Slot(2), "/a/b/c"));
        assert!(!own.made(soon, Slot(1), "/a/b"), "an attempt that failed made nothing");
        assert!(!own.made(soon, Slot(2), "/a/bc") && !own.made(soon, Slot(2), "/a"));
        assert!(!own.made(Moment(3_000_000_000), Slot(2), "/a/b"));
    }

    #[test]
    fn a_fact_about_what_one_made_itself_is_known_by_its_name() {
        let mut own = OwnPaths::default();
        let step = Step::File(file::Step::Create { path: "/a/b".into(), mode: None });
        own.make(Moment(0), Slot(1), &[step]);
        let soon = Moment(1_000_000_000);
        assert!(own.made_itself(soon, Slot(1), "the content of /a/b"));
        assert!(!own.made_itself(soon, Slot(2), "the content of /a/b"), "another one made it");
        assert!(!own.made_itself(soon, Slot(1), "the content of /x/a/b"));
        assert!(!own.made_itself(Moment(3_000_000_000), Slot(1), "the content of /a/b"));
    }
}
