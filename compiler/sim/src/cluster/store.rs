//! [`Store`]: what the hosts of a cluster share. It does not belong to any of them: it stays the same while some are
//! away, and ends the leases of those that are lost.

use super::News;
use crate::gather;
use crate::protocol::Moment;
use crate::vocab::store::Keys;
use crate::vocab::{Datum, KeyStore, schedule};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Default)]
pub(super) struct Store {
    keys: BTreeMap<String, Datum>,
    /// When leases of lost hosts end, with the host.
    ends: BTreeSet<End>,
    /// The exports of lost hosts that have ended: a host that is back renews them.
    ended: BTreeMap<String, News>,
}

type End = (Moment, String, Leased);

/// What is there for as long as its host renews it. An agent may have another name than its host.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Leased {
    /// All exports of an agent.
    Exports { of: String },
    /// Its vote in a pool.
    Vote { of: String, pool: String },
}

/// How long the exports of a host outlive it, as with an agent. Units: seconds.
const EXPORTS_S: u64 = 15;

impl Store {
    /// Every key.
    pub(super) fn all(&self) -> News {
        gather::map(self.keys.iter().map(|(key, value)| (key.clone(), Some(value.clone()))))
    }

    /// Changes keys.
    pub(super) fn take(&mut self, news: &News) {
        for (key, value) in news {
            match value {
                Some(value) => drop(self.keys.insert(key.clone(), value.clone())),
                None => drop(self.keys.remove(key)),
            }
        }
    }

    /// Loses a host with the agent of this name: its leases are not renewed. `released`: the pools whose votes it had
    /// released, with the moments at which they end.
    pub(super) fn lose(&mut self, host: &str, agent: &str, now: Moment, released: &BTreeMap<String, Moment>) {
        let after = |s: u64| now.plus_ms(s.saturating_mul(1000));
        for (pool, lease) in schedule::votes_by(self, agent) {
            let at = lease.seconds().map(after).into_iter().chain(released.get(&pool).copied()).min();
            self.ends.extend(at.map(|at| (at, host.to_owned(), Leased::Vote { of: agent.to_owned(), pool })));
        }
        self.ends.insert((after(EXPORTS_S), host.to_owned(), Leased::Exports { of: agent.to_owned() }));
    }

    /// A host is back, and renews the leases that it still has. Returns the exports that have ended in the meantime.
    pub(super) fn regain(&mut self, host: &str) -> News {
        self.take_ends(host);
        self.ended.remove(host).unwrap_or_default()
    }

    /// Removes what a previous host of this name has left under its leases. Returns the changed keys.
    pub(super) fn clear(&mut self, host: &str) -> News {
        let mut news = News::new();
        self.take_ends(host).iter().for_each(|(.., what)| news.extend(self.end(host, what)));
        self.ended.remove(host);
        news
    }

    /// Takes out the leases of a lost host.
    fn take_ends(&mut self, host: &str) -> Vec<End> {
        let ends: Vec<End> = self.ends.iter().filter(|(_, lost, _)| lost == host).cloned().collect();
        for end in &ends {
            self.ends.remove(end);
        }
        ends
    }

    /// When the next lease ends.
    pub(super) fn next_at(&self) -> Option<Moment> {
        self.ends.first().map(|(at, ..)| *at)
    }

    /// Ends the next lease. Returns the changed keys.
    pub(super) fn end_next(&mut self) -> News {
        let Some(next) = self.ends.first().cloned() else { return News::new() };
        self.ends.remove(&next);
        let (_, host, what) = next;
        self.end(&host, &what)
    }

    fn end(&mut self, host: &str, what: &Leased) -> News {
        let news: News = match what {
            Leased::Vote { of, pool } => schedule::cast(self, pool, of, None).into(),
            Leased::Exports { of } => {
                let is_own = |key: &&String| key.split('/').nth(2) == Some(of.as_str());
                let exported = self.keys.range("exported/".to_owned()..).map(|(key, _)| key);
                let exported = exported.take_while(|key| key.starts_with("exported/"));
                let news = gather::map(exported.filter(is_own).map(|key| (key.clone(), None)));
                let ended = news.keys().map(|key| (key.clone(), self.keys.get(key).cloned()));
                self.ended.insert(host.to_owned(), gather::map(ended));
                news
            }
        };
        self.take(&news);
        news
    }
}

impl Keys for Store {
    fn get(&self, store: KeyStore, key: &str) -> Option<Datum> {
        self.keys.get(key).filter(|_| store == KeyStore::World).cloned()
    }

    fn below(&self, store: KeyStore, prefix: &str) -> Vec<(String, Datum)> {
        let from = self.keys.range(prefix.to_owned()..).filter(|_| store == KeyStore::World);
        let found = from.take_while(|(key, _)| key.starts_with(prefix));
        found.map(|(key, value)| (key.clone(), value.clone())).collect()
    }
}
