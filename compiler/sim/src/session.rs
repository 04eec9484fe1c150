//! [`Session`]: the connection of a host to the shared store. While it is cut off, the host continues with its last
//! values: its writes wait until it is back, and it acts on an election only while its vote is certain to be valid.
//! World spec, 14 to 16.

mod delay;
#[cfg(test)]
mod tests;

use super::cluster::News;
use super::world::World;
use crate::gather;
use crate::protocol::Moment;
use crate::vocab::schedule::{self, Election, Handover, Options};
use crate::vocab::{Datum, KeyStore};
pub(super) use delay::{Delay, LONGEST_MS};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The connection of one host.
#[derive(Clone, Default)]
pub(super) struct Session {
    /// Since when the host is cut off, and nothing has been renewed in the store.
    cut: Option<Moment>,
    /// The pools with a vote that this run held at that moment.
    held: BTreeSet<String>,
    /// Writes that wait.
    waiting: News,
    /// Waiting votes, by pool: their result depends on the votes that others have when they are cast.
    votes: BTreeMap<String, Option<Options>>,
    handover: Handover,
    /// Changes by others that have not arrived.
    pub(super) delay: Delay,
    /// This host may see the result of an election in another way than before.
    is_doubtful: bool,
}

/// Whether a host acts on an election, and for how long this is so.
pub(super) struct Belief {
    pub(super) is_sure: bool,
    pub(super) until: Option<Moment>,
}

/// A host ceases to act on an election so long before its vote ends. Units: seconds.
const MARGIN_S: u64 = 1;

impl Session {
    pub(super) fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// Writes a key later.
    pub(super) fn wait(&mut self, key: &str, value: Option<Datum>) {
        self.waiting.insert(key.to_owned(), value);
    }

    /// What waits to be written.
    pub(super) fn waiting(&self) -> &News {
        &self.waiting
    }

    /// The agent was killed: what it had to write is gone with it.
    pub(super) fn forget(&mut self) {
        self.waiting.clear();
        self.votes.clear();
        self.held.clear();
    }

    /// When the next changes by others arrive; nothing arrives while it is cut off.
    pub(super) fn next_arrival(&self) -> Option<Moment> {
        self.delay.next_at().filter(|_| !self.is_cut())
    }

    /// Whether the results of elections are to be read again; only once.
    pub(super) fn take_doubt(&mut self) -> bool {
        std::mem::take(&mut self.is_doubtful)
    }
}

impl World {
    /// Cuts the host off from the shared store. Nothing of it has been renewed there since `since`.
    pub fn disconnect(&mut self, since: Moment) {
        if !self.session.is_cut() {
            let votes = schedule::votes_by(self, self.agent()).into_iter();
            let held = votes.filter(|(pool, lease)| self.subjects.schedule.holds(pool, *lease));
            self.session.held = gather::set(held.map(|(pool, _)| pool));
        }
        (self.session.cut, self.session.is_doubtful) = (Some(since), true);
    }

    /// Connects the host to the store again, where others have changed these keys in the meantime. Waiting writes are
    /// made, unless another host has changed the same key: then its resource is checked again.
    pub fn reconnect(&mut self, missed: &News) {
        // What was on the way is read with the rest.
        let mut all = self.session.delay.take();
        all.extend(missed.clone());
        let missed = &all;
        (self.session.cut, self.session.is_doubtful) = (None, true);
        self.session.handover.listen(elapsed(self.now));
        let (mut waiting, votes) = (std::mem::take(&mut self.session.waiting), std::mem::take(&mut self.session.votes));
        gather::keep(&mut waiting, |key, _| {
            let is_same = |value: &Option<Datum>| value.as_ref() == self.key(KeyStore::World, key);
            is_export_of(key, self.agent()) || missed.get(key).is_none_or(is_same)
        });
        let mut heard = missed.clone();
        gather::keep(&mut heard, |key, _| !waiting.contains_key(key));
        self.learn(&heard);
        for (key, value) in waiting {
            self.put_key(KeyStore::World, &key, value.clone());
            self.news.insert(key, value);
        }
        votes.iter().for_each(|(namespace, options)| self.vote(namespace, options.as_ref()));
    }

    /// Takes in changes that others have made to the shared store. This host sees them when they have arrived.
    ///
    /// Votes and results have no latency: a vote is a transaction of the store, which reads them there.
    pub fn hear(&mut self, news: &News) {
        if self.session.delay.is_none() {
            return self.learn(news);
        }
        let (mut at_once, mut later) = (news.clone(), news.clone());
        gather::keep(&mut at_once, |key, _| schedule::is_of_pool(key));
        gather::keep(&mut later, |key, _| !schedule::is_of_pool(key));
        self.learn(&at_once);
        if !later.is_empty() {
            self.session.delay.send(self.now, later);
        }
    }

    /// Applies the changes that have arrived by now. `false`: there are none.
    pub(super) fn hear_what_arrived(&mut self) -> bool {
        let mut is_news = false;
        while self.session.next_arrival().is_some_and(|at| at <= self.now) {
            let news = self.session.delay.arrived(self.now).unwrap_or_default();
            self.learn(&news);
            is_news = true;
        }
        is_news
    }

