//! Removes secrets from reports: marked fields, values received from a sender of secrets, values that the host calls secrets,
//! and the same texts wherever else they appear: a program may read a sent secret again, from a store or a file.

use super::Scheduler;
use super::state::Slot;
use crate::diag::Diagnostic;
use crate::kinds::{lookup, secrets};
use crate::rgraph::Resource;

/// A shorter text says too little to look for it everywhere.
const SHORTEST: usize = 8;
/// The most secrets of a run that are looked for.
const MOST: usize = 1_000;

/// The secrets that the resources of this run had so far, the longest first.
#[derive(Clone, Default)]
pub(super) struct KnownSecrets(Vec<String>);

impl KnownSecrets {
    fn learn(&mut self, secrets: &[String]) {
        for secret in secrets {
            if secret.len() >= SHORTEST && self.0.len() < MOST && !self.0.contains(secret) {
                let at = self.0.partition_point(|known| known.len() >= secret.len());
                self.0.insert(at, secret.clone());
            }
        }
    }
}

impl Scheduler {
    /// The secret texts of a vertex and its group members.
    pub(super) fn secrets(&mut self, slot: Slot) -> Vec<String> {
        let own = of(self.graph.resource(slot));
        self.known_secrets.learn(&own);
        own
    }

    /// Hides a text that the program reads from now on.
    pub(crate) fn learn_secret(&mut self, secret: String) {
        self.known_secrets.learn(&[secret]);
    }

    /// Whether a field of the vertex contains a secret of another one, or one that the program has read.
    pub(super) fn holds_secret_of_other(&self, slot: Slot) -> bool {
        fn holds(resource: &Resource, known: &[String]) -> bool {
            secrets::contains(&resource.want(), known) || resource.children.iter().any(|child| holds(child, known))
        }
        let known = &self.known_secrets.0;
        !known.is_empty() && holds(self.graph.resource(slot), known)
    }

    /// A text without the secrets of this run.
    pub(crate) fn conceal(&self, text: String) -> String {
        secrets::without(text, &self.known_secrets.0)
    }

    /// Removes the secrets of this run from what a diagnostic says about values.
    pub(crate) fn conceal_in(&self, diag: &mut Diagnostic) {
        if self.known_secrets.0.is_empty() {
            return;
        }
        let labels = diag.primary.iter_mut().chain(&mut diag.secondary).map(|label| &mut label.text);
        let lines = diag.notes.iter_mut().chain(&mut diag.help);
        for text in std::iter::once(&mut diag.message).chain(labels).chain(lines) {
            *text = self.conceal(std::mem::take(text));
        }
    }
}

fn of(resource: &Resource) -> Vec<String> {
    let is_sent_secretly = |field: usize| {
        let senders = resource.receives.iter().filter(|wire| wire.field == field).map(|wire| &wire.from.kind);
        senders.filter_map(|kind| lookup(kind)).any(|kind| kind.decl().traits.sends_secrets)
    };
    let own = secrets::of(&resource.want(), is_sent_secretly);
    own.into_iter().chain(resource.children.iter().flat_map(|child| of(child))).collect()
}
