//! Publishing resources for other hosts, in the world's store. Engine spec, 15.
//!
//! A key is `exported/TARGET/HOST/KIND/NAME`, with `*` for all targets; the value is the resource
//! as a [`Record`].

use super::timers::Timer;
use super::vertex::Stage;
use super::{Flight, Record, Scheduler, Slot};
use crate::protocol::{Output, ResourceId};
use crate::vocab::{Datum, Finding, KeyStore, Outcome, Probe, Step, store};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// After so long, what could not be taken back is tried again. Units: milliseconds.
const AGAIN_MS: u64 = 10_000;

/// The keys that were published by this program, by who published them.
#[derive(Default)]
pub(super) struct Publications {
    keys: BTreeMap<ResourceId, BTreeSet<String>>,
    /// How many are being taken back.
    n_leaving: usize,
    /// Those that could not be taken back when it was tried last.
    stuck: BTreeSet<ResourceId>,
}

impl Publications {
    pub(super) fn is_busy(&self) -> bool {
        self.n_leaving > 0
    }

    /// Is anything published that should not be?
    pub(super) fn has_failed(&self) -> bool {
        !self.stuck.is_empty()
    }
}

impl Scheduler {
    /// Is there anything to publish that is not known to be published?
    pub(super) fn must_publish(&self, slot: Slot) -> bool {
        let vertex = self.vertex(slot);
        let exports = !vertex.resource.meta.export.is_empty() && !vertex.noop;
        exports && vertex.published.is_none_or_differs(|| encoded(&vertex.resource))
    }

    fn export_keys(&self, slot: Slot) -> Vec<String> {
        let resource = self.resource(slot);
        let targets: BTreeSet<&String> = resource.meta.export.iter().collect();
        let (host, id) = (&self.options.hostname, &resource.id);
        targets.iter().map(|target| format!("exported/{target}/{host}/{}/{}", id.kind, id.name)).collect()
    }

    /// First of all, what is published already?
    pub(super) fn publish_look(&mut self, slot: Slot) {
        let probes =
            self.export_keys(slot).into_iter().map(|key| Probe::Store(store::Probe { store: KeyStore::World, key }));
        let probes: Vec<Probe> = probes.collect();
        let id = self.resource(slot).id.clone();
        let ticket = self.new_ticket(Flight::Check(slot));
        let run = self.run_mut(slot);
        run.ticket = ticket;
        run.stage = Stage::ExportLook;
        self.outputs.push_back(Output::Probe(ticket, id, probes));
    }

    pub(super) fn publish_looked(&mut self, slot: Slot, findings: &[Finding]) {
        let resource = self.resource(slot).clone();
        let wanted = Datum::Bytes(encoded(&resource).to_vec());
        let mut steps = Vec::new();
        for (key, finding) in self.export_keys(slot).into_iter().zip(findings) {
            match finding {
                Finding::Store(store::Finding::Held(Some(held))) if *held == wanted => {}
                Finding::Failed(error) => {
                    self.end_run(slot, Err(format!("could not export: {error}")));
                    return;
                }
                _ => steps.push(Step::Store(store::Step { store: KeyStore::World, key, value: Some(wanted.clone()) })),
            }
        }
        if steps.is_empty() {
            self.published(slot);
            return;
        }
        let ticket = self.new_ticket(Flight::Check(slot));
        let run = self.run_mut(slot);
        run.ticket = ticket;
        run.stage = Stage::ExportWrite;
        run.export_changed = true;
        self.outputs.push_back(Output::Apply(ticket, resource.id.clone(), steps));
    }

    pub(super) fn publish_wrote(&mut self, slot: Slot, outcomes: &[Outcome]) {
        match outcomes.last() {
            Some(Outcome::Failed(error)) => self.end_run(slot, Err(format!("could not export: {error}"))),
            Some(Outcome::Done | Outcome::Command(_)) | None => self.published(slot),
        }
    }

    fn published(&mut self, slot: Slot) {
        let keys = self.export_keys(slot);
        let vertex = self.vertex_mut(slot);
        vertex.published = Some(encoded(&vertex.resource));
        let id = vertex.resource.id.clone();
        self.publications.keys.entry(id).or_default().extend(keys);
        self.check(slot);
    }

    /// Takes back what was published for identities that are no longer in the graph.
    pub(super) fn prune_exports(&mut self) {
        if self.publications.keys.is_empty() {
            return;
        }
        let stale: Vec<ResourceId> = {
            let exported = self.order.iter().map(|&slot| self.resource(slot));
            let exported: BTreeSet<&ResourceId> =
                exported.filter(|resource| !resource.meta.export.is_empty()).map(|resource| &resource.id).collect();
            self.publications.keys.keys().filter(|id| !exported.contains(id)).cloned().collect()
        };
        self.publications.stuck.retain(|id| stale.contains(id));
        for id in stale {
            let keys = self.publications.keys.remove(&id).unwrap_or_default();
            let remove =
                |key: &String| Step::Store(store::Step { store: KeyStore::World, key: key.clone(), value: None });
            let steps = keys.iter().map(remove).collect();
            let ticket = self.new_ticket(Flight::Prune(id.clone(), keys));
            self.publications.n_leaving += 1;
            self.outputs.push_back(Output::Apply(ticket, id, steps));
        }
    }

    /// What was published is taken back, or stays to be taken back later.
    pub(super) fn pruned(&mut self, id: ResourceId, keys: BTreeSet<String>, outcomes: &[Outcome]) {
        self.publications.n_leaving -= 1;
        match outcomes.last() {
            Some(Outcome::Failed(error)) => {
                self.report_log(format!("{id}: what it exported could not be taken back: {error}"));
                self.publications.keys.entry(id.clone()).or_default().extend(keys);
                self.publications.stuck.insert(id);
                if !self.timers.any(|timer| *timer == Timer::Prune) {
                    self.timers.arm(self.now.plus_ms(AGAIN_MS), Timer::Prune);
                }
            }
            Some(Outcome::Done | Outcome::Command(_)) | None => drop(self.publications.stuck.remove(&id)),
        }
    }
}

/// What is published: the resource itself, visible and not to be published again by who collects it.
fn encoded(resource: &crate::rgraph::Resource) -> Arc<[u8]> {
    Record::of(resource).to_bytes().into()
}

trait Published {
    fn is_none_or_differs(&self, now: impl FnOnce() -> Arc<[u8]>) -> bool;
}

impl Published for Option<Arc<[u8]>> {
    fn is_none_or_differs(&self, now: impl FnOnce() -> Arc<[u8]>) -> bool {
        self.as_ref().is_none_or(|before| *before != now())
    }
}
