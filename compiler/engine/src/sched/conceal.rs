//! Removes secrets from reports: marked fields, values received from a sender of secrets, values that the host calls secrets,
//! and the same texts wherever else they appear: a program may read a sent secret again, from a store or a file.

use super::Scheduler;
use super::state::Slot;
use crate::diag::Diagnostic;
use crate::kinds::secrets;
use crate::rgraph::Resource;
use crate::value::quote;
use mclive_base::excerpt::start_of_excerpt;
use mclive_base::vocab::password::Secret;

/// The maximum number of secrets of resources that are looked for. Those that the host declares are limited by the
/// host: what it calls a secret must never be shown.
const MOST: usize = 1_000;
/// The shortest beginning of a secret that is hidden where a text was cut.
const SHORTEST_CUT: usize = 4;

/// The secrets of this run so far.
#[derive(Clone, Default)]
pub(super) struct KnownSecrets {
    /// The longest first.
    all: Vec<String>,
    /// How many of them are of resources.
    n_of_resources: usize,
}

impl KnownSecrets {
    fn learn(&mut self, secrets: &[String]) {
        for secret in secrets {
            if self.n_of_resources < MOST && self.add(secret) {
                self.n_of_resources += 1;
            }
        }
    }

    /// `false`: it is known already, or too short.
    fn add(&mut self, secret: &str) -> bool {
        let first = self.all.partition_point(|known| known.len() > secret.len());
        let end = self.all.partition_point(|known| known.len() >= secret.len());
        if secret.len() < Secret::SHORTEST_HIDDEN || self.all[first..end].iter().any(|known| known == secret) {
            return false;
        }
        self.all.insert(end, secret.to_owned());
        true
    }
}

impl Scheduler {
    /// The secret texts of a vertex and its group members.
    pub(super) fn secrets(&mut self, slot: Slot) -> Vec<String> {
        let own = of(self.graph.resource(slot));
        self.known_secrets.learn(&own);
        own
    }

    /// Hides a text that the program reads from now on, also where a message has it in quotes.
    pub(crate) fn learn_secret(&mut self, secret: &str) {
        self.known_secrets.add(secret);
        let quoted = quote(secret.as_bytes());
        self.known_secrets.add(&quoted[1..quoted.len() - 1]);
    }

    /// Whether a field of the vertex contains a secret of another one, or one that the program has read.
    pub(super) fn holds_secret_of_other(&self, slot: Slot) -> bool {
        fn holds(resource: &Resource, known: &[String]) -> bool {
            secrets::contains(&resource.want(), known) || resource.children.iter().any(|child| holds(child, known))
        }
        let known = &self.known_secrets.all;
        !known.is_empty() && holds(self.graph.resource(slot), known)
    }

    /// Whether a text contains a secret of this run.
    pub(super) fn tells_secret(&self, text: &str) -> bool {
        self.known_secrets.all.iter().any(|known| text.contains(known.as_str()))
    }

    /// A text without the secrets of this run.
    pub(crate) fn conceal(&self, text: String) -> String {
        secrets::without(text, &self.known_secrets.all)
    }

    /// Removes the secrets of this run from what a diagnostic says about values.
    pub(crate) fn conceal_in(&self, diag: &mut Diagnostic) {
        if self.known_secrets.all.is_empty() {
            return;
        }
        let labels = diag.primary.iter_mut().chain(&mut diag.secondary).map(|label| &mut label.text);
        let lines = diag.notes.iter_mut().chain(&mut diag.help);
        for text in std::iter::once(&mut diag.message).chain(labels).chain(lines) {
            // The longest one first: its lines may be secrets, too.
            *text = self.conceal(self.without_cut(std::mem::take(text)));
        }
    }

    /// A text without the beginning of a secret at its end, if it is an excerpt that ends within one.
    fn without_cut(&self, text: String) -> String {
        let Some(start) = start_of_excerpt(&text) else { return text };
        let cut = |known: &String| {
            let mut lengths = (SHORTEST_CUT..known.len().min(start.len() + 1)).rev();
            lengths.find(|n| known.get(..*n).is_some_and(|cut| start.ends_with(cut)))
        };
        match self.known_secrets.all.iter().filter_map(cut).max() {
            Some(n) => format!("{}{}{}", &start[..start.len() - n], secrets::SHOWN, &text[start.len()..]),
            None => text,
        }
    }
}

fn of(resource: &Resource) -> Vec<String> {
    let own = secrets::of(&resource.want(), |field| resource.receives_secret(field));
    own.into_iter().chain(resource.children.iter().flat_map(|child| of(child))).collect()
}
