//! [`Undo`]: the records of what is to be undone when a resource leaves. Engine spec, 14.

use crate::protocol::ResourceId;
use crate::rgraph::Record;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub(crate) struct Undo {
    records: Records,
    /// The resources that were failed because the records could not be read.
    refused: BTreeSet<ResourceId>,
}

#[derive(Default)]
enum Records {
    /// The host has not answered yet: the first graph waits.
    #[default]
    Asked,
    /// Some may exist that nobody has seen. Nothing is recorded over them, so nothing that must be recorded changes.
    Unreadable(String),
    /// All of them, by identity.
    Known(BTreeMap<ResourceId, Record>),
}

impl Undo {
    /// The host has answered, whatever it said.
    pub(crate) fn is_answered(&self) -> bool {
        match self.records {
            Records::Asked => false,
            Records::Unreadable(_) | Records::Known(_) => true,
        }
    }

    /// Why the records are not known, if the host could not read them.
    pub(crate) fn unreadable(&self) -> Option<&str> {
        match &self.records {
            Records::Unreadable(why) => Some(why),
            Records::Asked | Records::Known(_) => None,
        }
    }

    /// The host's answer: all records, or why some of them may be missing.
    pub(crate) fn load(&mut self, records: Result<BTreeMap<ResourceId, Record>, String>) {
        self.records = match records {
            Ok(records) => Records::Known(records),
            Err(why) => Records::Unreadable(why),
        };
    }

    pub(crate) fn known(&self) -> Option<&BTreeMap<ResourceId, Record>> {
        match &self.records {
            Records::Known(records) => Some(records),
            Records::Asked | Records::Unreadable(_) => None,
        }
    }

    pub(crate) fn has(&self, id: &ResourceId) -> bool {
        self.known().is_some_and(|records| records.contains_key(id))
    }

    pub(crate) fn record(&mut self, id: ResourceId, record: Record) -> Result<(), String> {
        match &mut self.records {
            Records::Known(records) => drop(records.insert(id, record)),
            Records::Unreadable(why) => return Err(why.clone()),
            Records::Asked => return Err("the reversal records have not been read yet".to_string()),
        }
        Ok(())
    }

    pub(crate) fn forget(&mut self, id: &ResourceId) {
        match &mut self.records {
            Records::Known(records) => drop(records.remove(id)),
            Records::Asked | Records::Unreadable(_) => {}
        }
    }

    /// A resource is failed for want of the records.
    pub(crate) fn refuse(&mut self, id: ResourceId) {
        self.refused.insert(id);
    }

    /// This resource was failed for want of the records, which are known by now.
    pub(crate) fn is_due_again(&self, id: &ResourceId) -> bool {
        !self.refused.is_empty() && self.unreadable().is_none() && self.refused.contains(id)
    }

    /// The graph was switched: what was failed for want of the records was taken up again if they are known.
    pub(crate) fn had_another_go(&mut self) {
        if self.unreadable().is_none() {
            self.refused.clear();
        }
    }
}
