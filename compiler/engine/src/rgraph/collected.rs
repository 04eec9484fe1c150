//! [`Collected`]: which exported resources come into the graph if there are several of one name. World spec, 15.
//!
//! Another host must not stop a program, so contradictory resources are left out with a warning. A resource of the
//! program itself takes precedence over exported ones of its name. If several hosts export a resource differently, all
//! of these are left out; one that was in the graph before is not updated. The same applies to resources with different
//! names that decide differently about one thing. Edges of resources that are left out are left out as well.

use super::decisions::{Receivers, outvoted};
use super::duplicates::{different, together};
use super::exported::LeftOut;
use super::make::{EdgeWish, Made};
use super::{Changed, Meta, Resource};
use crate::diag::{Diagnostic, Stage, codes};
use crate::protocol::ResourceId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The maximum number of warnings that wait to be reported: anyone who can write to the store can invent any number of
/// resources.
const MOST_WARNINGS: usize = 32;

/// What a running program has collected.
#[derive(Clone, Default)]
pub(super) struct Collected {
    /// The name of this host.
    hostname: String,
    /// The exported resources in the last graph.
    before: BTreeMap<ResourceId, Arc<Resource>>,
    /// The warnings of the last graph.
    said: BTreeSet<String>,
    /// Those that are not reported yet.
    warnings: Vec<Diagnostic>,
}

/// The exported resources that do not count.
#[derive(Default)]
pub(super) struct Settled {
    warnings: Vec<Diagnostic>,
    /// The names that are left out, with the first reason. The graph may have another resource of such a name.
    left_out: BTreeMap<ResourceId, String>,
    n_edges: usize,
}

impl Settled {
    pub(super) fn has_warnings(&self) -> bool {
        !self.warnings.is_empty()
    }

    /// Adds warnings about other resources.
    pub(super) fn warn(&mut self, warnings: Vec<Diagnostic>) {
        self.warnings.extend(warnings);
    }

    /// Whether an edge is left out, with a warning: one of its resources is left out, and no other has its name.
    pub(super) fn leaves_out(&mut self, edge: &EdgeWish, is_there: impl Fn(&ResourceId) -> bool) -> bool {
        if self.left_out.is_empty() {
            return false;
        }
        let mut ends = [(&edge.from, edge.ends[0]), (&edge.to, edge.ends[1])].into_iter();
        let reason = |id: &ResourceId| self.left_out.get(id).filter(|_| !is_there(id));
        let Some((reason, place)) = ends.find_map(|(id, place)| Some((reason(id)?, place))) else { return false };
        let message = format!("edge `{} -> {}` is left out: {reason}", edge.from, edge.to);
        self.n_edges += 1;
        // An edge between two lists is many.
        if self.n_edges <= MOST_WARNINGS {
            let warning = Diagnostic::warning(codes::BAD_COLLECT, Stage::Interpret, message);
            self.warnings.push(warning.at(place, if place == edge.span { "this edge" } else { "this end" }));
        }
        true
    }
}

/// A visible exported resource.
struct Candidate {
    place: Position,
    host: Arc<str>,
    resource: Arc<Resource>,
}

/// A statement, and one of its resources.
type Position = (usize, usize);

/// Replacements of resources; `None` removes one.
#[derive(Default)]
struct Changes {
    places: BTreeMap<Position, Option<Arc<Resource>>>,
    /// The resources that were removed completely.
    gone: BTreeSet<ResourceId>,
}

impl Collected {
    pub(super) fn on(hostname: &str) -> Collected {
        Collected { hostname: hostname.to_owned(), ..Collected::default() }
    }

