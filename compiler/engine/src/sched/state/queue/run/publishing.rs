//! Publishing what a resource exports, as a part of its check.

use super::{Run, Stage};
use crate::vocab::Outcome;

impl Run {
    /// It looks up the publication, with this many requests.
    pub(crate) fn look_up_export(&mut self, n_requests: usize) {
        (self.stage, self.n_expected) = (Stage::ExportLook, n_requests);
    }

    /// It writes the publication under these keys.
    pub(crate) fn export(&mut self, keys: Vec<String>) {
        (self.stage, self.n_expected) = (Stage::ExportWrite, keys.len());
        self.exporting = keys;
    }

    /// The outcomes of writing the publication.
    pub(crate) fn exported(&mut self, outcomes: &[Outcome]) {
        self.export_changed |= outcomes.iter().any(|outcome| !matches!(outcome, Outcome::Failed(_)));
    }

    /// These keys hold something else than the publication.
    pub(crate) fn supersede(&mut self, keys: Vec<String>) {
        self.superseded = keys;
    }

    /// The host could not seal the publication for the last of this many keys. Returns that key if it holds something
    /// else, which it then does no longer, and the keys that were not tried.
    pub(crate) fn cannot_seal(&mut self, n_tried: usize, why: String) -> (Option<String>, Vec<String>) {
        self.unsealed.get_or_insert(why);
        let untried = self.exporting.split_off(n_tried.min(self.exporting.len()));
        let refused = self.exporting.last();
        let earlier = self.superseded.iter().position(|key| Some(key) == refused);
        (earlier.map(|at| self.superseded.swap_remove(at)), untried)
    }

    /// Why the host could not seal the secrets of the publication.
    pub(crate) fn unsealed(&self) -> Option<&str> {
        self.unsealed.as_deref()
    }
}
