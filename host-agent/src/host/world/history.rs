//! [`History`]: whether a store still is the one that the mirror was read from. In one that was restored from a backup
//! or replaced, a revision means something else, so nothing may continue from there.
//!
//! The identity of a restored store is the same, and its revision may have overtaken the mirror's before this host connects
//! again. So the store is also asked about the past: when the keys that this host saw changed last were changed, as it was at
//! the mirror's revision, and when the one that it wrote last was. A host writes after each snapshot, so a backup that is
//! older than the mirror lacks one of these changes. Only a message that nothing changed may then be of another past: if
//! there was one, nothing may have been set or removed in between.

use super::gateway::Failure;
use super::mirror::Mirror;
use super::{Inside, SharedStore};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum History {
    /// It continues from the mirror's revision, as far as anything shows.
    Same,
    /// It may be the same, and what changed since then cannot be told.
    Unknown,
    /// The store went back to an earlier state.
    Restored,
    /// It is another store.
    Replaced,
}

impl History {
    /// What the store's identity and revision, agreed by its members, say.
    fn of_header(mirror: &Mirror, cluster: &str, revision: i64) -> History {
        match (mirror.cluster(), mirror.revision()) {
            ("", _) => History::Unknown,
            (known, _) if known != cluster => History::Replaced,
            (_, known) if revision < known => History::Restored,
            _ => History::Same,
        }
    }

    /// What the latest changes of witnesses say, as the store had them at the mirror's revision.
    fn of_witnesses(expected: &[i64], changed: &Result<Vec<i64>, Failure>) -> History {
        match changed {
            Ok(changed) if changed == expected => History::Same,
            Ok(_) => History::Restored,
            Err(_) => History::Unknown,
        }
    }

    /// What the number of keys at the mirror's revision says; `None`: one was set of which the mirror knows nothing.
    fn of_count(expected: usize, count: &Result<Option<usize>, Failure>) -> History {
        match count {
            Ok(Some(count)) if *count == expected => History::Same,
            Ok(None) => History::Restored,
            // The mirror leaves out keys that are not text.
            Ok(Some(_)) | Err(_) => History::Unknown,
        }
    }

    /// What has happened to the store, in words; `None`: nothing.
    pub(super) fn words(self) -> Option<&'static str> {
        match self {
            History::Same | History::Unknown => None,
            History::Restored => Some("was restored from an earlier state"),
            History::Replaced => Some("was replaced by another one"),
        }
    }
}

impl Inside {
    /// In another history, nothing of this host's counts any more: under its leases there may be what it has withdrawn
    /// since then. They run out, and what it has is written again under new ones. Returns the times of the leases.
    pub(super) fn gives_up_leases(&mut self) -> Vec<u64> {
        let times: Vec<u64> = self.leases.all().into_iter().map(|(ttl, _)| ttl).collect();
        times.iter().for_each(|ttl| self.leases.lost(*ttl));
        self.proofs.clear();
        times
    }
}

impl SharedStore {
    /// Compares the store, which has reported its identity and revision, with the mirror.
    pub(super) async fn history(&self, cluster: &str, revision: i64) -> Result<History, Failure> {
        let (of_header, witnesses, written, [certain, known], n_keys) = {
            let inside = self.inside.lock();
            let mirror = &inside.mirror;
            let known = mirror.revision();
            let last = inside.own.last_written();
            let written = last.map(|(_, written)| written);
            let of_header = match History::of_header(mirror, cluster, revision) {
                History::Same if written.is_some_and(|written| revision < written) => History::Restored,
                of_header => of_header,
            };
            let seen = mirror.witnesses().into_iter().map(|(key, changed)| (key, known, changed));
            let own = last.map(|(key, written)| (key.clone(), known.max(written), written));
            let witnesses: Vec<(String, i64, i64)> = seen.chain(own).collect();
            (of_header, witnesses, written, [mirror.certain(), known], mirror.n_keys())
        };
        if of_header != History::Same {
            return Ok(of_header);
        }
        if !witnesses.is_empty() {
            let mut expected: Vec<i64> = witnesses.iter().map(|(_, _, changed)| *changed).collect();
            let asked: Vec<(String, i64)> = witnesses.into_iter().map(|(key, at, _)| (key, at)).collect();
            let mut changed = match self.gateway.changes_at(&asked).await {
                Err(failure) if failure != Failure::Compacted => return Err(failure),
                changed => changed,
            };
            let own = changed.as_ref().ok().and_then(|changed| changed.last().copied());
            let is_silent = written.zip(own).is_some_and(|(written, own)| says_nothing(written, own));
            if is_silent && let Ok(changed) = &mut changed {
                changed.pop();
                expected.pop();
            }
            match History::of_witnesses(&expected, &changed) {
                History::Same if is_silent => return Ok(History::Unknown),
                History::Same => {}
                other => return Ok(other),
            }
        }
        if known <= certain {
            return Ok(History::Same);
        }
        match self.gateway.count_at(known, certain).await {
            Err(failure) if failure != Failure::Compacted => Err(failure),
            count => Ok(History::of_count(n_keys, &count)),
        }
    }
}

/// Whether the latest change of the key that this host wrote last says nothing about the history: the key may have been
/// removed by someone, have ended with its lease, or have been written by another agent of this name.
fn says_nothing(written: i64, changed: i64) -> bool {
    changed == 0 || changed > written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::world::leases::Tick;
    use crate::host::world::mirror::Snapshot;
    use std::time::Duration;

    #[test]
    fn identity_and_revision_tell_a_restored_store_from_another_one() {
        let mut mirror = Mirror::default();
        assert_eq!(History::of_header(&mirror, "1", 9), History::Unknown);
        mirror.replace(Snapshot { cluster: "1".into(), revision: 9, ..Snapshot::default() });
        let history = |cluster: &str, revision: i64| History::of_header(&mirror, cluster, revision);
        assert_eq!([history("1", 9), history("1", 90)], [History::Same; 2]);
        assert_eq!(history("1", 8), History::Restored);
        assert_eq!([history("2", 8), history("2", 90)], [History::Replaced; 2]);
    }

    #[test]
    fn witnesses_tell_a_restored_store_that_has_overtaken_the_mirror() {
        let history = |changed| History::of_witnesses(&[7, 0], &changed);
        assert_eq!(history(Ok(vec![7, 0])), History::Same);
        // The key was not set, at another revision, or one that was removed is there.
        for changed in [[0_i64, 0], [6, 0], [7, 5]] {
            assert_eq!(history(Ok(changed.to_vec())), History::Restored);
        }
        assert_eq!(history(Err(Failure::Compacted)), History::Unknown);
    }

    #[test]
    fn what_this_host_wrote_and_others_removed_or_replaced_is_no_witness() {
        assert_eq!([0, 5, 7, 9].map(|changed| says_nothing(7, changed)), [true, false, false, true]);
    }

    #[test]
    fn a_time_without_changes_was_one_in_the_history_of_the_store_too() {
        let history = |count| History::of_count(3, &count);
        assert_eq!(history(Ok(Some(3))), History::Same);
        assert_eq!(history(Ok(None)), History::Restored);
        assert_eq!([history(Ok(Some(2))), history(Err(Failure::Compacted))], [History::Unknown; 2]);
    }

    #[test]
    fn in_another_history_every_lease_is_a_new_one() {
        let mut inside = Inside::default();
        inside.leases.granted(5, 1, Tick(Duration::ZERO));
        inside.leases.granted(10, 2, Tick(Duration::ZERO));
        assert_eq!(inside.gives_up_leases(), [5, 10]);
        assert!(inside.leases.all().is_empty());
    }
}