    /// Takes out of the statements what does not count. [`Collected::tell`] the result when the edges are known.
    ///
    /// Cost: one pass over the statements, and over their resources if some of them are exported ones.
    pub(super) fn settle(&mut self, made: &mut [Arc<Made>]) -> Settled {
        let mut settled = Settled::default();
        let mut now = BTreeMap::new();
        if made.iter().any(|made| !made.exporters.is_empty() || !made.left_out.is_empty()) {
            for LeftOut { id, warning } in made.iter().flat_map(|made| &made.left_out) {
                settled.left_out.entry(id.clone()).or_insert_with(|| warning.message.clone());
                settled.warnings.push(warning.clone());
            }
            let entries = entries(made);
            let own = own(made, &entries);
            let mut changes = Changes::default();
            for (id, entries) in &entries {
                match own.get(id) {
                    Some(own) => self.beside(own, entries, &mut changes, &mut settled.warnings),
                    None => {
                        if let Some(resource) = self.among(id, entries, &mut changes, &mut settled) {
                            now.insert(id.clone(), resource);
                        }
                    }
                }
            }
            self.between(made, &entries, &mut now, &mut changes, &mut settled);
            changes.apply(made);
        }
        self.before = now;
        settled
    }

    /// A few resources became others, without a new graph.
    pub(super) fn exchange(&mut self, changes: &[Changed]) {
        for changed in changes {
            if let Some(before) = self.before.get_mut(&changed.now.id) {
                *before = changed.now.clone();
            }
        }
    }

    /// The warnings since the last call; a persistent one is reported once.
    pub(super) fn take_warnings(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.warnings)
    }

    /// Keeps the warnings until they are taken, except those that have been told before.
    pub(super) fn tell(&mut self, settled: Settled) {
        let before = std::mem::take(&mut self.said);
        for warning in settled.warnings {
            let is_new = self.said.insert(warning.message.clone()) && !before.contains(&warning.message);
            if is_new && self.warnings.len() < MOST_WARNINGS {
                self.warnings.push(warning);
            }
        }
    }

    /// Exported resources that have the name of one of the program. What this host exports follows its program a moment
    /// later, so it may differ.
    fn beside(
        &self,
        own: &Arc<Resource>,
        entries: &[Candidate],
        changes: &mut Changes,
        warnings: &mut Vec<Diagnostic>,
    ) {
        // Where it is exported to makes no difference.
        let meta = Arc::new(Meta { export: Vec::new(), ..Meta::clone(&own.meta) });
        let plain = Arc::new(Resource { meta, ..(**own).clone() });
        for Candidate { place, host, resource } in entries {
            let verdict = together(&plain, resource);
            if let Err(reason) = &verdict
                && **host != *self.hostname
            {
                let how = different(&plain, reason);
                let message = format!(
                    "exported resource `{}` of host `{host}` is left out: the program defines it {how}",
                    own.id
                );
                warnings.push(warning(message, resource));
            }
            if verdict.is_err() || !own.kind.decl().traits.compatible {
                changes.places.insert(*place, None);
            }
        }
    }

    /// Exported resources of one name. The one that counts.
    fn among(
        &self,
        id: &ResourceId,
        entries: &[Candidate],
        changes: &mut Changes,
        settled: &mut Settled,
    ) -> Option<Arc<Resource>> {
        let mut counted: Vec<&Candidate> = Vec::new();
        for entry in entries {
            // A host writes what it exports to all and to this host one after the other. The latter comes last.
            let is_earlier = |known: &&Candidate| {
                known.place.0 == entry.place.0
                    && known.host == entry.host
                    && together(&known.resource, &entry.resource).is_err()
            };
            match counted.iter().position(is_earlier) {
                Some(at) => {
                    changes.places.insert(counted[at].place, None);
                    counted[at] = entry;
                }
                None => counted.push(entry),
            }
        }
        let (first, others) = counted.split_first()?;
        let mut one = first.resource.clone();
        let mut conflict = None;
        for other in others {
            match together(&one, &other.resource) {
                Ok(None) => {}
                Ok(Some(merged)) => one = merged,
                // Two statements that collect the same resource contradict each other: an error of the program.
                Err(_) if other.host == first.host => {}
                Err(reason) => {
                    conflict = Some((&other.host, different(&first.resource, &reason)));
                    break;
                }
            }
        }
        let Some((host, how)) = conflict else { return Some(one) };
        let before = self.before.get(id).cloned();
        let result = if before.is_some() { "is not updated" } else { "is left out" };
        let message =
            format!("exported resource `{id}` {result}: the hosts `{}` and `{host}` export it {how}", first.host);
        if before.is_none() {
            settled.left_out.insert(id.clone(), message.clone());
        }
        settled.warnings.push(warning(message, &first.resource));
        for entry in &counted {
            changes.places.insert(entry.place, None);
        }
        match &before {
            Some(before) => {
                changes.places.insert(first.place, Some(before.clone()));
            }
            None => {
                changes.gone.insert(id.clone());
            }
        }
        before
    }

    /// Exported resources that contradict resources with other names. `now` are those that count so far.
    fn between(
        &self,
        made: &[Arc<Made>],
        entries: &BTreeMap<ResourceId, Vec<Candidate>>,
        now: &mut BTreeMap<ResourceId, Arc<Resource>>,
        changes: &mut Changes,
        settled: &mut Settled,
    ) {
        let exported: Vec<Arc<Resource>> = now.values().cloned().collect();
        let own = made.iter().filter(|made| made.exporters.is_empty()).flat_map(|made| &made.resources);
        let stays = |now: &Arc<Resource>| self.before.get(&now.id).is_some_and(|before| together(before, now).is_ok());
        let receivers = Receivers::of(made.iter().map(|made| &**made));
        for (at, reason) in outvoted(own, &exported, stays, &receivers) {
            let resource = &exported[at];
            let candidates = entries.get(&resource.id).map(|entries| &entries[..]).unwrap_or_default();
            let host = candidates.first().map(|first| &*first.host).unwrap_or_default();
            let message = format!("exported resource `{}` of host `{host}` is left out: {reason}", resource.id);
            changes.places.extend(candidates.iter().map(|candidate| (candidate.place, None)));
            changes.gone.insert(resource.id.clone());
            settled.left_out.insert(resource.id.clone(), message.clone());
            settled.warnings.push(warning(message, resource));
            now.remove(&resource.id);
        }
    }
}

