//! [`Links`]: the links in directories that resources read from. What they lead to is somewhere else, and a watch of their
//! directory does not report changes there.

use crate::host::Shared;
use crate::host::subject::SubjectState;
use crate::lock::Mutex;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::{FileKind, FileStat};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The directories that a ticket watches.
#[derive(Default)]
pub(in crate::host::subject) struct Links(Mutex<BTreeMap<Ticket, Vec<Directory>>>);

struct Directory {
    /// Ends with a slash.
    path: String,
    /// The names of the links in it that are watched.
    links: BTreeSet<String>,
}

impl Links {
    /// A path is watched.
    pub(super) fn watched(&self, ticket: Ticket, path: &str) {
        if path.ends_with('/') {
            let directory = Directory { path: path.to_owned(), links: BTreeSet::new() };
            self.0.lock().entry(ticket).or_default().push(directory);
        }
    }

    /// A directory has these entries: watches the links among them, for the tickets that watch the directory by the same
    /// path. Their content is read after that. A resource that only manages the directory lists it by another path.
    pub(super) fn listed(&self, shared: &Shared, path: &str, entries: &[(String, FileStat)]) {
        let links = || entries.iter().filter(|(_, stat)| stat.kind == FileKind::Symlink).map(|(name, _)| name);
        if links().next().is_none() {
            return;
        }
        // Held until the end, so that the watches of a ticket that is dropped in the meantime are removed afterwards.
        let mut watched = self.0.lock();
        for (ticket, directories) in watched.iter_mut() {
            for directory in directories.iter_mut().filter(|directory| directory.path == path) {
                for name in links().filter(|name| directory.links.insert((*name).clone())) {
                    shared.watch_file(*ticket, &format!("{path}{name}"));
                }
            }
        }
    }
}

impl SubjectState for Links {
    fn leave(&self, _: &Arc<Shared>, ticket: Ticket) {
        self.0.lock().remove(&ticket);
    }
}
