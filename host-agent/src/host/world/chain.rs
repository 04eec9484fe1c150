//! Which deploy a host applies: the newest one that is for it. The chain is followed from the newest deploy back, each
//! record with the sum that the next one names, to the last deploy that the host knows, or to where the chain begins
//! after an operator has removed older ones. Each of the earlier ones that remain is checked by itself.

use super::SharedStore;
use super::deploys::{Unfetched, fetch};
use super::gateway::{Failure, Gateway};
use crate::deploy::{Head, PRUNED, Pruned, Record, Sum};
use crate::network::Network;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many deploys a host that knows none looks at for one that is for it.
const LOOKS_BACK: usize = 100;

/// What the chain has for a host.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) newest: Record,
    /// The newest one for this host. `None`: there is none after the one that it knows.
    pub(crate) ours: Option<Record>,
}

impl SharedStore {
    /// The newest deploy and the newest one for this host. `known`: the last deploy that this host has read.
    pub(crate) fn fetch_chosen(
        self: &Arc<Self>,
        network: &Network,
        known: Option<(u64, Sum)>,
        head: Head,
    ) -> Result<Chosen, Unfetched> {
        let store = self.clone();
        fetch(network, async move { store.gateway.chosen(known, head, &store.hostname).await })
    }
}

impl Gateway {
    async fn chosen(&self, known: Option<(u64, Sum)>, head: Head, host: &str) -> Result<Chosen, Failure> {
        let newest = self.named(head).await?;
        let mut ours = newest.is_for(host).then(|| newest.clone());
        let (mut later, mut n_read) = (newest.clone(), 1);
        loop {
            let id = later.id - 1;
            match known {
                Some((known, sum)) if id <= known => {
                    let follows = later.previous == Some(sum);
                    return if follows { Ok(Chosen { newest, ours }) } else { Err(breaks(&later)) };
                }
                None if ours.is_some() || id == 0 || n_read >= LOOKS_BACK => return Ok(Chosen { newest, ours }),
                Some(_) | None => {}
            }
            let before = match self.find(id).await {
                Ok(Some(before)) => before,
                Ok(None) => {
                    let is_pruned = self.pruned().await?.is_some_and(|pruned| id < pruned.before);
                    match known {
                        _ if is_pruned && ours.is_some() => {}
                        _ if is_pruned => ours = self.older(known.map_or(0, |(known, _)| known), id, host).await?,
                        // A host that knows no deploy looks as far back as there are some.
                        None => {}
                        Some(_) => return Err(removed(&format!("there is no deploy {id}"))),
                    }
                    return Ok(Chosen { newest, ours });
                }
                Err(Failure::Wrong(why)) if known.is_some() => return Err(removed(&why)),
                Err(failure) => return Err(failure),
            };
            if later.previous != Some(before.sum()) {
                return Err(breaks(&later));
            }
            if ours.is_none() && before.is_for(host) {
                ours = Some(before.clone());
            }
            (later, n_read) = (before, n_read + 1);
        }
    }
}

impl Gateway {
    /// Where the chain begins, if older deploys were removed.
    async fn pruned(&self) -> Result<Option<Pruned>, Failure> {
        let found = self.values(&[PRUNED.to_owned()]).await?.pop().flatten();
        let pruned = found.map(|found| Pruned::read(&found.value)).transpose();
        pruned.map_err(|why| Failure::Wrong(format!("the key {PRUNED} is {why}")))
    }

    /// The newest deploy for a host between two numbers, of those that are left from before the beginning of the chain.
    async fn older(&self, after: u64, before: u64, host: &str) -> Result<Option<Record>, Failure> {
        let names = self.names("deploy/").await?;
        let left = names.iter().filter_map(|name| name.parse().ok()).filter(|id| after < *id && *id < before);
        let left: BTreeSet<u64> = left.collect();
        for id in left.into_iter().rev().take(LOOKS_BACK) {
            if let Some(record) = self.find(id).await?.filter(|record| record.is_for(host)) {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }
}

fn breaks(record: &Record) -> Failure {
    Failure::Wrong(format!("deploy {} does not follow the one before it", record.id))
}

fn removed(why: &str) -> Failure {
    Failure::Wrong(format!("{why}: if an operator has removed it, start this host with --accept-older"))
}
