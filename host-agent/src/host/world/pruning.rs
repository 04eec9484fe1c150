//! Removal of old deploys from the shared store.
//!
//! A deploy that is created at the same time may have found its contents in the store and not sent them. So each
//! transaction that removes something also changes the mark [`PRUNED`], and a deploy is created only if the mark has
//! not changed since the deploy looked for its contents; otherwise it looks again. Conversely, a removal only continues
//! while the head is the one that it was planned for.

use super::deploys::Newest;
use super::gateway::{Failure, HEAD, If, MOST_KEYS, Write};
use super::locking::StoredLock;
use super::visit::Visit;
use crate::deploy::{HostState, LOCK, PRUNED, Piece, Pruned, Record, beginning, kept, key};
use std::collections::{BTreeMap, BTreeSet};

/// What can be removed.
pub(crate) struct Surplus {
    /// The numbers of deploys.
    pub(crate) deploys: Vec<u64>,
    /// The keys of pieces that no deploy needs.
    pub(crate) pieces: Vec<String>,
    /// The deploys that stay.
    pub(crate) kept: BTreeSet<u64>,
    pub(crate) lock: StoredLock,
    pruned: Pruned,
    /// The revisions of the latest changes of the head and of the mark of removals.
    revisions: [i64; 2],
}

impl Visit {
    /// What can be removed if the newest `n` deploys stay. Errors: why that is unknown, a sentence without a full stop.
    pub(crate) fn surplus(&self, n: usize) -> Result<Surplus, String> {
        // First: what is read after it belongs to this head, or the removal is refused.
        let Newest { record, head, lock, pruned } = self.newest()?;
        let head_id = record.ok_or("there is no deploy yet")?.id;
        let mut all: BTreeMap<u64, Record> = BTreeMap::new();
        for (id, record) in self.deploys()? {
            let record = record.map_err(|why| {
                format!(
                    "the record of deploy {id} is {why}, so it is unknown which files it needs; use a newer version of mclive, or, \
                     if it is damaged, remove it: `mclive world check` prints the command"
                )
            })?;
            all.insert(id, record);
        }
        let kept = kept(&all, head_id, n, &applied(self.states()?)?);
        let deploys = all.keys().filter(|id| !kept.contains(id)).copied().collect();
        let needed = all.iter().filter(|(id, _)| kept.contains(id)).flat_map(|(_, record)| &record.files);
        let needed: BTreeSet<String> = Piece::all(needed).iter().map(Piece::key).collect();
        let names = self.ask(|gateway| async move { gateway.names("blob/").await })?;
        let pieces = names.into_iter().map(|name| format!("blob/{name}")).filter(|key| !needed.contains(key)).collect();
        let pruned_to = Pruned::new(beginning(&kept, head_id));
        Ok(Surplus { deploys, pieces, kept, lock, pruned: pruned_to, revisions: [head, pruned] })
    }

    /// Removes it, unless a deploy was created or removed, or the lock was changed, since it was found. Errors: why not all
    /// of it was removed, a sentence without a full stop.
    pub(crate) fn prune(&self, surplus: &Surplus) -> Result<(), String> {
        let [head, mut mark] = surplus.revisions;
        let (lock, bytes) = (surplus.lock.modified, surplus.pruned.bytes());
        // A record without its contents would be worse than contents without a record.
        let keys: Vec<String> =
            surplus.deploys.iter().map(|id| key(*id)).chain(surplus.pieces.iter().cloned()).collect();
        for keys in keys.chunks(MOST_KEYS) {
            let (keys, bytes) = (keys.to_vec(), bytes.clone());
            mark = self.ask(move |gateway| {
                let is = |name: &str, revision| If::Is(name.to_owned(), revision);
                let conditions = [is(HEAD, head), is(LOCK, lock), is(PRUNED, mark)];
                let marks = Write::Put(PRUNED.to_owned(), bytes.clone(), 0);
                let writes: Vec<Write> = keys.iter().cloned().map(Write::Delete).chain([marks]).collect();
                async move {
                    let done = gateway.commit(&conditions, &writes, &[], None).await?;
                    if done.held { Ok(done.revision) } else { Err(Failure::Wrong(CHANGED.to_owned())) }
                }
            })?;
        }
        Ok(())
    }
}

/// The deploys that hosts apply. Errors: that is unknown of a host.
fn applied(states: BTreeMap<String, Option<HostState>>) -> Result<BTreeSet<u64>, String> {
    let runs = |(host, state): (String, Option<HostState>)| {
        let unknown = || {
            format!(
                "the state of the host {host} was written by another version, so it is unknown which deploy it \
                applies; use a newer \
                 version of mclive, or, if it is damaged, remove it: `mclive world check` prints the command"
            )
        };
        state.map(|state| state.runs).ok_or_else(unknown)
    };
    states.into_iter().map(runs).collect()
}

/// Why a removal has ended early.
const CHANGED: &str =
    "a deploy was created or removed, or the lock was changed, at the same time; run the command again";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deploy::Standing;

    #[test]
    fn what_a_host_applies_is_known_or_nothing_is_removed() {
        let state = |runs| Some(HostState::new(9, runs, Standing::Ok, "", true));
        let states = |web2| BTreeMap::from([("web1".to_owned(), state(7)), ("web2".to_owned(), web2)]);
        assert_eq!(applied(states(state(5))), Ok(BTreeSet::from([5, 7])));
        let unknown = applied(states(None)).unwrap_err();
        assert!(
            unknown.starts_with("the state of the host web2 was written by another version, so it is unknown"),
            "{unknown}"
        );
    }
}
