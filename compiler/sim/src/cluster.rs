//! [`Cluster`]: hosts under one clock, with a shared store. Spec: world 12 to 16.
//!
//! Each host has a copy of the shared store, which holds exported resources, strings and elections. A change by one
//! host reaches the others in the same step, or after the latency of their connections. A host that is paused or
//! disconnected from the store is away: when it is back, it gets the last value of each changed key. A disconnected
//! host continues with its copy in the meantime, and its writes wait. The votes and exports of a host that is away or
//! removed end with their leases.

mod store;
#[cfg(test)]
mod tests;

use super::order::Order;
use crate::gather::{self, Boxed};
use crate::protocol::Moment;
use crate::sort;
use crate::vocab::Datum;
use std::collections::BTreeMap;
use store::Store;

/// The maximum number of hosts of one cluster.
pub const MAX_HOSTS: usize = 20;

/// Changed keys of the shared store; `None`: the key was removed.
pub type News = BTreeMap<String, Option<Datum>>;

/// One host, as seen by a cluster.
pub trait Member {
    /// When its next event is due; `None` if its program has ended.
    fn next_at(&self) -> Option<Moment>;

    /// Advances the time without doing what is due.
    fn skip(&mut self, to: Moment);

    /// Performs the next event, no later than `until`. `false`: there is none.
    fn step(&mut self, until: Moment) -> bool;

    /// Changes made here to the shared store since the last call.
    fn take_news(&mut self) -> News;

    /// Applies changes made by others.
    fn hear(&mut self, news: &News);

    /// It is disconnected from the store, where nothing of it was renewed since then.
    fn disconnect(&mut self, since: Moment);

    /// Connects it to the store again, where others have made these changes in the meantime. Its waiting writes are
    /// made.
    fn reconnect(&mut self, missed: &News);

    /// The name of its agent; `None`: that of the host.
    fn known_as(&self) -> Option<String>;

    /// The pools whose votes this host has released, and when the votes end.
    fn released(&self) -> BTreeMap<String, Moment>;
}

/// Where something happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Happened {
    /// On this host.
    On(String),
    /// In the shared store: the lease of a lost host has ended.
    InStore,
}

/// The hosts by name.
#[derive(Clone)]
pub struct Cluster<M> {
    hosts: Boxed<String, Joined<M>>,
    now: Moment,
    n_joined: usize,
    store: Store,
    order: Order,
    /// How much has happened on the hosts.
    n_events: u64,
}

/// A host that has joined.
#[derive(Clone)]
struct Joined<M> {
    host: M,
    is_paused: bool,
    is_disconnected: bool,
    /// Since when it is away, if it is.
    since: Moment,
    /// Shared keys that changed while it was away.
    missed: News,
}

impl<M> Joined<M> {
    /// Whether the store and the host do not reach each other.
    fn is_away(&self) -> bool {
        self.is_paused || self.is_disconnected
    }
}

impl<M> Default for Cluster<M> {
    fn default() -> Cluster<M> {
        Cluster {
            hosts: Boxed::new(),
            now: Moment::default(),
            n_joined: 0,
            store: Store::default(),
            order: Order::default(),
            n_events: 0,
        }
    }
}

impl<M: Member> Cluster<M> {
    /// The common time.
    pub fn now(&self) -> Moment {
        self.now
    }

    /// The number of hosts that have joined so far: the number of the next one, which determines its address.
    pub fn n_joined(&self) -> usize {
        self.n_joined
    }

    /// Sets the order of hosts on which something happens at the same moment; by default, that of their names.
    pub fn set_order(&mut self, order: Order) {
        self.order = order;
    }

    /// Sorts hosts into the order in which an event that happens to all of them now reaches each one.
    pub fn in_turn(&self, mut names: Vec<String>) -> Vec<String> {
        sort::by_key(&mut names, |name| self.rank(self.now, name));
        names
    }

    /// The number of hosts.
    pub fn len(&self) -> usize {
        self.hosts.len()
    }

