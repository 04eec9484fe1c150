//! [`Watches`]: the watches affected by a change of a path. Resource spec, 1.4, with its preferred variant: directories
//! that appear later are followed, and so are renamed ancestors.

use super::path;
use super::tree::Change;
use crate::protocol::Ticket;
use crate::vocab::file;
use std::collections::{BTreeMap, BTreeSet};

/// Watches by normalised path.
#[derive(Clone, Default)]
pub(super) struct Watches {
    /// Those that see the path itself and, for a directory, its entries.
    near: ByPath,
    /// Those that also see everything below.
    deep: ByPath,
}

type ByPath = BTreeMap<String, BTreeSet<Ticket>>;

impl Watches {
    pub(super) fn add(&mut self, ticket: Ticket, watch: &file::Watch) {
        let is_all = watch.recursive && watch.path.ends_with('/');
        let by_path = if is_all { &mut self.deep } else { &mut self.near };
        by_path.entry(path::clean(&watch.path)).or_default().insert(ticket);
    }

    pub(super) fn remove(&mut self, ticket: Ticket, given: &str) {
        let cleaned = path::clean(given);
        for by_path in [&mut self.near, &mut self.deep] {
            if let Some(tickets) = by_path.get_mut(&cleaned) {
                tickets.remove(&ticket);
                if tickets.is_empty() {
                    by_path.remove(&cleaned);
                }
            }
        }
    }

    /// The watches affected by a change, in order.
    pub(super) fn concerned(&self, change: &Change) -> BTreeSet<Ticket> {
        let mut tickets: BTreeSet<Ticket> = BTreeSet::new();
        let mut take = |by_path: &ByPath, path: &str| tickets.extend(by_path.get(path).into_iter().flatten());
        let parent = path::parent(&change.path);
        for path in [Some(&*change.path), parent].into_iter().flatten() {
            take(&self.near, path);
        }
        let mut at = Some(&*change.path);
        while let Some(path) = at {
            take(&self.deep, path);
            at = path::parent(path);
        }
        if change.structural {
            // Everything below appeared or disappeared with it.
            let prefix = path::below(&change.path);
            for by_path in [&self.near, &self.deep] {
                let below = by_path.range(prefix.clone()..).take_while(|(path, _)| path.starts_with(&prefix));
                tickets.extend(below.flat_map(|(_, tickets)| tickets));
            }
        }
        tickets
    }
}
