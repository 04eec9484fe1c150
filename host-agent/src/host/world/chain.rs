//! Which deploy a host applies: the newest one that is for it. The chain is followed from the newest deploy back, each
//! record with the sum that the next one names, to the last deploy that the host knows.

use super::SharedStore;
use super::deploys::{Unfetched, fetch};
use super::gateway::{Failure, Gateway};
use crate::deploy::{Head, Record, Sum};
use crate::network::Network;
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
                // A host that knows no deploy looks as far back as there are some.
                Ok(None) if known.is_none() => return Ok(Chosen { newest, ours }),
                Ok(None) => return Err(removed(&format!("there is no deploy {id}"))),
                Err(Failure::Wrong(why)) => return Err(removed(&why)),
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

fn breaks(record: &Record) -> Failure {
    Failure::Wrong(format!("deploy {} does not follow the one before it", record.id))
}

fn removed(why: &str) -> Failure {
    Failure::Wrong(format!("{why}: if an operator has removed it, start this host with --accept-older"))
}
