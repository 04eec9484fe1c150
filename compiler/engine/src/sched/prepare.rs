//! What a new vertex needs before its first event: a record of what it will change, and the
//! notifications that an earlier run left. Then its watch is made.

use super::{Busy, Flight, Scheduler, Slot, Watching, notify};
use crate::protocol::{Output, Phase};
use crate::vocab::{Finding, HostErrorKind, Outcome, Probe, state};

impl Scheduler {
    /// Starts a vertex that has joined the graph.
    pub(super) fn start(&mut self, slot: Slot) {
        if self.refuse_unrecorded(slot) {
            return;
        }
        let resource = self.resource(slot).clone();
        let mut probes = Vec::new();
        if self.must_record(&resource) {
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
        let ticket = self.new_ticket(Flight::PrepareLook(slot));
        self.vertex_mut(slot).busy = Busy::Preparing;
        self.begin_running();
        self.outputs.push_back(Output::Probe(ticket, resource.id.clone(), probes));
    }

    fn may_have_refresh(&self, slot: Slot) -> bool {
        let vertex = self.vertex(slot);
        let refreshable = vertex.resource.kind.decl().traits.refreshable;
        refreshable && !vertex.noop && vertex.edges_in.iter().any(|&edge| self.edges[edge].notify)
    }

    pub(super) fn prepare_looked(&mut self, slot: Slot, mut findings: Vec<Finding>) {
        if self.may_have_refresh(slot) {
            self.restore_refresh(slot, findings.pop());
        }
        let resource = self.resource(slot).clone();
        if !self.must_record(&resource) {
            self.prepared(slot);
            return;
        }
        match self.record_undo(slot, &findings) {
            Ok(step) => {
                let ticket = self.new_ticket(Flight::PrepareWrite(slot));
                self.outputs.push_back(Output::Apply(ticket, resource.id.clone(), vec![step.into()]));
            }
            Err(error) => self.cannot_prepare(slot, error),
        }
    }

    /// Those that cannot be read may be any: a notification too many does no harm, one too few does.
    fn restore_refresh(&mut self, slot: Slot, finding: Option<Finding>) {
        let pending = match finding {
            Some(Finding::State(state::Finding::Bytes(bytes))) => {
                serde_json::from_slice::<Vec<String>>(&bytes).map_err(|error| error.to_string())
            }
            Some(Finding::Failed(error)) if error.kind == HostErrorKind::NotFound => return,
            Some(Finding::Failed(error)) => Err(error.to_string()),
            _ => Err("the host did not answer".to_string()),
        };
        let pending = pending.map_err(|why| {
            let id = self.resource(slot).id.clone();
            self.report_log(format!("{id}: its pending notifications cannot be read, so all are delivered: {why}"));
        });
        for index in 0..self.vertex(slot).edges_in.len() {
            let edge = self.vertex(slot).edges_in[index];
            let from = self.resource(self.edges[edge].from).id.to_string();
            if self.edges[edge].notify && pending.as_ref().map_or(true, |pending| pending.contains(&from)) {
                self.edges[edge].refresh = true;
            }
        }
    }

    pub(super) fn prepare_wrote(&mut self, slot: Slot, outcomes: &[Outcome]) {
        match outcomes.last() {
            Some(Outcome::Failed(error)) => {
                let id = self.resource(slot).id.clone();
                self.undo.forget(&id);
                self.cannot_prepare(slot, format!("could not write down what there is to undo: {error}"));
            }
            Some(Outcome::Done | Outcome::Command(_)) | None => self.prepared(slot),
        }
    }

    fn prepared(&mut self, slot: Slot) {
        self.vertex_mut(slot).busy = Busy::Idle;
        self.end_running();
        self.report_phase(slot, Phase::Waiting, String::new);
        self.go_on(slot);
    }

    fn go_on(&mut self, slot: Slot) {
        let vertex = self.vertex_mut(slot);
        vertex.is_prepared = true;
        if vertex.watching == Watching::Off {
            self.start_watch(slot);
        } else {
            vertex.want = true;
            self.enqueue(slot);
        }
    }

    /// It is given up for now: the next event at what it watches makes it try again.
    fn cannot_prepare(&mut self, slot: Slot, error: String) {
        let vertex = self.vertex_mut(slot);
        if matches!(std::mem::replace(&mut vertex.busy, Busy::Idle), Busy::Preparing) {
            self.end_running();
        }
        self.fail(slot, error);
        if self.vertex(slot).watching == Watching::Off {
            self.start_watch(slot);
        }
    }
}
