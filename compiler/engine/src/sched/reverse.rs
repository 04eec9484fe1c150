//! Undoes the work of a resource when it leaves the graph. Engine spec, 14.
//!
//! Before a resource with `Meta:reverse` changes anything, the previous state is stored as a resource. When the program
//! no longer has the original resource, the stored one joins the graph; once it has been applied and leaves the graph,
//! the record is deleted. A resource keeps its first record across switches, exits and kills.
//!
//! The record of a resource that is purged when it leaves (`Meta::purge`) says that it is absent, whatever was there
//! before. It is deleted as soon as the resource is no longer to be purged.
//!
//! A resource that is only left out for the moment ([`LeftOut`]) still belongs to the program: its record stays, and
//! nothing is undone.

use super::state::{Flight, Slot, Timer};
use super::{Record, Scheduler};
use crate::kinds::Params;
use crate::kinds::meta::Meta;
use crate::protocol::ResourceId;
use crate::rgraph::{LeftOut, ResGraph, Resource};
use crate::vocab::{Finding, Probe, state};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The state file of the record.
pub(super) const FILE: &str = "reverse";
/// The delay before unreadable records are requested again. Units: milliseconds.
const AGAIN_MS: u64 = 10_000;
/// What is purged has no order: a directory is tried again until its files are gone. The delay is in milliseconds.
const PURGE_RETRIES: i16 = 5;
const PURGE_DELAY_MS: u64 = 1_000;

impl Scheduler {
    /// Requests the records of earlier runs. The first graph waits for them.
    pub(super) fn load_undo(&mut self) {
        let engine = ResourceId::new("", "");
        let probe = Probe::State(state::Probe::List { name: FILE.to_string() });
        self.outbox.probe(Flight::LoadUndo, engine, vec![probe]);
    }

    pub(super) fn undo_loaded(&mut self, findings: Vec<Finding>) {
        let was_unreadable = self.undo.unreadable().map(str::to_string);
        let records = read(findings);
        if let Err(why) = &records {
            if was_unreadable.as_ref() != Some(why) {
                self.report_log(why.clone());
            }
            self.clock.arm_in(AGAIN_MS, Timer::Undo);
        }
        self.undo.load(records);
        // Remaining undo records join the running graph, and resources that failed for this reason are retried.
        if was_unreadable.is_some() && self.undo.unreadable().is_none() && self.lifecycle.is_steady() {
            self.replace_by_itself();
        }
    }

    /// Nothing that must be recorded may change while earlier records cannot be read.
    pub(super) fn refuse_unrecorded(&mut self, slot: Slot) -> bool {
        let resource = self.graph.resource(slot).clone();
        let Some(why) = self.undo.unreadable().filter(|_| self.must_record(&resource)) else { return false };
        let why = why.to_string();
        self.undo.refuse(resource.id.clone());
        self.fail(slot, why);
        true
    }

    /// The resources that undo what is no longer in the program. Finished ones are not included: this switch removes
    /// them and their records.
    pub(super) fn reversals(&mut self, graph: &ResGraph) -> Vec<Arc<Resource>> {
        let Some(undo) = self.undo.known() else { return Vec::new() };
        if undo.is_empty() {
            return Vec::new();
        }
        let left_out = graph.left_out.iter().filter_map(LeftOut::id);
        let wanted: FxHashSet<&ResourceId> =
            graph.resources.values().map(|resource| &resource.id).chain(left_out).collect();
        let is_done = |slot: &Slot| self.graph.declared(*slot).is_reversal && self.conditions.is_clean(*slot);
        let done = self.graph.order().iter().copied().filter(is_done);
        let done: FxHashSet<&ResourceId> = done.map(|slot| &self.graph.declared(slot).id).collect();
        let mut reversals = Vec::new();
        let mut faults = Vec::new();
        for (id, record) in undo {
            if wanted.contains(id) || done.contains(id) {
                continue;
            }
            if record.purges() && graph.left_out.iter().any(|left_out| left_out.may_be_any(&id.kind)) {
                continue;
            }
            match record.resource() {
                Ok(resource) => reversals.push(Arc::new(Resource { is_reversal: true, ..resource })),
                Err(error) => faults.push(format!("{id}: cannot be reversed: {error}")),
            }
        }
        for fault in faults {
            self.report_log(fault);
        }
        // Of what is purged, files are looked at before their directories.
        let is_purged = |resource: &Arc<Resource>| resource.meta.purge;
        let (purged, mut reversals): (Vec<_>, Vec<_>) = reversals.into_iter().partition(is_purged);
        reversals.extend(purged.into_iter().rev());
        reversals
    }

