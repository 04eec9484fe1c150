//! Publishing resources for other hosts, in the world's store. Engine spec, 15.
//!
//! Keys are `exported/TARGET/HOST/KIND/NAME`, with `*` for all targets; values are resources as [`Record`]s. Secrets
//! follow the record (`vocab::export`): the host seals them for the target before it stores them. If they cannot be
//! sealed, a resource that is not hidden is applied to this host anyway: only its export is missing, which is logged.
//! What it exported before is withdrawn, so that no receiver takes it for the present content.

use super::state::{Flight, Published, Slot, Timer};
use super::{Record, Scheduler};
use crate::gather;
use crate::protocol::ResourceId;
use crate::rgraph::Unsealable;
use crate::vocab::{Datum, Finding, HostErrorKind, KeyStore, Outcome, Probe, Step, store};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The delay before a failed removal is retried. Units: milliseconds.
const AGAIN_MS: u64 = 10_000;

impl Scheduler {
    /// Whether there is something to publish that is not known to be published.
    pub(super) fn must_publish(&self, slot: Slot) -> bool {
        let resource = self.graph.resource(slot);
        let exports = !resource.meta.export.is_empty() && !self.is_dry(slot);
        let is_other = |last: &Published| *last != Record::exported(resource).map(Arc::<[u8]>::from);
        exports && self.publications.last(slot).is_none_or(is_other)
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
        run.look_up_export(probes.len());
        run.await_answer(self.outbox.probe(Flight::Check(slot), self.graph.id(slot).clone(), probes));
    }

    pub(super) fn publish_looked(&mut self, slot: Slot, findings: &[Finding]) {
        if !self.queue.run(slot).is_answered(findings.len()) {
            self.end_check(slot, Err(unanswered()));
            return;
        }
        // A secret may have been sent since the graph was made.
        let wanted = match Record::exported(self.graph.resource(slot)) {
            Ok(wanted) => Datum::Bytes(wanted),
            Err(unsealable) => {
                self.withdraw(slot, findings, unsealable);
                return;
            }
        };
        let (mut stale, mut superseded) = (Vec::new(), Vec::new());
        for (key, finding) in self.export_keys(slot).into_iter().zip(findings) {
            match finding {
                Finding::Store(store::Finding::Held(Some(held))) if *held == wanted => {}
                Finding::Failed(error) => {
                    self.end_check(slot, Err(format!("could not export: {error}")));
                    return;
                }
                Finding::Store(store::Finding::Held(Some(_))) => {
                    superseded.push(key.clone());
                    stale.push(key);
                }
                _ => stale.push(key),
            }
        }
        if stale.is_empty() {
            self.published(slot);
            return;
        }
        let (id, keys) = (self.graph.id(slot).clone(), self.export_keys(slot));
        self.publications.publishing(id, keys);
        self.queue.run_mut(slot).supersede(superseded);
        self.publish_write(slot, None, stale, &wanted);
    }

    /// Writes the publication under these keys. `withdrawn`: one for which it cannot be sealed. It is written again after
    /// its removal, with which a host forgets that it waits for what it needs to seal it.
    fn publish_write(&mut self, slot: Slot, withdrawn: Option<String>, keys: Vec<String>, wanted: &Datum) {
        let removed = withdrawn.clone().map(|key| (key, None));
        let written = withdrawn.into_iter().chain(keys).map(|key| (key, Some(wanted.clone())));
        self.publish_change(slot, removed.into_iter().chain(written).collect());
    }

    fn publish_change(&mut self, slot: Slot, changes: Vec<(String, Option<Datum>)>) {
        let keys = changes.iter().map(|(key, _)| key.clone()).collect();
        let step = |(key, value)| Step::Store(store::Step { store: KeyStore::World, key, value });
        let steps = changes.into_iter().map(step).collect();
        let run = self.queue.run_mut(slot);
        run.export(keys);
        run.await_answer(self.outbox.apply(Flight::Check(slot), self.graph.id(slot).clone(), steps));
    }

    /// Removes what was published before by a resource whose secrets cannot be sealed for anybody.
    fn withdraw(&mut self, slot: Slot, findings: &[Finding], unsealable: Unsealable) {
        let mut changes = Vec::new();
        for (key, finding) in self.export_keys(slot).into_iter().zip(findings) {
            match finding {
                Finding::Store(store::Finding::Held(Some(_))) => changes.push((key, None)),
                Finding::Failed(error) => {
                    self.end_check(slot, Err(format!("could not export: {error}")));
                    return;
                }
                _ => {}
            }
        }
        if changes.is_empty() {
            self.go_on_unexported(slot, Err(unsealable), &unsealable.to_string());
        } else {
            self.publish_change(slot, changes);
        }
    }

    pub(super) fn publish_wrote(&mut self, slot: Slot, outcomes: &[Outcome]) {
        self.queue.run_mut(slot).exported(outcomes);
        match outcomes.last() {
            Some(Outcome::Failed(error)) if error.kind == HostErrorKind::Refused => {
                let (earlier, others) = self.queue.run_mut(slot).cannot_seal(outcomes.len(), error.to_string());
                match Record::exported(self.graph.resource(slot)) {
                    Ok(wanted) if earlier.is_some() || !others.is_empty() => {
                        self.publish_write(slot, earlier, others, &Datum::Bytes(wanted));
                    }
                    Ok(_) | Err(_) => self.published(slot),
                }
            }
            Some(Outcome::Failed(error)) => self.end_check(slot, Err(format!("could not export: {error}"))),
            _ if !self.queue.run(slot).is_answered(outcomes.len()) => self.end_check(slot, Err(unanswered())),
            Some(Outcome::Done | Outcome::Command(_)) | None => self.published(slot),
        }
    }

    fn published(&mut self, slot: Slot) {
        let content: Published = Record::exported(self.graph.resource(slot)).map(Arc::from);
        let unsealable = content.as_ref().err().map(ToString::to_string);
        match self.queue.run(slot).unsealed().map(str::to_owned).or(unsealable) {
            // A host that cannot seal it writes it once it can.
            Some(why) => self.go_on_unexported(slot, content, &why),
            None => {
                let (id, keys) = (self.graph.id(slot).clone(), self.export_keys(slot));
                self.publications.published(slot, id, keys, content);
                self.check(slot);
            }
        }
    }

    /// Its secrets cannot be sealed. What else it is for does not depend on that.
    fn go_on_unexported(&mut self, slot: Slot, content: Published, why: &str) {
        let (id, why) = (self.graph.id(slot).clone(), format!("could not export: {why}"));
        if self.graph.resource(slot).meta.hidden {
            self.end_check(slot, Err(why));
            return;
        }
        self.report_log(format!("{id}: {why}"));
        let keys = self.export_keys(slot);
        self.publications.published(slot, id, keys, content);
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
