//! [`Undo`]: the records to undo resources that leave. Engine spec, 14.

use crate::protocol::ResourceId;
use crate::rgraph::{LeftOut, Record};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Default)]
pub(crate) struct Undo {
    records: Records,
    /// The resources that failed because the records could not be read.
    refused: BTreeSet<ResourceId>,
    /// What the program in effect has, but leaves out for now: its records undo nothing.
    left_out: Vec<LeftOut>,
}

#[derive(Clone, Default)]
enum Records {
    /// The host has not answered yet: the first graph waits.
    #[default]
    Asked,
    /// Unknown records may exist. Nothing is recorded over them, so nothing that must be recorded changes.
    Unreadable(String),
    /// All of them, by id.
    Known(BTreeMap<ResourceId, Record>),
}

impl Undo {
    /// Whether the host has answered at all.
    pub(crate) fn is_answered(&self) -> bool {
        match self.records {
            Records::Asked => false,
            Records::Unreadable(_) | Records::Known(_) => true,
        }
    }

    /// Why the records are unknown, if the host could not read them.
    pub(crate) fn unreadable(&self) -> Option<&str> {
        match &self.records {
            Records::Unreadable(why) => Some(why),
            Records::Asked | Records::Known(_) => None,
        }
    }

    /// The host's answer: all records, or why some may be missing.
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

    /// Whether there is a record that purges this resource.
    pub(crate) fn purges(&self, id: &ResourceId) -> bool {
        self.known().and_then(|records| records.get(id)).is_some_and(Record::purges)
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

    /// What the graph in effect leaves out for now.
    pub(crate) fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    pub(crate) fn leave_out(&mut self, left_out: &[LeftOut]) {
        self.left_out = left_out.to_vec();
    }

    /// A resource fails for lack of the records.
    pub(crate) fn refuse(&mut self, id: ResourceId) {
        self.refused.insert(id);
    }

    /// Whether this resource failed for lack of the records, which are known by now.
    pub(crate) fn is_due_again(&self, id: &ResourceId) -> bool {
        !self.refused.is_empty() && self.unreadable().is_none() && self.refused.contains(id)
    }

    /// Called after a switch: if the records are known, the resources that failed without them have been retried.
    pub(crate) fn had_another_go(&mut self) {
        if self.unreadable().is_none() {
            self.refused.clear();
        }
    }
}
