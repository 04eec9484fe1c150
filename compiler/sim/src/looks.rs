//! [`Looks`]: watches of what nothing reports. What they see is compared after each change, for equal watches once,
//! however many resources have them.

use crate::protocol::Ticket;
use crate::vocab::Watch;
use std::collections::BTreeMap;

/// The watches to compare.
#[derive(Clone, Default)]
pub(super) struct Looks {
    /// By the text that tells them apart.
    by_watch: BTreeMap<String, Look>,
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
        self.by_watch.entry(name(watch)).or_insert_with(new).listeners.insert(ticket, place);
    }

    pub(super) fn remove(&mut self, ticket: Ticket, watch: &Watch) {
        let name = name(watch);
        if let Some(look) = self.by_watch.get_mut(&name) {
            look.listeners.remove(&ticket);
            if look.listeners.is_empty() {
                self.by_watch.remove(&name);
            }
        }
    }

    /// The listeners whose watches see something else than before, in order, with the watch in words.
    pub(super) fn changed(&mut self, mut fingerprint: impl FnMut(&Watch) -> Option<u64>) -> Vec<(Ticket, String)> {
        let mut changed = Vec::new();
        for look in self.by_watch.values_mut() {
            let Some(now) = fingerprint(&look.watch).filter(|now| *now != look.seen) else { continue };
            look.seen = now;
            changed.extend(look.listeners.iter().map(|(ticket, place)| ((*ticket, *place), look.watch.to_string())));
        }
        changed.sort_by_key(|(at, _)| *at);
        changed.into_iter().map(|((ticket, _), what)| (ticket, what)).collect()
    }
}

fn name(watch: &Watch) -> String {
    format!("{watch:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::{account, hostname};

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
            looks.changed(|_| {
                n_compared += 1;
                Some(1)
            }),
            []
        );
        assert_eq!(n_compared, 2);
        looks.remove(Ticket(3), &users);
        let told = looks.changed(|_| Some(2));
        assert_eq!(told.len(), 1_000);
        let [users, name] = [users, name].map(|watch| watch.to_string());
        assert_eq!(told[6..8], [(Ticket(7), users), (Ticket(7), name)]);
        assert_eq!(looks.changed(|_| Some(2)), []);
    }
}
