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
    by_path: BTreeMap<String, BTreeSet<(Ticket, Depth)>>,
}

/// How far below a path a watch sees.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Depth {
    /// The path itself and, for a directory, its entries.
    Entries,
    /// Also everything below.
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

    /// The watches affected by a change, in order.
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
            // Everything below appeared or disappeared with it.
            let prefix = path::below(&change.path);
            let below = self.by_path.range(prefix.clone()..).take_while(|(path, _)| path.starts_with(&prefix));
            tickets.extend(below.flat_map(|(_, tickets)| tickets.iter().map(|(ticket, _)| *ticket)));
        }
        tickets
    }
}
