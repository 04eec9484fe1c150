//! [`Looks`]: watches of state whose changes nothing reports. After each change of something that their subject reads,
//! the state is compared with the previous one; equal watches are compared once, however many resources have them.

use crate::protocol::Ticket;
use crate::sort;
use crate::subject::subject_of;
use crate::vocab::Watch;
use std::collections::BTreeMap;

/// The watches to compare.
#[derive(Clone, Default)]
pub(super) struct Looks {
    /// By subject; some of them are no longer watched.
    of: BTreeMap<&'static str, OfSubject>,
}

/// The watches of one subject.
#[derive(Clone, Default)]
struct OfSubject {
    /// Its stamp when all of them were compared last.
    stamp: Option<u64>,
    /// By their texts; different watches may have the same.
    by_text: BTreeMap<String, Vec<Look>>,
}

#[derive(Clone)]
struct Look {
    watch: Watch,
    /// The fingerprint of what it saw last.
    seen: u64,
    /// Its listeners, each with the place among their watches.
    listeners: BTreeMap<Ticket, usize>,
}

impl Looks {
    /// Adds the watch at a place of a listener; `seen`: the fingerprint of what it sees now.
    pub(super) fn add(&mut self, ticket: Ticket, place: usize, watch: &Watch, seen: u64) {
        let new = || Look { watch: watch.clone(), seen, listeners: BTreeMap::new() };
        let of = self.of.entry(subject_of(watch)).or_default();
        let looks = of.by_text.entry(watch.to_string()).or_default();
        let at = looks.iter().position(|look| look.watch == *watch).unwrap_or_else(|| {
            looks.push(new());
            looks.len() - 1
        });
        looks[at].listeners.insert(ticket, place);
    }

    pub(super) fn remove(&mut self, ticket: Ticket, watch: &Watch) {
        let (subject, text) = (subject_of(watch), watch.to_string());
        let Some(of) = self.of.get_mut(subject) else { return };
        if let Some(looks) = of.by_text.get_mut(&text) {
            for look in looks.iter_mut().filter(|look| look.watch == *watch) {
                look.listeners.remove(&ticket);
            }
            looks.retain(|look| !look.listeners.is_empty());
            if looks.is_empty() {
                of.by_text.remove(&text);
            }
        }
        if of.by_text.is_empty() {
            *of = OfSubject::default();
        }
    }

    /// The listeners whose watches see something else than before, in order, with the watch in words. `stamp`: that of
    /// the subject of a watch.
    pub(super) fn changed(
        &mut self,
        mut stamp: impl FnMut(&Watch) -> Option<u64>,
        mut fingerprint: impl FnMut(&Watch) -> Option<u64>,
    ) -> Vec<(Ticket, String)> {
        let mut changed = Vec::new();
        for of in self.of.values_mut() {
            let now = of.by_text.values().flatten().next().and_then(|look| stamp(&look.watch));
            if now.is_some() && std::mem::replace(&mut of.stamp, now) == now {
                continue;
            }
            for look in of.by_text.values_mut().flatten() {
                let Some(now) = fingerprint(&look.watch).filter(|now| *now != look.seen) else { continue };
                look.seen = now;
                let told = look.listeners.iter().map(|(ticket, place)| ((*ticket, *place), look.watch.to_string()));
                changed.extend(told);
            }
        }
        sort::by_key(&mut changed, |(at, _)| *at);
        changed.into_iter().map(|((ticket, _), what)| (ticket, what)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::{account, hostname, unit, virt};

    #[test]
    fn equal_watches_are_compared_once_and_listeners_told_in_order() {
        let (users, name) = (Watch::Account(account::Watch::Users), Watch::Hostname(hostname::Watch));
        let mut looks = Looks::default();
        for ticket in 0..1_000 {
            looks.add(Ticket(ticket), 0, &users, 1);
        }
        looks.add(Ticket(7), 1, &name, 1);
        let mut n_compared = 0;
        assert_eq!(
            looks.changed(
                |_| None,
                |_| {
                    n_compared += 1;
                    Some(1)
                }
            ),
            []
        );
        assert_eq!(n_compared, 2);
        looks.remove(Ticket(3), &users);
        let told = looks.changed(|_| None, |_| Some(2));
        assert_eq!(told.len(), 1_000);
        let [users, name] = [users, name].map(|watch| watch.to_string());
        assert_eq!(told[6..8], [(Ticket(7), users), (Ticket(7), name)]);
        assert_eq!(looks.changed(|_| None, |_| Some(2)), []);
    }

    #[test]
    fn different_watches_may_have_the_same_text() {
        let at = |uri: &str| {
            let connection = virt::Connection { uri: uri.to_owned(), login: None };
            Watch::Virt(virt::Watch::Domain(virt::Place { connection, name: "web".to_owned() }))
        };
        let (here, there) = (at("qemu:///system"), at("qemu+ssh://other/system"));
        let text = here.to_string();
        assert_eq!(there.to_string(), text);
        let mut looks = Looks::default();
        looks.add(Ticket(1), 0, &here, 1);
        looks.add(Ticket(2), 0, &there, 1);
        let told = looks.changed(|_| None, |watch| Some(if *watch == here { 1 } else { 2 }));
        assert_eq!(told, [(Ticket(2), text.clone())]);
        looks.remove(Ticket(2), &there);
        assert_eq!(looks.changed(|_| None, |_| Some(3)), [(Ticket(1), text)]);
    }

    #[test]
    fn what_reads_the_same_is_not_compared() {
        let units = ["a", "b"].map(|name| Watch::Unit(unit::Watch { unit: unit::Unit::new(name, false) }));
        let hostname = Watch::Hostname(hostname::Watch);
        let mut looks = Looks::default();
        units.iter().chain([&hostname]).zip(0..).for_each(|(watch, ticket)| looks.add(Ticket(ticket), 0, watch, 1));
        let stamp = |of_units| move |watch: &Watch| matches!(watch, Watch::Unit(_)).then_some(of_units);
        let mut compared = |of_units, seen| {
            let mut n_compared = 0;
            let told = looks.changed(stamp(of_units), |_| {
                n_compared += 1;
                Some(seen)
            });
            (n_compared, told.len())
        };
        assert_eq!(compared(7, 1), (3, 0));
        // Only the host name has no stamp.
        assert_eq!(compared(7, 1), (1, 0));
        assert_eq!(compared(8, 2), (3, 3));
        assert_eq!(compared(8, 2), (1, 0));
    }
}
