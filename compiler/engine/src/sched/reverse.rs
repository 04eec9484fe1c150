//! Undoing what a resource did when it leaves the graph. Engine spec, 14.
//!
//! Before a resource with `Meta:reverse` changes anything, what was there is written down as a
//! resource of its own. When the program no longer has the resource, its record joins the graph;
//! when that has done its work and leaves in turn, the record is deleted. A resource that is there
//! keeps its first record over switches, exits and kills.

use super::exchange::Changes;
use super::timers::Timer;
use super::{Flight, Mode, Pending, Record, Scheduler, Slot};
use crate::kinds::meta::Meta;
use crate::protocol::{Output, ResourceId};
use crate::rgraph::{ResGraph, Resource};
use crate::vocab::{Finding, Probe, state};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The state file that holds the record.
pub(super) const FILE: &str = "reverse";
/// After so long, records that could not be read are asked for again. Units: milliseconds.
const AGAIN_MS: u64 = 10_000;

/// What is known of the records.
#[derive(Default)]
pub(super) struct Undo {
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
    /// Has the host answered, whatever it said?
    pub(super) fn is_answered(&self) -> bool {
        match self.records {
            Records::Asked => false,
            Records::Unreadable(_) | Records::Known(_) => true,
        }
    }

    /// Why the records are not known, if the host could not read them.
    pub(super) fn unreadable(&self) -> Option<&str> {
        match &self.records {
            Records::Unreadable(why) => Some(why),
            Records::Asked | Records::Known(_) => None,
        }
    }

    /// Was this resource failed for want of the records, which are known by now?
    pub(super) fn is_due_again(&self, id: &ResourceId) -> bool {
        !self.refused.is_empty() && self.unreadable().is_none() && self.refused.contains(id)
    }

    /// The graph was switched: what was failed for want of the records was taken up again if they are known.
    pub(super) fn had_another_go(&mut self) {
        if self.unreadable().is_none() {
            self.refused.clear();
        }
    }

    pub(super) fn forget(&mut self, id: &ResourceId) {
        match &mut self.records {
            Records::Known(records) => drop(records.remove(id)),
            Records::Asked | Records::Unreadable(_) => {}
        }
    }

    fn known(&self) -> Option<&BTreeMap<ResourceId, Record>> {
        match &self.records {
            Records::Known(records) => Some(records),
            Records::Asked | Records::Unreadable(_) => None,
        }
    }
}

impl Scheduler {
    /// Asks for the records of earlier runs. The first graph waits for them.
    pub(super) fn load_undo(&mut self) {
        let ticket = self.new_ticket(Flight::LoadUndo);
        let engine = ResourceId::new("", "");
        let probe = Probe::State(state::Probe::List { name: FILE.to_string() });
        self.outputs.push_back(Output::Probe(ticket, engine, vec![probe]));
    }

    pub(super) fn undo_loaded(&mut self, findings: Vec<Finding>) {
        let was_unreadable = self.undo.unreadable().map(str::to_string);
        self.undo.records = match read(findings) {
            Ok(records) => Records::Known(records),
            Err(why) => {
                if was_unreadable.as_ref() != Some(&why) {
                    self.report_log(why.clone());
                }
                self.timers.arm(self.now.plus_ms(AGAIN_MS), Timer::Undo);
                Records::Unreadable(why)
            }
        };
        // What was left to undo joins the graph that runs, and what was failed has another go.
        if was_unreadable.is_some() && self.undo.unreadable().is_none() && self.mode == Mode::Running && self.has_graph
        {
            self.pending = Some(Pending::Whole(Arc::new(self.with(Changes::new()))));
            self.mode = Mode::Pausing;
        }
    }

