//! [`Signer`]: signs what this host exports, and signs it again when others have changed it: until then, hosts that require
//! signatures refuse it.

use super::gateway::{Failure, If, Write};
use super::mirror::{Change, Held};
use super::statement::{Exported, bytes, export_of, place};
use super::{Inside, SharedStore, own};
use crate::deploy::OperatorKey;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::time::Instant;

pub(crate) struct Signer {
    key: OperatorKey,
    cluster: String,
    /// The number of the last statement.
    last: AtomicU64,
}

impl Signer {
    /// `run`: a number that is larger in each run of this host.
    pub(crate) fn new(key: OperatorKey, cluster: &str, run: u32) -> Signer {
        let last = AtomicU64::new(u64::from(run) << 32);
        Signer { key, cluster: cluster.to_owned(), last }
    }

    /// The stored form of a statement about an export.
    fn sign(&self, export: &str, value: &[u8], lease: i64) -> Vec<u8> {
        let n = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        Exported { cluster: &self.cluster, key: export, value }.signed(&self.key, lease, n).bytes()
    }

    /// Whether another agent with the name and the key of this host has signed an export later, and has it there under the
    /// lease that it has signed: what others copy from an earlier time is under another one.
    fn is_overtaken(&self, export: &str, held: &Held, stated: &Held) -> bool {
        let Some((value, statement)) = bytes(&held.value).zip(bytes(&stated.value)) else { return false };
        let exported = Exported { cluster: &self.cluster, key: export, value };
        let statement = exported.by(statement, |key| key == self.key.public());
        let is_later = |n| n > self.last.load(Ordering::Relaxed);
        statement.is_ok_and(|statement| statement.lease == held.lease && is_later(statement.n))
    }
}

impl SharedStore {
    /// The writes that set a key of this host under a lease.
    pub(super) fn puts(&self, key: &str, value: &[u8], lease: i64) -> Vec<Write> {
        let signed = self.signer_of(key).and_then(|signer| Some((place(key)?, signer.sign(key, value, lease))));
        let signed = signed.map(|(place, statement)| Write::Put(place, statement, lease));
        [Write::Put(key.to_owned(), value.to_vec(), lease)].into_iter().chain(signed).collect()
    }

    /// The writes that remove a key.
    pub(super) fn deletes(&self, key: &str) -> Vec<Write> {
        let signed = self.signer_of(key).and_then(|_| place(key)).map(Write::Delete);
        [Write::Delete(key.to_owned())].into_iter().chain(signed).collect()
    }

    /// Remembers what these writes, which are done, say about an export.
    pub(super) fn remember(&self, export: &str, writes: &[Write]) {
        for write in writes {
            if let Write::Put(place, statement, _) = write
                && export_of(place) == Some(export)
            {
                self.inside.lock().own.says(export, statement);
            }
        }
    }

    /// The exports of this host that changes are about, if it signs them.
    pub(super) fn exports_in(&self, changes: &[Change]) -> BTreeSet<String> {
        if self.signer.is_none() {
            return BTreeSet::new();
        }
        let exports = changes.iter().map(|change| export_of(&change.key).unwrap_or(&change.key));
        exports.filter(|export| own::is_export_of(export, &self.hostname)).map(str::to_owned).collect()
    }

    /// Notes which of these exports others may have changed.
    pub(super) fn note_altered(&self, exports: BTreeSet<String>) {
        let mut inside = self.inside.lock();
        for export in exports {
            if self.altered(&inside, &export).is_some() {
                inside.mends.doubt(export, Instant::now());
            }
        }
    }

    /// Writes an export again if others have changed it, or what this host says about it.
    pub(super) async fn sign_again(&self, export: &str) -> Result<(), Failure> {
        let _turn = self.turn(export).await;
        let altered = self.altered(&self.inside.lock(), export);
        let Some((conditions, value)) = altered else { return Ok(()) };
        let writes = self.puts(export, &value, self.lease(self.ttl).await?);
        match self.gateway.commit(&conditions, &writes, &[], None).await {
            Ok(done) => {
                if done.held {
                    self.remember(export, &writes);
                }
                Ok(())
            }
            Err(Failure::NoLease) => {
                let mut inside = self.inside.lock();
                inside.leases.lost(self.ttl);
                inside.mends.put(export.to_owned());
                Ok(())
            }
            Err(failure) => Err(failure),
        }
    }

    /// Whether an export or its statement is not as this host wrote it last: its value, and the conditions that the mirror
    /// has the latest of both. What another agent of this name has signed is left to it: two agents must not fight for it.
    fn altered(&self, inside: &Inside, export: &str) -> Option<(Vec<If>, Vec<u8>)> {
        let (signer, place, value) = (self.signer_of(export)?, place(export)?, inside.own.value(export)?);
        let lease = inside.leases.number(self.ttl);
        let is_so = |held: Option<&Held>, own: Option<&Vec<u8>>| {
            held.is_some_and(|held| Some(held.lease) == lease && bytes(&held.value) == own.map(Vec::as_slice))
        };
        let (held, stated) = (inside.mirror.held(export), inside.mirror.held(&place));
        if is_so(held, Some(value)) && is_so(stated, inside.own.statement(export)) {
            return None;
        }
        if held.zip(stated).is_some_and(|(held, stated)| signer.is_overtaken(export, held, stated)) {
            return None;
        }
        let is_latest = |key: String, held: Option<&Held>| If::Is(key, held.map_or(0, |held| held.modified));
        Some((vec![is_latest(export.to_owned(), held), is_latest(place, stated)], value.clone()))
    }

    /// `None`: what this key holds is not signed by this host.
    fn signer_of(&self, key: &str) -> Option<&Signer> {
        self.signer.as_ref().filter(|_| own::is_export_of(key, &self.hostname))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::vocab::Datum;

    const EXPORT: &str = "exported/*/h1/file//x";

    #[test]
    fn only_what_a_later_run_holds_under_its_own_lease_is_left_to_it() {
        let (key, text) = OperatorKey::generate("h1").unwrap();
        let mine = Signer::new(key, "main", 7);
        let held = |value: &[u8], lease| Held { value: Datum::Bytes(value.to_vec()), modified: 1, lease };
        let leaves = |by: &Signer, signed: i64, stored: i64| {
            let stated = held(&by.sign(EXPORT, b"a", signed), stored);
            mine.is_overtaken(EXPORT, &held(b"a", stored), &stated)
        };
        let of_run = |run| Signer::new(OperatorKey::read(&text).unwrap(), "main", run);
        assert!(leaves(&of_run(8), 5, 5));
        assert!(!leaves(&of_run(6), 5, 5), "it is of an earlier run");
        // Somebody has kept it from a run with a larger number, whose lease has ended.
        assert!(!leaves(&of_run(8), 5, 6));
        let (other, _) = OperatorKey::generate("h1").unwrap();
        assert!(!leaves(&Signer::new(other, "main", 8), 5, 5), "it is signed with another key");
    }
}
