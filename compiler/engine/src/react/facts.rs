//! The facts that core functions read: their readers, their last values, and the subscriptions. Functions spec, 14.

use crate::corelib::{CallContext, CallState};
use crate::fgraph::VertexId;
use crate::gather::Boxed;
use crate::source::{self, MemoryWorld};
use crate::vocab::{Datum, FactSpec, HostError};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Id of a subscription; never reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FactId(pub u64);

/// A request to the host about facts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FactRequest {
    /// Start a subscription.
    Subscribe(FactId, FactSpec),
    /// End a subscription.
    Unsubscribe(FactId),
}

#[derive(Clone, Default)]
pub(super) struct Facts {
    ids: BTreeMap<FactSpec, FactId>,
    facts: Boxed<FactId, Fact>,
    n_ids: u64,
    /// Facts that got their first or lost their last reader since the last request.
    touched: BTreeSet<FactId>,
    /// The first facts reported in the latest epoch.
    latest: (u32, Vec<FactId>),
}

/// The maximum number of facts remembered as causes of a change.
const MOST_TOLD: usize = 8;

#[derive(Clone)]
struct Fact {
    spec: FactSpec,
    told: Option<Result<Datum, HostError>>,
    /// The epoch in which the host reported it.
    told_in: u32,
    readers: BTreeSet<VertexId>,
    subscribed: bool,
}

impl Facts {
    /// The vertices to evaluate again after this report. A fact without readers is dropped: its report was on the way.
    pub(super) fn tell(&mut self, id: FactId, told: Result<Datum, HostError>, epoch: u32) -> Vec<VertexId> {
        let Some(fact) = self.facts.get_mut(&id) else { return Vec::new() };
        if fact.told.as_ref() == Some(&told) {
            return Vec::new();
        }
        fact.told = Some(told);
        fact.told_in = epoch;
        if self.latest.0 != epoch {
            self.latest = (epoch, Vec::new());
        }
        if self.latest.1.len() < MOST_TOLD {
            self.latest.1.push(id);
        }
        fact.readers.iter().copied().collect()
    }

    fn read(&mut self, spec: &FactSpec, reader: VertexId) -> FactId {
        let id = match self.ids.get(spec) {
            Some(id) => *id,
            None => {
                self.n_ids += 1;
                let id = FactId(self.n_ids);
                self.ids.insert(spec.clone(), id);
                let fact =
                    Fact { spec: spec.clone(), told: None, told_in: 0, readers: BTreeSet::new(), subscribed: false };
                self.facts.insert(id, Box::new(fact));
                self.touched.insert(id);
                id
            }
        };
        if let Some(fact) = self.facts.get_mut(&id) {
            fact.readers.insert(reader);
        }
        id
    }

    /// Who reads a fact.
    pub(super) fn readers(&self, id: FactId) -> impl Iterator<Item = VertexId> + '_ {
        self.facts.get(&id).into_iter().flat_map(|fact| fact.readers.iter().copied())
    }

    /// A vertex reads a fact no longer.
    pub(super) fn leave(&mut self, id: FactId, reader: VertexId) {
        if let Some(fact) = self.facts.get_mut(&id) {
            fact.readers.remove(&reader);
            if fact.readers.is_empty() {
                self.touched.insert(id);
            }
        }
    }

    /// Changes since the last call. A fact that was left and used again in between stays subscribed.
    pub(super) fn requests(&mut self) -> Vec<FactRequest> {
        let mut requests = Vec::new();
        for id in std::mem::take(&mut self.touched) {
            let Some(fact) = self.facts.get_mut(&id) else { continue };
            if !fact.readers.is_empty() {
                if !fact.subscribed {
                    fact.subscribed = true;
                    requests.push(FactRequest::Subscribe(id, fact.spec.clone()));
                }
                continue;
            }
            if fact.subscribed {
                requests.push(FactRequest::Unsubscribe(id));
            }
            self.ids.remove(&fact.spec);
            self.facts.remove(&id);
        }
        requests
    }

    /// Facts that the host reported in this epoch.
    pub(super) fn told_in(&self, epoch: u32) -> impl Iterator<Item = &FactSpec> {
        let latest = (self.latest.0 == epoch).then_some(&self.latest.1);
        latest.into_iter().flatten().filter_map(|id| self.facts.get(id)).map(|fact| &fact.spec)
    }

    /// The fact, if the host reported it in this epoch.
    pub(super) fn told(&self, id: FactId, epoch: u32) -> Option<&FactSpec> {
        self.facts.get(&id).filter(|fact| fact.told_in == epoch && fact.told.is_some()).map(|fact| &fact.spec)
    }
}

/// The subscriptions of one vertex.
#[derive(Clone, Default)]
pub(super) struct Senses {
    pub(super) state: Option<CallState>,
    pub(super) facts: BTreeSet<FactId>,
    pub(super) wake: Option<u64>,
}

/// Access to facts for one evaluation of one vertex.
pub(super) struct View<'a> {
    pub(super) vertex: VertexId,
    pub(super) facts: &'a mut Facts,
    pub(super) files: &'a MemoryWorld,
    pub(super) now: u64,
    pub(super) n_nonces: &'a mut u64,
    pub(super) state: &'a mut Option<CallState>,
    /// The facts used by this evaluation.
    pub(super) asked: BTreeSet<FactId>,
    pub(super) wake: Option<u64>,
}

impl CallContext for View<'_> {
    fn fact(&mut self, spec: &FactSpec) -> Option<Result<Datum, HostError>> {
        let id = self.facts.read(spec, self.vertex);
        self.asked.insert(id);
        self.facts.facts.get(&id).and_then(|fact| fact.told.clone())
    }

    fn file(&mut self, path: &str) -> Option<Arc<[u8]>> {
        source::ProgramFiles::read(self.files, path)
    }

    fn dir(&mut self, path: &str) -> Option<Vec<String>> {
        let files = source::ProgramFiles::list(self.files, path);
        let exists = !files.is_empty() || path == "/";
        exists.then(|| files.iter().filter_map(|file| file.strip_prefix(path)).map(str::to_owned).collect())
    }

    fn nonce(&mut self) -> u64 {
        *self.n_nonces += 1;
        *self.n_nonces
    }

    fn now_ns(&self) -> u64 {
        self.now
    }

    fn wake_at_ns(&mut self, at: u64) {
        self.wake = Some(self.wake.map_or(at, |known| known.min(at)));
    }

    fn state(&mut self) -> &mut Option<CallState> {
        self.state
    }
}
