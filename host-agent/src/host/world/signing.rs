//! [`Signer`]: signs what this host exports, its values, and its votes. If others have changed an export, it signs it again: until then,
//! hosts that require signatures refuse it. A value is only signed for a resource that looks at it ([`SharedStore::shown`]):
//! if others write an earlier one again after its resource is gone, it must not get a new signature.

#[cfg(test)]
mod tests;

use super::ballot::Ballot;
use super::gateway::{Failure, If, Write};
use super::mirror::{Change, Held};
use super::statement::{Signable, Statement, bytes, place, stated};
use super::{Inside, SharedStore, own};
use crate::deploy::{OperatorKey, PublicKey};
use mclive_base::vocab::Datum;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::time::Instant;

/// What a resource sees of a value in the name of this host that others have written. It differs from every text, and from a
/// key that does not exist, so the resource sets the value again, or removes it.
const CHANGED_BY_OTHERS: Datum = Datum::List(Vec::new());

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

    /// The key that hosts know.
    pub(super) fn public(&self) -> PublicKey {
        self.key.public()
    }

    /// The stored form of a statement about an export or a value.
    fn sign(&self, key: &str, value: &[u8], lease: i64) -> Vec<u8> {
        let n = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        Signable { cluster: &self.cluster, key, value }.signed(&self.key, lease, n).bytes()
    }

    /// The stored form of a statement about a vote of this host. `list`: the number of the list of voters that it knows.
    pub(super) fn votes(&self, key: &str, value: &[u8], lease: i64, list: u64) -> Vec<u8> {
        Ballot { cluster: &self.cluster, key, value, lease }.signed(&self.key, list).bytes()
    }

    /// Whether this is such a statement about the vote.
    pub(super) fn has_voted(&self, key: &str, value: &[u8], stored: &[u8], lease: i64, list: u64) -> bool {
        let ballot = Ballot { cluster: &self.cluster, key, value, lease };
        ballot.by(stored, |key| key == self.public()).is_ok_and(|signed| signed.list == list)
    }

    /// What is stored about an export or a value, if an agent with the name and the key of this host has signed it.
    fn own(&self, key: &str, value: &[u8], stored: &[u8]) -> Option<Statement> {
        let entry = Signable { cluster: &self.cluster, key, value };
        entry.by(stored, |key| key == self.public()).ok()
    }

    /// Whether another agent with the name and the key of this host has signed an export later, and has it there under the
    /// lease that it has signed: what others copy from an earlier time is under another one.
    fn is_overtaken(&self, export: &str, held: &Held, stated: &Held) -> bool {
        let Some((value, statement)) = bytes(&held.value).zip(bytes(&stated.value)) else { return false };
        let is_later = |n| n > self.last.load(Ordering::Relaxed);
        let statement = self.own(export, value, statement);
        statement.is_some_and(|statement| statement.lease == held.lease && is_later(statement.n))
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

    /// Remembers what these writes, which are done, say about an export or a value.
    pub(super) fn remember(&self, key: &str, writes: &[Write]) {
        for write in writes {
            if let Write::Put(place, statement, _) = write
                && stated(place) == Some(key)
            {
                self.inside.lock().own.says(key, statement);
            }
        }
    }

    /// What a resource sees of a key that holds this value. If an earlier run has signed it, this one soon signs it again: it
    /// may be an earlier value, which others have written again and hosts refuse.
    pub(super) fn shown(&self, inside: &mut Inside, key: &str, value: Datum) -> Datum {
        if !self.stands(inside, key) {
            return CHANGED_BY_OTHERS;
        }
        if self.signer_of(key).is_some() && inside.own.statement(key).is_none() {
            inside.mends.doubt(key.to_owned(), Instant::now());
            self.mends.notify_one();
        }
        value
    }

    /// Whether a key holds what this host has signed last, if it signs it; what an earlier run has signed, if this one has
    /// signed nothing about it.
    fn stands(&self, inside: &Inside, key: &str) -> bool {
        let Some(signer) = self.signer_of(key) else { return true };
        let last = inside.own.statement(key).and_then(|last| Statement::read(last));
        present(inside, signer, key).is_some_and(|n| last.is_none_or(|last| n >= last.n))
    }

    /// Whether this host, in this run or an earlier one, has signed what a key holds, and the lease that it is under: what
    /// others copy from an earlier time is under another one.
    pub(super) fn has_signed(&self, inside: &Inside, key: &str) -> bool {
        self.signer_of(key).is_some_and(|signer| present(inside, signer, key).is_some())
    }

    /// The values of this host that these changes are about, if it signs them.
    pub(super) fn values_in(&self, changes: &[Change]) -> Vec<String> {
        let values = changes.iter().map(|change| stated(&change.key).unwrap_or(&change.key));
        let values: BTreeSet<&str> = values.filter(|key| self.is_signed_value(key)).collect();
        values.into_iter().map(str::to_owned).collect()
    }

    /// All values of this host that this run has signed.
    pub(super) fn signed_values(&self) -> Vec<String> {
        self.inside.lock().own.stated_values().cloned().collect()
    }

    /// Keeps the values whose resources must be checked again: those that differ from what this host signed last, and
    /// those that this run has not signed.
    pub(super) fn changed_by_others(&self, mut values: Vec<String>) -> Vec<String> {
        let inside = self.inside.lock();
        values.retain(|key| inside.own.statement(key).is_none() || !self.stands(&inside, key));
        values
    }

    /// The exports of this host that changes are about, if it signs them.
    pub(super) fn exports_in(&self, changes: &[Change]) -> BTreeSet<String> {
        if self.signer.is_none() {
            return BTreeSet::new();
        }
        let exports = changes.iter().map(|change| stated(&change.key).unwrap_or(&change.key));
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

    /// Writes an export again if others have changed it, or what this host says about it. A value is signed again if this
    /// run has not yet done so.
    pub(super) async fn sign_again(&self, key: &str) -> Result<(), Failure> {
        if self.is_signed_value(key) { self.sign_value(key).await } else { self.sign_export(key).await }
    }

    async fn sign_value(&self, key: &str) -> Result<(), Failure> {
        let _turn = self.turn(key).await;
        let earlier = self.earlier(&self.inside.lock(), key);
        let Some((conditions, value)) = earlier else { return Ok(()) };
        let writes = self.puts(key, &value, 0);
        let done = self.gateway.commit(&conditions, &writes, &[], None).await?;
        // The mirror comes first: it must not seem to have an earlier statement than the last one.
        if done.held && self.reaches(done.revision).await.is_ok() {
            self.remember(key, &writes);
        }
        Ok(())
    }

    /// A value as an earlier run of this host has signed it, and the conditions that the mirror has the latest of both.
    fn earlier(&self, inside: &Inside, key: &str) -> Option<(Vec<If>, Vec<u8>)> {
        let (signer, place) = (self.signer_of(key)?, place(key)?);
        if inside.own.statement(key).is_some() {
            return None;
        }
        present(inside, signer, key)?;
        let (held, stated) = (inside.mirror.held(key)?, inside.mirror.held(&place)?);
        let value = bytes(&held.value)?.to_vec();
        Some((vec![If::Is(key.to_owned(), held.modified), If::Is(place, stated.modified)], value))
    }

    async fn sign_export(&self, export: &str) -> Result<(), Failure> {
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
    pub(super) fn signer_of(&self, key: &str) -> Option<&Signer> {
        self.signer.as_ref().filter(|_| own::owner(key) == Some(self.hostname.as_str()))
    }

    /// Whether a key is of a value that this host signs.
    fn is_signed_value(&self, key: &str) -> bool {
        own::host_of_value(key).is_some() && self.signer_of(key).is_some()
    }
}

/// The number of the statement about what a key holds in the mirror, if this host has signed it at some time.
fn present(inside: &Inside, signer: &Signer, key: &str) -> Option<u64> {
    let (held, stated) = (inside.mirror.held(key)?, inside.mirror.held(&place(key)?)?);
    let statement = signer.own(key, bytes(&held.value)?, bytes(&stated.value)?)?;
    (statement.lease == held.lease).then_some(statement.n)
}