    /// A new agent reads the store, if it is there.
    pub(super) fn catch_up(&mut self) {
        if !self.session.is_cut() {
            let news = self.session.delay.take();
            self.learn(&news);
        }
    }

    /// Applies changes of the shared store made by others.
    fn learn(&mut self, news: &News) {
        let pools = news.keys().filter_map(|key| schedule::pool_of(key));
        let before: Vec<(String, Vec<String>)> =
            pools.map(|pool| (pool.clone(), schedule::chosen(self, &pool))).collect();
        for (key, value) in news {
            self.put_key(KeyStore::World, key, value.clone());
        }
        before.iter().for_each(|(pool, before)| self.see(pool, before));
    }

    /// Votes in a pool, or withdraws this host's vote.
    pub(crate) fn vote(&mut self, namespace: &str, options: Option<&Options>) {
        if self.session.is_cut() {
            self.session.votes.insert(namespace.to_owned(), options.cloned());
            self.session.is_doubtful = true;
            return;
        }
        let before = schedule::chosen(self, namespace);
        for (key, value) in schedule::cast(self, namespace, self.agent(), options) {
            self.set_key(KeyStore::World, &key, value);
        }
        self.see(namespace, &before);
    }

    /// The vote of this host, or the one that waits.
    pub(super) fn own_vote(&self, namespace: &str) -> Option<Options> {
        match self.session.votes.get(namespace) {
            Some(waiting) => waiting.clone(),
            None => self.known_vote(namespace),
        }
    }

    /// The vote of this host that waits for the store, in words.
    pub(super) fn waiting_vote(&self, namespace: &str) -> Option<String> {
        let vote = self.session.votes.get(namespace)?;
        Some(vote.as_ref().map_or("withdrawn".to_owned(), ToString::to_string))
    }

    /// The pools of which this host knows votes or a result, and those in which its vote waits.
    pub(super) fn pools(&self) -> BTreeSet<String> {
        let mut pools = gather::set(schedule::pools(self));
        pools.extend(self.session.votes.keys().cloned());
        pools
    }

    /// A key as this host has left it, also if the store does not have it yet.
    pub(super) fn written(&self, store: KeyStore, key: &str) -> Option<&Datum> {
        match self.session.waiting.get(key).filter(|_| store == KeyStore::World) {
            Some(waiting) => waiting.as_ref(),
            None => self.key(store, key),
        }
    }

    /// The hosts elected in a pool, sorted, as functions on this host see them: without this host while it must not act
    /// on its election.
    pub fn elected(&self, namespace: &str) -> Vec<String> {
        let mut elected = schedule::chosen(self, namespace);
        if !self.belief(namespace).is_sure {
            elected.retain(|host| host != self.agent());
        }
        elected.sort();
        elected
    }

    /// Whether this host may act on its election in a pool.
    pub(super) fn belief(&self, namespace: &str) -> Belief {
        let begins = self.session.handover.from(namespace).map(moment).filter(|from| *from > self.now);
        let ends = match self.session.cut {
            None => None,
            Some(since) => match self.relied_on(namespace) {
                None => Some(since),
                Some(options) => {
                    let s = options.lease.seconds().map(|ttl| ttl.saturating_sub(MARGIN_S));
                    s.map(|s| since.plus_ms(s.saturating_mul(1000)))
                }
            },
        };
        if ends.is_some_and(|end| end <= self.now) {
            return Belief { is_sure: false, until: None };
        }
        Belief { is_sure: begins.is_none(), until: begins.into_iter().chain(ends).min() }
    }

    /// The vote in the store by which a host that is cut off is still elected.
    fn relied_on(&self, namespace: &str) -> Option<Options> {
        let is_withdrawn = self.session.votes.get(namespace).is_some_and(Option::is_none);
        let vote = self.known_vote(namespace).filter(|_| !is_withdrawn && self.session.held.contains(namespace));
        vote.filter(|options| self.subjects.schedule.holds(namespace, options.lease))
    }

    fn known_vote(&self, namespace: &str) -> Option<Options> {
        let mut votes = schedule::votes_of(self, namespace).into_iter();
        votes.find(|(host, _)| host == self.agent()).map(|(_, vote)| vote.options)
    }

    /// The result of a pool may differ from the one before.
    fn see(&mut self, pool: &str, before: &[String]) {
        let (after, votes) = (schedule::chosen(self, pool), schedule::votes_of(self, pool));
        if *before == *after {
            return;
        }
        let (me, now) = (self.agent().to_owned(), elapsed(self.now));
        self.session.handover.see(&me, &Election { pool, before, after: &after, votes: &votes }, now);
    }
}

/// The time since the start of the simulation.
fn elapsed(at: Moment) -> Duration {
    Duration::from_nanos(at.0)
}

fn moment(elapsed: Duration) -> Moment {
    Moment(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX))
}

/// Whether a key is `exported/TO/FROM/…` of this agent, which only this agent writes.
fn is_export_of(key: &str, agent: &str) -> bool {
    let mut parts = key.split('/');
    parts.next() == Some("exported") && parts.nth(1) == Some(agent)
}
