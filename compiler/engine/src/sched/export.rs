//! Publishing resources for other hosts, in the world's store. Engine spec, 15.
//!
//! Keys are `exported/TARGET/HOST/KIND/NAME`, with `*` for all targets; values are resources as [`Record`]s. Secrets stand
//! after the record (`vocab::export`): the host seals them for the target before it stores them.

use super::state::{Flight, Slot, Stage, Timer};
use super::{Record, Scheduler};
use crate::gather;
use crate::protocol::ResourceId;
use crate::vocab::{Datum, Finding, KeyStore, Outcome, Probe, Step, store};
use std::collections::{BTreeMap, BTreeSet};

/// The delay before a failed removal is retried. Units: milliseconds.
const AGAIN_MS: u64 = 10_000;

impl Scheduler {
    /// Whether there is something to publish that is not known to be published.
    pub(super) fn must_publish(&self, slot: Slot) -> bool {
        let resource = self.graph.resource(slot);
        let exports = !resource.meta.export.is_empty() && !self.is_dry(slot);
        let is_published = |last: &[u8]| Record::exported(resource).is_ok_and(|wanted| *last == *wanted);
        exports && !self.publications.last(slot).is_some_and(is_published)
    }

    fn export_keys(&self, slot: Slot) -> Vec<String> {
        let resource = self.graph.resource(slot);
        let targets: BTreeSet<&str> = gather::set(resource.meta.export.iter().map(String::as_str));
        let (host, id) = (&self.options.hostname, &resource.id);
        targets.iter().map(|target| format!("exported/{target}/{host}/{}/{}", id.kind, id.name)).collect()
    }

    /// Looks up what is published already.
    pub(super) fn publish_look(&mut self, slot: Slot) {
        let keys = self.export_keys(slot).into_iter();
        let probes: Vec<Probe> = keys.map(|key| Probe::Store(store::Probe { store: KeyStore::World, key })).collect();
        let run = self.queue.run_mut(slot);
        run.publish(Stage::ExportLook, probes.len());
        run.await_answer(self.outbox.probe(Flight::Check(slot), self.graph.id(slot).clone(), probes));
    }

    pub(super) fn publish_looked(&mut self, slot: Slot, findings: &[Finding]) {
        if !self.queue.run(slot).is_answered(findings.len()) {
            self.end_check(slot, Err(unanswered()));
            return;
        }
        let resource = self.graph.resource(slot).clone();
        // A secret may have been sent since the graph was made.
        let wanted = match Record::exported(&resource) {
            Ok(wanted) => Datum::Bytes(wanted),
            Err(unsealable) => {
                self.end_check(slot, Err(format!("could not export: {unsealable}")));
                return;
            }
        };
        let mut steps = Vec::new();
        for (key, finding) in self.export_keys(slot).into_iter().zip(findings) {
            match finding {
                Finding::Store(store::Finding::Held(Some(held))) if *held == wanted => {}
                Finding::Failed(error) => {
                    self.end_check(slot, Err(format!("could not export: {error}")));
                    return;
                }
                _ => steps.push(Step::Store(store::Step { store: KeyStore::World, key, value: Some(wanted.clone()) })),
            }
        }
        if steps.is_empty() {
            self.published(slot);
            return;
        }
        self.publications.publishing(resource.id.clone(), self.export_keys(slot));
        let run = self.queue.run_mut(slot);
        run.publish(Stage::ExportWrite, steps.len());
        run.await_answer(self.outbox.apply(Flight::Check(slot), resource.id.clone(), steps));
    }

    pub(super) fn publish_wrote(&mut self, slot: Slot, outcomes: &[Outcome]) {
        match outcomes.last() {
            Some(Outcome::Failed(error)) => self.end_check(slot, Err(format!("could not export: {error}"))),
            _ if !self.queue.run(slot).is_answered(outcomes.len()) => self.end_check(slot, Err(unanswered())),
            Some(Outcome::Done | Outcome::Command(_)) | None => self.published(slot),
        }
    }

    fn published(&mut self, slot: Slot) {
        let keys = self.export_keys(slot);
        let resource = self.graph.resource(slot);
        if let Ok(content) = Record::exported(resource) {
            self.publications.published(slot, resource.id.clone(), keys, content.into());
        }
        self.check(slot);
    }

    /// Removes the publications of resources that are no longer in the graph, or are for other hosts now.
    pub(super) fn prune_exports(&mut self) {
        if self.publications.is_empty() {
            return;
        }
        let mut exported: BTreeMap<ResourceId, BTreeSet<String>> = BTreeMap::new();
        for &slot in self.graph.order() {
            if !self.graph.resource(slot).meta.export.is_empty() {
                exported.entry(self.graph.id(slot).clone()).or_default().extend(self.export_keys(slot));
            }
        }
        for (id, keys) in self.publications.take_stale(&exported) {
            let remove = |key: String| Step::Store(store::Step { store: KeyStore::World, key, value: None });
            let steps = keys.iter().cloned().map(remove).collect();
            self.outbox.apply(Flight::Prune(id.clone(), keys), id, steps);
        }
    }

    /// The publications were removed, or remain to be removed later.
    pub(super) fn pruned(&mut self, id: ResourceId, keys: BTreeSet<String>, outcomes: &[Outcome]) {
        match outcomes.last() {
            Some(Outcome::Failed(error)) => {
                self.report_log(format!("{id}: cannot withdraw its exports: {error}"));
                self.publications.stay(id, keys);
                if !self.clock.any(|timer| *timer == Timer::Prune) {
                    self.clock.arm_in(AGAIN_MS, Timer::Prune);
                }
            }
            Some(Outcome::Done | Outcome::Command(_)) | None => self.publications.taken_back(&id),
        }
    }
}

fn unanswered() -> String {
    "could not export: no answer from the host".to_string()
}
