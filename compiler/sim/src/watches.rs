//! [`Watches`]: who is told when a path changes. Resource spec, 1.4, with what it prefers:
//! directories that appear later are followed, and so are ancestors that are renamed.

use super::path;
use super::tree::Change;
use crate::protocol::Ticket;
use crate::vocab::file;
use std::collections::{BTreeMap, BTreeSet};

/// Interests by cleaned path.
#[derive(Default)]
pub(super) struct Watches {
    by_path: BTreeMap<String, BTreeSet<(Ticket, Depth)>>,
}

/// How far below a path a watch looks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Depth {
    /// The path itself, and its entries when it is a directory.
    Entries,
    /// And everything below.
    All,
}

impl Watches {
    pub(super) fn add(&mut self, ticket: Ticket, watch: &file::Watch) {
        let is_all = watch.recursive && watch.path.ends_with('/');
        let depth = if is_all { Depth::All } else { Depth::Entries };
        self.by_path.entry(path::clean(&watch.path)).or_default().insert((ticket, depth));
    }

    pub(super) fn remove(&mut self, ticket: Ticket, given: &str) {
        let cleaned = path::clean(given);
        if let Some(tickets) = self.by_path.get_mut(&cleaned) {
            tickets.retain(|(other, _)| *other != ticket);
            if tickets.is_empty() {
                self.by_path.remove(&cleaned);
            }
        }
    }

    /// All that a change concerns, in order.
    pub(super) fn concerned(&self, change: &Change) -> BTreeSet<Ticket> {
        let mut tickets = BTreeSet::new();
        let mut take = |path: &str, least: Depth| {
            let found = self.by_path.get(path).into_iter().flatten();
            tickets.extend(found.filter(|(_, depth)| *depth >= least).map(|(ticket, _)| *ticket));
        };
        take(&change.path, Depth::Entries);
        let mut above = path::parent(&change.path);
        let mut least = Depth::Entries;
        while let Some(dir) = above {
            take(dir, least);
            least = Depth::All;
            above = path::parent(dir);
        }
        if change.structural {
            // Whatever is below came or went with it.
            let prefix = path::below(&change.path);
            let below = self.by_path.range(prefix.clone()..).take_while(|(path, _)| path.starts_with(&prefix));
            tickets.extend(below.flat_map(|(_, tickets)| tickets.iter().map(|(ticket, _)| *ticket)));
        }
        tickets
    }
}