    /// Whether there are no hosts.
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty()
    }

    /// The host names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.hosts.keys()
    }

    /// Whether there is a host of this name.
    pub fn has(&self, name: &str) -> bool {
        self.hosts.contains_key(name)
    }

    /// Each host with its name, and whether it is paused.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &M, bool)> {
        self.hosts.iter().map(|(name, member)| (name, &member.host, member.is_paused))
    }

    /// Each host with its name.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&String, &mut M)> {
        self.hosts.iter_mut().map(|(name, member)| (name, &mut member.host))
    }

    /// The host of this name.
    pub fn get(&self, name: &str) -> Option<&M> {
        self.hosts.get(name).map(|member| &member.host)
    }

    /// A host, advanced to the common time. Errors: no host has this name.
    pub fn at_hand(&mut self, name: &str) -> Result<&mut M, String> {
        let now = self.now;
        let member = self.member(name)?;
        member.host.skip(now);
        Ok(&mut member.host)
    }

    /// Whether a host is paused.
    pub fn is_paused(&self, name: &str) -> bool {
        self.hosts.get(name).is_some_and(|member| member.is_paused)
    }

    /// Whether a host is disconnected from the store.
    pub fn is_disconnected(&self, name: &str) -> bool {
        self.hosts.get(name).is_some_and(|member| member.is_disconnected)
    }

    /// Adds a host, which gets the shared store. Errors: the name is taken, or there are too many hosts.
    pub fn join(&mut self, name: &str, host: M) -> Result<(), String> {
        if self.hosts.contains_key(name) {
            return Err(format!("host {name} already exists"));
        }
        if self.hosts.len() == MAX_HOSTS {
            return Err(format!("at most {MAX_HOSTS} hosts are supported"));
        }
        self.n_joined += 1;
        let ended = self.store.clear(name);
        self.tell(None, &ended);
        let missed = self.store.all();
        let member = Joined { host, is_paused: false, is_disconnected: false, since: self.now, missed };
        self.hosts.insert(name.to_owned(), Box::new(member));
        self.meet(name, News::new());
        Ok(())
    }

    /// Removes a host. Errors: no host has this name.
    pub fn leave(&mut self, name: &str) -> Result<(), String> {
        let member = self.hosts.remove(name).ok_or_else(|| missing(name))?;
        // The leases of a host that is away end when they would without this.
        if !member.is_away() {
            self.store.lose(name, &agent(name, &member.host), self.now, &member.host.released());
        }
        Ok(())
    }

    /// Freezes a host. Errors: no host has this name.
    pub fn pause(&mut self, name: &str) -> Result<(), String> {
        self.lose(name)?;
        self.member(name)?.is_paused = true;
        Ok(())
    }

    /// Continues a paused host, which gets the changes it missed, unless it is disconnected. Errors: no host has this
    /// name.
    pub fn resume(&mut self, name: &str) -> Result<(), String> {
        self.member(name)?.is_paused = false;
        self.regain(name)
    }

    /// Disconnects a host from the store. Errors: no host has this name.
    pub fn disconnect(&mut self, name: &str) -> Result<(), String> {
        self.lose(name)?;
        let now = self.now;
        let member = self.member(name)?;
        member.is_disconnected = true;
        member.host.skip(now);
        member.host.disconnect(member.since);
        Ok(())
    }

    /// Connects a host to the store again: it gets the changes it missed, and what it has to write is written, unless
    /// it is paused. Errors: no host has this name.
    pub fn reconnect(&mut self, name: &str) -> Result<(), String> {
        self.member(name)?.is_disconnected = false;
        self.regain(name)
    }

    /// A host is about to be away: from then on nothing renews its leases.
    fn lose(&mut self, name: &str) -> Result<(), String> {
        let now = self.now;
        let member = self.member(name)?;
        if !member.is_away() {
            member.since = now;
            let (agent, released) = (agent(name, &member.host), member.host.released());
            self.store.lose(name, &agent, now, &released);
        }
        Ok(())
    }

    /// A host is back, unless something else keeps it away.
    fn regain(&mut self, name: &str) -> Result<(), String> {
        let now = self.now;
        let member = self.member(name)?;
        if !member.is_away() {
            let own = self.store.regain(name);
            self.meet(name, own);
        } else if !member.is_paused {
            member.host.skip(now);
            member.host.disconnect(member.since);
        }
        Ok(())
    }

    /// When the next event is due.
    pub fn next_at(&self) -> Option<Moment> {
        self.due().map(|(at, _)| at)
    }

    /// Performs the next event, no later than `until`.
    pub fn step(&mut self, until: Moment) -> Option<Happened> {
        let (at, name) = self.due().filter(|(at, _)| *at <= until)?;
        let name = name.cloned();
        // The clocks of all hosts are then those of the last event, however it was reached.
        self.skip(at);
        let Some(name) = name else {
            let news = self.store.end_next();
            self.tell(None, &news);
            return Some(Happened::InStore);
        };
        self.n_events += 1;
        self.hosts.get_mut(&name)?.host.step(at);
        self.spread(&name);
        Some(Happened::On(name))
    }

    /// Advances the time.
    pub fn skip(&mut self, to: Moment) {
        self.now = self.now.max(to);
        for member in self.hosts.values_mut().filter(|member| !member.is_paused) {
            member.host.skip(self.now);
        }
    }

    /// Passes changes made by one host to all others; a host that is away keeps its changes.
    pub fn spread(&mut self, from: &str) {
        let Some(member) = self.hosts.get_mut(from).filter(|member| !member.is_away()) else { return };
        let news = member.host.take_news();
        self.store.take(&news);
        self.tell(Some(from), &news);
    }

    /// Synchronises a host with the store: it gets what it missed, and writes `own` keys again. Changes made by hand
    /// while it was paused reach the store only now, so they replace what others have written in the meantime.
    fn meet(&mut self, name: &str, mut own: News) {
        let now = self.now;
        let Some(member) = self.hosts.get_mut(name) else { return };
        member.host.skip(now);
        own.extend(member.host.take_news());
        let mut missed = std::mem::take(&mut member.missed);
        gather::keep(&mut missed, |key, _| !own.contains_key(key));
        member.host.reconnect(&missed);
        own.extend(member.host.take_news());
        self.store.take(&own);
        self.tell(Some(name), &own);
    }

    /// Changes of the store reach all hosts but the one that made them; one that is away gets them when it is back.
    fn tell(&mut self, from: Option<&str>, news: &News) {
        if news.is_empty() {
            return;
        }
        for (_, member) in self.hosts.iter_mut().filter(|(name, _)| Some(name.as_str()) != from) {
            match member.is_away() {
                true => member.missed.extend(news.clone()),
                false => {
                    member.host.skip(self.now);
                    member.host.hear(news);
                }
            }
        }
    }

    /// The next event: its moment, and its host. The store comes before the hosts.
    fn due(&self) -> Option<(Moment, Option<&String>)> {
        let hosts = self.hosts.iter().filter_map(|(name, member)| {
            let at = member.host.next_at().filter(|_| !member.is_paused)?.max(self.now);
            Some((at, Some((self.rank(at, name), name))))
        });
        let ends = self.store.next_at().map(|at| (at.max(self.now), None));
        let (at, host) = hosts.chain(ends).min()?;
        Some((at, host.map(|(_, name)| name)))
    }

    /// The rank of a host among those on which something happens at this moment. Each event is drawn again, so that the
    /// events of several hosts mix.
    fn rank(&self, at: Moment, name: &str) -> u64 {
        self.order.rank(at, std::iter::once(self.n_events).chain(name.bytes().map(u64::from)))
    }

    fn member(&mut self, name: &str) -> Result<&mut Joined<M>, String> {
        self.hosts.get_mut(name).map(|member| &mut **member).ok_or_else(|| missing(name))
    }
}

fn agent(host: &str, member: &impl Member) -> String {
    member.known_as().unwrap_or_else(|| host.to_owned())
}

fn missing(name: &str) -> String {
    format!("cannot find host {name}")
}
