//! All keys of a cluster as an operator reads them, and writes them again from a dump.
//!
//! Each transaction compares all keys that it sets, and the newest deploy, with what was read before. The newest deploy
//! comes last: no host takes one that is not complete.

use super::ballot::voted;
use super::gateway::{Failure, Gateway, HEAD, If, Whole, Write, batches};
use super::own::{AGENTS, EXPORTS, POOLS};
use super::visit::Visit;
use std::sync::Arc;
use std::time::Duration;

/// The limit of reading everything.
const LONGEST: Duration = Duration::from_secs(600);

/// A key to set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Filling {
    pub(crate) key: String,
    pub(crate) value: Vec<u8>,
    /// The revision of its latest change as it was read; 0: it does not exist.
    pub(crate) before: i64,
}

/// Whether a key belongs to hosts, whose agents write it themselves while they run. `leased`: it ends with a lease.
pub(crate) fn is_of_hosts(key: &str, leased: bool) -> bool {
    leased || [AGENTS, EXPORTS, POOLS].iter().any(|prefix| key.starts_with(prefix)) || voted(key).is_some()
}

impl Visit {
    /// Everything that the cluster has in the store. Errors: why it cannot be read, a sentence without a full stop.
    pub(crate) fn whole(&self) -> Result<Whole, String> {
        self.ask_within(LONGEST, |gateway| async move { gateway.whole().await })
    }

    /// Sets these keys, unless one of them or the newest deploy has changed since `whole` was read. Errors: why not all of
    /// them were set, a sentence without a full stop.
    pub(crate) fn fill(&self, fillings: Vec<Filling>, whole: &Whole) -> Result<(), String> {
        let head = whole.keys.get(HEAD).map_or(0, |stored| stored.modified);
        for batch in transactions(fillings) {
            let batch = Arc::new(batch);
            self.ask(move |gateway| {
                let batch = batch.clone();
                async move { gateway.fill(&batch, head).await }
            })?;
        }
        Ok(())
    }
}

impl Gateway {
    async fn fill(&self, batch: &[Filling], head: i64) -> Result<(), Failure> {
        let others = batch.iter().filter(|filling| filling.key != HEAD);
        let conditions: Vec<If> = others
            .map(|filling| If::Is(filling.key.clone(), filling.before))
            .chain([If::Is(HEAD.to_owned(), head)])
            .collect();
        let put = |filling: &Filling| Write::Put(filling.key.clone(), filling.value.clone(), 0);
        let writes: Vec<Write> = batch.iter().map(put).collect();
        if self.commit_large(&conditions, &writes).await? {
            return Ok(());
        }
        // An attempt without an answer may have succeeded.
        let keys: Vec<String> = batch.iter().map(|filling| filling.key.clone()).collect();
        let now = self.values(&keys).await?;
        let mut both = batch.iter().zip(now);
        let other = both.find(|(filling, now)| now.as_ref().is_none_or(|now| now.value != filling.value));
        match other {
            None => Ok(()),
            Some((filling, _)) => Err(Failure::Wrong(format!(
                "the key {}, or the newest deploy, was changed at the same time; run the command again with --overwrite",
                filling.key
            ))),
        }
    }
}

/// The keys of each transaction, in order but for the newest deploy, which comes last.
fn transactions(mut fillings: Vec<Filling>) -> Vec<Vec<Filling>> {
    fillings.sort_by_key(|filling| filling.key == HEAD);
    // A key is compared and set.
    batches(fillings, |filling| 2 * filling.key.len() + filling.value.len())
}

#[cfg(test)]
mod tests {
    use super::super::gateway::MOST_BYTES;
    use super::*;

    fn filling(key: &str, size: usize) -> Filling {
        Filling { key: key.to_owned(), value: vec![b'x'; size], before: 0 }
    }

    #[test]
    fn a_transaction_has_few_keys_and_bytes_and_the_newest_deploy_comes_last() {
        let large = ["blob/a/0", "blob/a/1", "blob/a/2"].map(|key| filling(key, 512 << 10));
        let small = (0..250).map(|n| filling(&format!("strings/{n:03}"), 1));
        let fillings: Vec<Filling> = [filling(HEAD, 9)].into_iter().chain(large).chain(small).collect();
        let batches = transactions(fillings);
        // Two pieces are more than a MiB with their keys.
        assert_eq!(batches.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 100, 100, 52]);
        assert_eq!(batches[2][0].key, "blob/a/2");
        assert_eq!(batches[4].last().map(|last| last.key.as_str()), Some(HEAD));
        assert!(batches.iter().all(|batch| batch.iter().map(|one| one.value.len()).sum::<usize>() <= MOST_BYTES));
    }

    #[test]
    fn what_agents_write_themselves_is_of_hosts() {
        let signed = "host/web1/signed/pool/web/vote/web1/sig";
        for key in ["agent/web1/live", "exported/*/web1/file//a", "pool/web/vote/web1", "pool/web/chosen", signed] {
            assert!(is_of_hosts(key, false), "{key}");
        }
        for key in
            ["voters", "strings/place/web1", "deploy/head", "blob/a/0", "host/web1/signed/strings/place/web1/sig"]
        {
            assert!(!is_of_hosts(key, false) && is_of_hosts(key, true), "{key}");
        }
    }
}
