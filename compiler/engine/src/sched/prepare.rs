//! Preparation of a new vertex before its first event: a record of what it will change, and the notifications left by
//! an earlier run. Then its watch is set up.

use super::state::{Flight, Slot, Watching};
use super::{Scheduler, notify};
use crate::protocol::Phase;
use crate::vocab::{Finding, HostErrorKind, Outcome, Probe, state};

impl Scheduler {
    /// Starts a vertex that joined the graph.
    pub(super) fn start(&mut self, slot: Slot) {
        if self.refuse_unrecorded(slot) {
            return;
        }
        let resource = self.graph.resource(slot).clone();
        self.spare(&resource);
        let mut probes = Vec::new();
        // Whatever is there, a purge removes it.
        if self.must_record(&resource) && !resource.meta.purge {
            match resource.kind.reverse_probes(&resource.want()) {
                Ok(asked) => probes.extend(asked),
                Err(error) => {
                    self.cannot_prepare(slot, error);
                    return;
                }
            }
        }
        if self.may_have_refresh(slot) {
            probes.push(Probe::State(state::Probe::Read { name: notify::FILE.to_string() }));
        }
        if probes.is_empty() && !self.must_record(&resource) {
            self.go_on(slot);
            return;
        }
        self.queue.begin_preparing(slot);
        self.outbox.probe(Flight::PrepareLook(slot), resource.id.clone(), probes);
    }

    fn may_have_refresh(&self, slot: Slot) -> bool {
        self.is_refreshable(slot) && self.edges.may_be_notified(slot)
    }

    pub(super) fn prepare_looked(&mut self, slot: Slot, mut findings: Vec<Finding>) {
        if self.may_have_refresh(slot) {
            self.restore_refresh(slot, findings.pop());
        }
        let resource = self.graph.resource(slot).clone();
        if !self.must_record(&resource) {
            self.prepared(slot);
            return;
        }
        match self.record_undo(slot, &findings) {
            Ok(step) => {
                self.outbox.apply(Flight::PrepareWrite(slot), resource.id.clone(), vec![step.into()]);
            }
            Err(error) => self.cannot_prepare(slot, error),
        }
    }

    /// Unreadable notifications count as all: one too many is harmless, one too few is not.
    fn restore_refresh(&mut self, slot: Slot, finding: Option<Finding>) {
        let pending = match finding {
            Some(Finding::State(state::Finding::Bytes(bytes))) => {
                serde_json::from_slice::<Vec<String>>(&bytes).map_err(|error| error.to_string())
            }
            Some(Finding::Failed(error)) if error.kind == HostErrorKind::NotFound => return,
            Some(Finding::Failed(error)) => Err(error.to_string()),
            _ => Err("the host did not answer".to_string()),
        };
        match pending {
            Ok(pending) => {
                let graph = &self.graph;
                self.edges.notify_again(slot, |from| pending.contains(&graph.id(from).to_string()));
            }
            Err(why) => {
                let id = self.graph.id(slot);
                self.report_log(format!(
                    "{id}: cannot read pending notifications, so all of them are delivered: {why}"
                ));
                self.edges.notify_again(slot, |_| true);
            }
        }
    }

    pub(super) fn prepare_wrote(&mut self, slot: Slot, outcomes: &[Outcome]) {
        match outcomes.last() {
            Some(Outcome::Failed(error)) => {
                self.undo.forget(self.graph.id(slot));
                self.cannot_prepare(slot, format!("cannot write the reversal record: {error}"));
            }
            Some(Outcome::Done | Outcome::Command(_)) | None => self.prepared(slot),
        }
    }

    fn prepared(&mut self, slot: Slot) {
        self.queue.end_preparing(slot);
        self.report_phase(slot, Phase::Waiting, String::new());
        self.go_on(slot);
    }

    fn go_on(&mut self, slot: Slot) {
        self.conditions.set_prepared(slot);
        if self.watches.watching(slot) == Watching::Off {
            self.start_watch(slot);
        } else {
            self.queue.want(slot);
            self.queue.enqueue(slot);
        }
    }

    /// Gives up for now: the next event of its watches triggers another attempt.
    fn cannot_prepare(&mut self, slot: Slot, error: String) {
        self.queue.end_preparing(slot);
        self.fail(slot, error);
        if self.watches.watching(slot) == Watching::Off {
            self.start_watch(slot);
        }
    }
}
