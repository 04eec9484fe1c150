//! [`Notes`]: writes to state files independent of checks, one at a time for each resource.

use crate::protocol::ResourceId;
use crate::vocab::state::Step;
use rustc_hash::FxHashMap;

/// For each resource with a write in flight, the writes that follow.
#[derive(Clone, Default)]
pub(crate) struct Notes {
    next: FxHashMap<ResourceId, Vec<Step>>,
}

impl Notes {
    /// A write to carry out now, unless it has to wait for another one.
    pub(crate) fn write(&mut self, id: &ResourceId, step: Step) -> Option<Vec<Step>> {
        match self.next.get_mut(id) {
            Some(next) => {
                // Of several writes to one file only the last matters.
                next.retain(|other| other.name() != step.name());
                next.push(step);
                None
            }
            None => {
                self.next.insert(id.clone(), Vec::new());
                Some(vec![step])
            }
        }
    }

    /// A write is over; returns the next ones.
    pub(crate) fn written(&mut self, id: &ResourceId) -> Option<Vec<Step>> {
        let next = std::mem::take(self.next.get_mut(id)?);
        if next.is_empty() {
            self.next.remove(id);
            return None;
        }
        Some(next)
    }

    /// Whether everything has been written.
    pub(crate) fn is_empty(&self) -> bool {
        self.next.is_empty()
    }
}
