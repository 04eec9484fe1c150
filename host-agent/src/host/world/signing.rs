//! [`Signer`]: signs what this host exports.

use super::gateway::Write;
use super::statement::{Exported, place};
use super::{SharedStore, own};
use crate::deploy::OperatorKey;
use std::sync::atomic::{AtomicU64, Ordering};

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

    /// `None`: what this key holds is not signed by this host.
    fn signer_of(&self, key: &str) -> Option<&Signer> {
        self.signer.as_ref().filter(|_| own::is_export_of(key, &self.hostname))
    }
}
