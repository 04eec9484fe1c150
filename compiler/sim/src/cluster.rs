//! [`Cluster`]: hosts under one clock, with a shared store. Spec: world 12 to 16.
//!
//! Each host has a copy of the shared store, which holds exported resources, strings and elections. A change by one
//! host reaches the others in the same step; a paused host gets the last value of each changed key when it is resumed.
//! The votes and exports of a host that is removed or paused end with their leases.

mod store;
#[cfg(test)]
mod tests;

use crate::protocol::Moment;
use crate::vocab::Datum;
use std::collections::BTreeMap;
use store::Store;

/// The most hosts of one cluster.
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

    /// The name of its agent; `None`: that of the host.
    fn known_as(&self) -> Option<String>;

    /// The pools whose votes this host has let go of, and when they end.
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
    hosts: BTreeMap<String, Place<M>>,
    now: Moment,
    n_joined: usize,
    store: Store,
}

#[derive(Clone)]
struct Place<M> {
    host: M,
    is_paused: bool,
    /// Shared keys that changed while it was paused.
    missed: News,
}

impl<M> Default for Cluster<M> {
    fn default() -> Cluster<M> {
        Cluster { hosts: BTreeMap::new(), now: Moment::default(), n_joined: 0, store: Store::default() }
    }
}

impl<M: Member> Cluster<M> {
    /// The common time.
    pub fn now(&self) -> Moment {
        self.now
    }

    /// The number of hosts that ever joined: the number of the next one, for its address.
    pub fn n_joined(&self) -> usize {
        self.n_joined
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
        self.hosts.iter().map(|(name, place)| (name, &place.host, place.is_paused))
    }

    /// Each host with its name.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&String, &mut M)> {
        self.hosts.iter_mut().map(|(name, place)| (name, &mut place.host))
    }

    /// The host of this name.
    pub fn get(&self, name: &str) -> Option<&M> {
        self.hosts.get(name).map(|place| &place.host)
    }

    /// A host, advanced to the common time. Errors: there is none of this name.
    pub fn at_hand(&mut self, name: &str) -> Result<&mut M, String> {
        let now = self.now;
        let place = self.place(name)?;
        place.host.skip(now);
        Ok(&mut place.host)
    }

    /// Whether a host is paused.
    pub fn is_paused(&self, name: &str) -> bool {
        self.hosts.get(name).is_some_and(|place| place.is_paused)
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
        self.hosts.insert(name.to_owned(), Place { host, is_paused: false, missed: self.store.all() });
        self.meet(name, News::new());
        Ok(())
    }

    /// Removes a host. Errors: there is none of this name.
    pub fn leave(&mut self, name: &str) -> Result<(), String> {
        let place = self.hosts.remove(name).ok_or_else(|| missing(name))?;
        // The leases of a paused host end when they would without this.
        if !place.is_paused {
            self.store.lose(name, &agent(name, &place.host), self.now, &place.host.released());
        }
        Ok(())
    }

    /// Freezes a host. Errors: there is none of this name.
    pub fn pause(&mut self, name: &str) -> Result<(), String> {
        let now = self.now;
        let place = self.place(name)?;
        if !std::mem::replace(&mut place.is_paused, true) {
            let (agent, released) = (agent(name, &place.host), place.host.released());
            self.store.lose(name, &agent, now, &released);
        }
        Ok(())
    }

    /// Continues a paused host, which gets the changes it missed. Errors: there is none of this name.
    pub fn resume(&mut self, name: &str) -> Result<(), String> {
        self.place(name)?.is_paused = false;
        let own = self.store.regain(name);
        self.meet(name, own);
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
        self.hosts.get_mut(&name)?.host.step(at);
        self.spread(&name);
        Some(Happened::On(name))
    }

    /// Advances the time.
    pub fn skip(&mut self, to: Moment) {
        self.now = self.now.max(to);
        for place in self.hosts.values_mut().filter(|place| !place.is_paused) {
            place.host.skip(self.now);
        }
    }

    /// Passes changes made by one host to all others; a paused host keeps its changes.
    pub fn spread(&mut self, from: &str) {
        let Some(place) = self.hosts.get_mut(from).filter(|place| !place.is_paused) else { return };
        let news = place.host.take_news();
        self.store.take(&news);
        self.tell(Some(from), &news);
    }

    /// A host is in touch with the store: it gets what it missed, and writes `own` keys again. Changes made there by hand
    /// reach the store only now, so they replace what others have written meanwhile.
    fn meet(&mut self, name: &str, mut own: News) {
        let now = self.now;
        let Some(place) = self.hosts.get_mut(name) else { return };
        place.host.skip(now);
        own.extend(place.host.take_news());
        let mut missed = std::mem::take(&mut place.missed);
        missed.retain(|key, _| !own.contains_key(key));
        if !missed.is_empty() {
            place.host.hear(&missed);
        }
        self.store.take(&own);
        self.tell(Some(name), &own);
    }

    /// Changes of the store reach all hosts but the one that made them; a paused one gets them when it is resumed.
    fn tell(&mut self, from: Option<&str>, news: &News) {
        if news.is_empty() {
            return;
        }
        for (_, place) in self.hosts.iter_mut().filter(|(name, _)| Some(name.as_str()) != from) {
            match place.is_paused {
                true => place.missed.extend(news.clone()),
                false => {
                    place.host.skip(self.now);
                    place.host.hear(news);
                }
            }
        }
    }

    /// The next event: its moment, and its host. The store comes before the hosts.
    fn due(&self) -> Option<(Moment, Option<&String>)> {
        let due = |(name, place): (_, &Place<M>)| {
            let at = place.host.next_at().filter(|_| !place.is_paused)?;
            Some((at.max(self.now), Some(name)))
        };
        let ends = self.store.next_at().map(|at| (at.max(self.now), None));
        self.hosts.iter().filter_map(due).chain(ends).min()
    }

    fn place(&mut self, name: &str) -> Result<&mut Place<M>, String> {
        self.hosts.get_mut(name).ok_or_else(|| missing(name))
    }
}

fn agent(host: &str, member: &impl Member) -> String {
    member.known_as().unwrap_or_else(|| host.to_owned())
}

fn missing(name: &str) -> String {
    format!("cannot find host {name}")
}