impl Changes {
    fn apply(&self, made: &mut [Arc<Made>]) {
        let stmts: BTreeSet<usize> = self.places.keys().map(|(stmt, _)| *stmt).collect();
        for stmt in stmts {
            let before = made[stmt].clone();
            let mut after = Made { error: before.error.clone(), ..Made::default() };
            for (at, (resource, host)) in before.resources.iter().zip(&before.exporters).enumerate() {
                let resource = match self.places.get(&(stmt, at)) {
                    None => resource,
                    Some(Some(other)) => other,
                    Some(None) => continue,
                };
                after.resources.push(resource.clone());
                after.exporters.push(host.clone());
            }
            let stays = |id: &ResourceId| !self.gone.contains(id);
            after.edges.extend(before.edges.iter().filter(|edge| stays(&edge.from) && stays(&edge.to)).cloned());
            made[stmt] = Arc::new(after);
        }
    }
}

/// The visible exported resources by name, in the order of the program and of the store.
fn entries(made: &[Arc<Made>]) -> BTreeMap<ResourceId, Vec<Candidate>> {
    let mut entries: BTreeMap<ResourceId, Vec<Candidate>> = BTreeMap::new();
    for (stmt, made) in made.iter().enumerate() {
        for (at, (resource, host)) in made.resources.iter().zip(&made.exporters).enumerate() {
            if !resource.meta.hidden {
                let entry = Candidate { place: (stmt, at), host: host.clone(), resource: resource.clone() };
                entries.entry(resource.id.clone()).or_default().push(entry);
            }
        }
    }
    entries
}

/// The visible resources of the program itself that have these names.
fn own(made: &[Arc<Made>], names: &BTreeMap<ResourceId, Vec<Candidate>>) -> BTreeMap<ResourceId, Arc<Resource>> {
    let mut own = BTreeMap::new();
    for resource in made.iter().filter(|made| made.exporters.is_empty()).flat_map(|made| &made.resources) {
        if !resource.meta.hidden && names.contains_key(&resource.id) {
            own.entry(resource.id.clone()).or_insert_with(|| resource.clone());
        }
    }
    own
}

fn warning(message: String, resource: &Resource) -> Diagnostic {
    let warning = Diagnostic::warning(codes::BAD_COLLECT, Stage::Interpret, message);
    match resource.span {
        Some(span) => warning.at(span, "this statement"),
        None => warning,
    }
}