    /// Whether the existing state must be recorded before this resource changes it.
    pub(super) fn must_record(&self, resource: &Resource) -> bool {
        let can_be_undone = resource.meta.reverse && resource.kind.decl().traits.reversible;
        (can_be_undone || resource.meta.purge)
            && !resource.is_reversal
            && !resource.meta.hidden
            && !self.undo.has(&resource.id)
    }

    /// The undo record, from the findings.
    pub(super) fn record_undo(&mut self, slot: Slot, findings: &[Finding]) -> Result<state::Step, String> {
        let resource = self.graph.resource(slot);
        let mut meta = Meta { reverse: false, export: Vec::new(), ..Meta::clone(&resource.meta) };
        let params = if meta.purge {
            (meta.retry, meta.delay) = (PURGE_RETRIES, PURGE_DELAY_MS);
            absent(resource)?
        } else {
            resource.kind.reverse(&resource.want(), findings)?
        };
        let record = Record::of(&Resource { params, meta: Arc::new(meta), ..(**resource).clone() });
        let content = record.to_bytes();
        self.undo.record(resource.id.clone(), record)?;
        Ok(state::Step::Write { name: FILE.to_string(), content })
    }

    /// Drops the record of an earlier graph that would purge a resource which must now stay.
    pub(super) fn spare(&mut self, resource: &Resource) {
        if !resource.meta.purge && !resource.is_reversal {
            self.forget_purge(&resource.id);
        }
    }

    /// Records what the next graph leaves out for now; the reversals depend on it.
    pub(super) fn leave_out(&mut self, left_out: &[LeftOut]) {
        self.undo.leave_out(left_out);
        for left_out in left_out {
            if let LeftOut::Named { id, is_spared: true } = left_out {
                self.forget_purge(id);
            }
        }
    }

    fn forget_purge(&mut self, id: &ResourceId) {
        if self.undo.purges(id) {
            self.undo.forget(id);
            self.note(id.clone(), state::Step::Remove { name: FILE.to_string() });
        }
    }

    /// Called when a reversal leaves the graph: if it is finished, deletes its record.
    pub(super) fn end_reversal(&mut self, slot: Slot) {
        if !self.graph.declared(slot).is_reversal {
            return;
        }
        let id = self.graph.id(slot).clone();
        if self.conditions.is_clean(slot) {
            self.undo.forget(&id);
            self.note(id, state::Step::Remove { name: FILE.to_string() });
        } else {
            self.report_log(format!("{id}: the reversal was not completed"));
        }
    }
}

/// The fields of a resource that must not exist.
fn absent(resource: &Resource) -> Result<Params, String> {
    let decl = resource.kind.decl();
    // Without a value, its key is removed.
    if let Some(value) = decl.index_of("value").filter(|_| decl.name == "kv") {
        let mut params = resource.params.clone();
        params.clear(value);
        return Ok(params);
    }
    let state = decl.index_of("state").ok_or_else(|| format!("resources of kind `{}` cannot be purged", decl.name))?;
    let mut params = Params::default();
    params.set(state, "absent".into());
    Ok(params)
}

/// All records, or why some may be missing.
fn read(findings: Vec<Finding>) -> Result<BTreeMap<ResourceId, Record>, String> {
    let states = match findings.into_iter().next() {
        Some(Finding::State(state::Finding::All(states))) => states,
        Some(Finding::Failed(error)) => return Err(format!("cannot read the reversal records: {error}")),
        _ => return Err("cannot read the reversal records: no answer from the host".to_string()),
    };
    let mut records = BTreeMap::new();
    for bytes in states {
        let record = Record::read(&bytes).map_err(|error| format!("cannot read a reversal record: {error}"))?;
        records.insert(record.id(), record);
    }
    Ok(records)
}
