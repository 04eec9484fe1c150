//! Undoing what a resource did when it leaves the graph. Engine spec, 14.
//!
//! Before a resource with `Meta:reverse` changes anything, what was there is written down as a
//! resource of its own. When the program no longer has the resource, its record joins the graph;
//! when that has done its work and leaves in turn, the record is deleted. A resource that is there
//! keeps its first record over switches, exits and kills.

use super::{Flight, Record, Scheduler, Slot};
use crate::kinds::meta::Meta;
use crate::protocol::{Output, ResourceId};
use crate::rgraph::{ResGraph, Resource};
use crate::vocab::{Finding, Probe, state};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The state file that holds the record.
pub(super) const FILE: &str = "reverse";

impl Scheduler {
    /// Asks for the records of earlier runs. The first graph waits for them.
    pub(super) fn load_undo(&mut self) {
        let ticket = self.new_ticket(Flight::LoadUndo);
        let engine = ResourceId::new("", "");
        let probe = Probe::State(state::Probe::List { name: FILE.to_string() });
        self.outputs.push_back(Output::Probe(ticket, engine, vec![probe]));
    }

    pub(super) fn undo_loaded(&mut self, findings: Vec<Finding>) {
        let mut undo = BTreeMap::new();
        match findings.into_iter().next() {
            Some(Finding::State(state::Finding::All(states))) => {
                for bytes in states {
                    match Record::read(&bytes) {
                        Ok(record) => {
                            undo.insert(record.id(), record);
                        }
                        Err(error) => self.report_log(format!("a record of what to undo cannot be read: {error}")),
                    }
                }
            }
            Some(Finding::Failed(error)) => {
                self.report_log(format!("the records of what to undo cannot be read: {error}"));
            }
            _ => {}
        }
        self.undo = Some(undo);
    }

    /// The resources that undo what is no longer in the program. One that has done its work is not
    /// among them: it leaves with this switch, and its record with it.
    pub(super) fn reversals(&mut self, graph: &ResGraph) -> Vec<Arc<Resource>> {
        let Some(undo) = &self.undo else { return Vec::new() };
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
        let has_record = self.undo.as_ref().is_some_and(|undo| undo.contains_key(&resource.id));
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
        self.undo.get_or_insert_default().insert(resource.id.clone(), record);
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
            if let Some(undo) = &mut self.undo {
                undo.remove(&id);
            }
            self.note(id, state::Step::Remove { name: FILE.to_string() });
        } else {
            self.report_log(format!("{id}: did not complete reversal"));
        }
    }
}