    /// Nothing that has to be recorded may change while earlier records cannot be read.
    pub(super) fn refuse_unrecorded(&mut self, slot: Slot) -> bool {
        let resource = self.resource(slot).clone();
        let Some(why) = self.undo.unreadable().filter(|_| self.must_record(&resource)) else { return false };
        let why = why.to_string();
        self.undo.refused.insert(resource.id.clone());
        self.fail(slot, why);
        true
    }

    /// The resources that undo what is no longer in the program. One that has done its work is not
    /// among them: it leaves with this switch, and its record with it.
    pub(super) fn reversals(&mut self, graph: &ResGraph) -> Vec<Arc<Resource>> {
        let Some(undo) = self.undo.known() else { return Vec::new() };
        if undo.is_empty() {
            return Vec::new();
        }
        let wanted: FxHashSet<&ResourceId> = graph.resources.values().map(|resource| &resource.id).collect();
        let done = self.order.iter().map(|&slot| self.vertex(slot));
        let done: FxHashSet<&ResourceId> = done
            .filter(|vertex| vertex.declared.is_reversal && vertex.clean)
            .map(|vertex| &vertex.declared.id)
            .collect();
        let mut reversals = Vec::new();
        let mut faults = Vec::new();
        for (id, record) in undo {
            if wanted.contains(id) || done.contains(id) {
                continue;
            }
            match record.resource() {
                Ok(resource) => reversals.push(Arc::new(Resource { is_reversal: true, ..resource })),
                Err(error) => faults.push(format!("{id}: what it did cannot be undone: {error}")),
            }
        }
        for fault in faults {
            self.report_log(fault);
        }
        reversals
    }

    /// Must what is there be written down before this resource changes it?
    pub(super) fn must_record(&self, resource: &Resource) -> bool {
        let has_record = self.undo.known().is_some_and(|undo| undo.contains_key(&resource.id));
        resource.meta.reverse
            && resource.kind.decl().traits.reversible
            && !resource.is_reversal
            && !resource.meta.hidden
            && !has_record
    }

    /// The record of what there is to undo, from what was seen.
    pub(super) fn record_undo(&mut self, slot: Slot, findings: &[Finding]) -> Result<state::Step, String> {
        let resource = self.resource(slot).clone();
        let params = resource.kind.reverse(&resource.want(), findings)?;
        let meta = Meta { reverse: false, export: Vec::new(), ..resource.meta.clone() };
        let record = Record::of(&Resource { params, meta, ..(*resource).clone() });
        let content = record.to_bytes();
        match &mut self.undo.records {
            Records::Known(records) => drop(records.insert(resource.id.clone(), record)),
            Records::Unreadable(why) => return Err(why.clone()),
            Records::Asked => return Err("the records of what to undo are not known yet".to_string()),
        }
        Ok(state::Step::Write { name: FILE.to_string(), content })
    }

    /// A reversal leaves the graph: if it has done its work, its record goes.
    pub(super) fn end_reversal(&mut self, slot: Slot) {
        let vertex = self.vertex(slot);
        if !vertex.declared.is_reversal {
            return;
        }
        let (id, done) = (vertex.resource.id.clone(), vertex.clean);
        if done {
            self.undo.forget(&id);
            self.note(id, state::Step::Remove { name: FILE.to_string() });
        } else {
            self.report_log(format!("{id}: did not complete reversal"));
        }
    }
}

/// All records, or why some of them may be missing.
fn read(findings: Vec<Finding>) -> Result<BTreeMap<ResourceId, Record>, String> {
    let states = match findings.into_iter().next() {
        Some(Finding::State(state::Finding::All(states))) => states,
        Some(Finding::Failed(error)) => return Err(format!("the records of what to undo cannot be read: {error}")),
        _ => return Err("the records of what to undo cannot be read: the host did not answer".to_string()),
    };
    let read = |bytes: Vec<u8>| {
        let record =
            Record::read(&bytes).map_err(|error| format!("a record of what to undo cannot be read: {error}"))?;
        Ok((record.id(), record))
    };
    states.into_iter().map(read).collect()
}
