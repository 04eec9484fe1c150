//! Assembles resources and edges, and checks the whole graph (language spec, 12.3 to 12.5).

use super::collected::Settled;
use super::decisions::{Receivers, Shared, conflict, contradictions};
use super::duplicates::Gathering;
use super::errors::{MAX_EDGES, at, too_many_edges};
use super::make::{EdgeWish, Made};
use super::{Changed, Edge, Receive, ResGraph, Resource, VertexId};
use crate::diag::{Diagnostic, Diags, Stage, codes, suggest};
use crate::ident::Name;
use crate::index::{Id, IndexVec};
use crate::protocol::ResourceId;
use crate::span::Span;
use crate::unify::help_with_half;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A resource with its receivers set, cached while both are unchanged.
#[derive(Clone, Default)]
pub(super) struct Wired {
    known: FxHashMap<ResourceId, Vec<(Arc<Resource>, Arc<Resource>)>>,
    before: Option<Before>,
}

/// The last graph, if each resource of its statements is a separate vertex, in order.
#[derive(Clone)]
struct Before {
    made: Vec<Arc<Made>>,
    /// By statement: the vertex of its first resource.
    starts: Vec<usize>,
    resources: IndexVec<VertexId, Arc<Resource>>,
    shared: Shared,
}

/// A statement that was made again.
pub(super) struct Remade {
    /// Its index among the last graph's statements.
    pub(super) place: usize,
    pub(super) now: Arc<Made>,
}

impl Before {
    fn new(made: Vec<Arc<Made>>, graph: &ResGraph, shared: Shared) -> Before {
        let mut start = 0;
        let starts = made.iter().map(|made| {
            start += made.resources.len();
            start - made.resources.len()
        });
        Before { starts: starts.collect(), resources: graph.resources.clone(), made, shared }
    }

    /// The changes, if the next graph differs only in the fields of a few resources.
    fn with(&mut self, remade: &[Remade]) -> Option<Vec<Changed>> {
        let mut changes = Vec::new();
        for Remade { place, now } in remade {
            let before = &self.made[*place];
            if !is_alike(now, before) {
                return None;
            }
            for (index, now) in now.resources.iter().enumerate() {
                let at = VertexId::from_index(self.starts[*place] + index);
                let before = &self.resources[at];
                if !before.receives.is_empty() {
                    return None;
                }
                if !Arc::ptr_eq(before, now) {
                    if !self.shared.allows(before, now) {
                        return None;
                    }
                    changes.push(Changed { at, before: before.clone(), now: now.clone() });
                }
            }
        }
        for Remade { place, now } in remade {
            self.made[*place] = now.clone();
        }
        for changed in &changes {
            self.resources[changed.at] = changed.now.clone();
        }
        changes.sort_by_cached_key(|changed| changed.at.index());
        Some(changes)
    }
}

/// Whether two versions of a statement differ at most in the fields of their resources.
fn is_alike(now: &Made, before: &Made) -> bool {
    let plain = |resource: &Resource| !resource.meta.hidden && resource.meta.export.is_empty();
    let mut pairs = now.resources.iter().zip(&before.resources);
    now.error.is_none()
        && now.left_out.is_empty()
        && now.edges == before.edges
        && now.resources.len() == before.resources.len()
        && pairs.all(|(now, before)| now.id == before.id && now.meta == before.meta && plain(now) && plain(before))
}

impl Wired {
    /// The changes of the last graph, if the next one differs only in the fields of a few resources.
    pub(super) fn with(&mut self, remade: &[Remade]) -> Option<Vec<Changed>> {
        self.before.as_mut()?.with(remade)
    }

    /// The next graph differs in more than fields, whatever its statements say.
    pub(super) fn forget_last(&mut self) {
        self.before = None;
    }

    fn wire(&self, base: &Arc<Resource>, receives: Vec<Receive>, secret_fields: Vec<usize>) -> Arc<Resource> {
        let mut known = self.known.get(&base.id).into_iter().flatten();
        let is_same = |wired: &Resource| wired.receives == receives && wired.secret_fields == secret_fields;
        match known.find(|(of, wired)| Arc::ptr_eq(of, base) && is_same(wired)) {
            Some((_, wired)) => wired.clone(),
            None => Arc::new(Resource { receives, secret_fields, ..(**base).clone() }),
        }
    }
}

/// The resource graph of all statements, in source order. `wired` caches unchanged resources from one graph to the
/// next. `settled`: the exported resources that are left out.
pub(super) fn assemble(made: Vec<Arc<Made>>, wired: &mut Wired, settled: &mut Settled) -> Result<ResGraph, Diags> {
    wired.before = None;
    let mut assembly = Assembly::of(made.iter().map(|made| &**made), Vec::new(), |assembly, wish| {
        settled.leaves_out(wish, |id| assembly.by_id.contains_key(id))
    })?;
    let shared = std::mem::take(&mut assembly.shared);
    let graph = assembly.finish(wired)?;
    let n_made: usize = made.iter().map(|made| made.resources.len()).sum();
    if n_made == graph.resources.len() {
        wired.before = Some(Before::new(made, &graph, shared));
    }
    Ok(graph)
}

/// A partially known graph: these statements, resources with unknown fields, and possibly more resources of some kinds.
///
/// Errors: problems that are certain.
pub(super) fn assemble_known(
    made: &[Made],
    there: Vec<Arc<Resource>>,
    open: &BTreeSet<Name>,
) -> Result<ResGraph, Diags> {
    let assembly = Assembly::of(made.iter(), there, |assembly, wish| {
        let may_come = |id: &ResourceId| open.contains(&id.kind) && !assembly.by_id.contains_key(id);
        may_come(&wish.from) || may_come(&wish.to)
    })?;
    assembly.finish(&mut Wired::default())
}

fn finish(diags: &mut Diags) -> Result<(), Diags> {
    if diags.has_errors() { Err(std::mem::take(diags)) } else { Ok(()) }
}

/// The vertices of one name: almost always one.
type Twins = SmallVec<[VertexId; 1]>;

struct Assembly {
    resources: IndexVec<VertexId, Arc<Resource>>,
    /// Several if there are hidden twins; empty if there are no edges.
    by_id: FxHashMap<ResourceId, Twins>,
    edges: Vec<Edge>,
    known_edges: FxHashMap<(VertexId, VertexId), usize>,
    receives: FxHashMap<VertexId, Vec<Receive>>,
    /// The number of missing ends.
    n_missing: usize,
    shared: Shared,
}

/// The maximum number of errors with suggestions: each searches all resources.
const MAX_SUGGESTIONS: usize = 20;

impl Assembly {
    /// The statements' resources followed by the existing ones; with the statements' edges, except those that are left
    /// out.
    fn of<'m>(
        made: impl Iterator<Item = &'m Made> + Clone,
        there: Vec<Arc<Resource>>,
        mut leaves_out: impl FnMut(&Assembly, &EdgeWish) -> bool,
    ) -> Result<Assembly, Diags> {
        let mut diags = Diags::default();
        made.clone().filter_map(|made| made.error.as_deref()).for_each(|error| diags.push_new(error.clone()));
        finish(&mut diags)?;
        let mut gathering = Gathering::with_room(made.clone().map(|made| made.resources.len()).sum());
        for resource in made.clone().flat_map(|made| &made.resources) {
            if let Err(error) = gathering.add(resource) {
                diags.push(error);
            }
        }
        let (shared, found) = contradictions(&gathering.resources, &Receivers::of(made.clone()));
        found.into_iter().for_each(|contradiction| diags.push(conflict(contradiction)));
        finish(&mut diags)?;
        gathering.resources.extend(there);
        let has_edges = made.clone().any(|made| !made.edges.is_empty());
        let mut assembly = Assembly::new(gathering.resources, has_edges, shared);
        for wish in made.flat_map(|made| &made.edges) {
            if leaves_out(&assembly, wish) {
                continue;
            }
            if let Err(error) = assembly.edge(wish) {
                diags.push_new(error);
            }
            if assembly.edges.len() > MAX_EDGES {
                diags.push(too_many_edges(wish.span));
                break;
            }
        }
        finish(&mut diags)?;
        Ok(assembly)
    }

    fn new(resources: Vec<Arc<Resource>>, has_edges: bool, shared: Shared) -> Assembly {
        let resources: IndexVec<VertexId, Arc<Resource>> = resources.into_iter().collect();
        let mut by_id: FxHashMap<ResourceId, Twins> = FxHashMap::default();
        for (id, resource) in resources.iter().filter(|_| has_edges) {
            by_id.entry(resource.id.clone()).or_default().push(id);
        }
        Assembly {
            resources,
            by_id,
            edges: Vec::new(),
            known_edges: FxHashMap::default(),
            receives: FxHashMap::default(),
            n_missing: 0,
            shared,
        }
    }

    /// `place` is that of the end, in the edge.
    fn end(&mut self, id: &ResourceId, place: Span, wish: &EdgeWish) -> Result<Twins, Diagnostic> {
        if let Some(vertices) = self.by_id.get(id) {
            return Ok(vertices.clone());
        }
        self.n_missing += 1;
        let here = if place == wish.span { "this edge" } else { "this end" };
        let missing = |message: String| at(codes::NO_SUCH_RESOURCE, message, place, here).reported_at(wish.span);
        if crate::kinds::lookup(&id.kind).is_none() {
            let message = format!("cannot find resource kind `{}`", id.kind);
            return Err(help_with_half(missing(message), &id.kind));
        }
        let diag = missing(format!("cannot find resource `{id}`"));
        // An edge to itself is never meant, and any two names of one letter are alike.
        let may_be_meant = |known: &&ResourceId| {
            known.kind == id.kind && **known != wish.from && **known != wish.to && id.name.len() > 1
        };
        let of_kind = self.by_id.keys().filter(may_be_meant).map(|known| &*known.name);
        Err(match suggest::closest(&id.name, of_kind.take_while(|_| self.n_missing <= MAX_SUGGESTIONS)) {
            Some(close) => diag.help(format!("did you mean `{}[{close}]`?", id.kind)),
            None => diag.help(format!("declare it: `{} \"{}\" {{ … }}`; or remove the edge", id.kind, id.name)),
        })
    }

    fn edge(&mut self, wish: &EdgeWish) -> Result<(), Diagnostic> {
        let from = self.end(&wish.from, wish.ends[0], wish)?;
        let to = self.end(&wish.to, wish.ends[1], wish)?;
        if let Some((key, field)) = &wish.send {
            self.send(wish, &from, &to, key, field)?;
        }
        for from in &from {
            for to in &to {
                match self.known_edges.get(&(*from, *to)) {
                    Some(known) => self.edges[*known].notify |= wish.notify,
                    None => {
                        self.known_edges.insert((*from, *to), self.edges.len());
                        let name = edge_name(&wish.from, &wish.to);
                        self.edges.push(Edge { from: *from, to: *to, name, notify: wish.notify });
                    }
                }
            }
        }
        Ok(())
    }

    /// Connects a receiver's field to its sender.
    fn send(
        &mut self,
        wish: &EdgeWish,
        from: &[VertexId],
        to: &[VertexId],
        key: &Arc<str>,
        field: &str,
    ) -> Result<(), Diagnostic> {
        let mut added = Vec::new();
        for to in to {
            let Some(index) = self.resources[*to].kind.decl().index_of(field) else { continue };
            let receive = Receive { field: index, from: wish.from.clone(), key: key.clone() };
            let known = self.receives.get(to).into_iter().flatten().find(|known| known.field == index);
            match known {
                Some(known) if *known == receive => {}
                Some(known) => {
                    let message = format!("field `{field}` of `{}` is received from two senders", wish.to);
                    return Err(at(codes::DUPLICATE_RECEIVE, message, wish.span, "second sender").help(format!(
                        "the first sender is `{}.{}`; remove one of the two edges",
                        known.from, known.key
                    )));
                }
                None => added.push((*to, receive)),
            }
        }
        if from.iter().any(|from| self.resources[*from].meta.hidden) {
            let message = format!("`{}` cannot send: it is hidden", wish.from);
            return Err(at(codes::HIDDEN_SENDER, message, wish.span, "this edge sends"));
        }
        for (to, receive) in added {
            self.receives.entry(to).or_default().push(receive);
        }
        Ok(())
    }

    /// The senders, and what they send, that pass on a secret from another sender: what they receive, they send under the name
    /// of the field.
    fn passed_on(&self) -> BTreeSet<(ResourceId, Arc<str>)> {
        let wires = || self.receives.iter().flat_map(|(to, wires)| wires.iter().map(move |wire| (*to, wire)));
        let mut passed_on = BTreeSet::new();
        let mut secret: Vec<(VertexId, &Receive)> = wires().filter(|(_, wire)| wire.is_secret()).collect();
        if secret.is_empty() {
            return passed_on;
        }
        let mut receivers: FxHashMap<(&ResourceId, &str), Vec<(VertexId, &Receive)>> = FxHashMap::default();
        for (to, wire) in wires() {
            receivers.entry((&wire.from, &*wire.key)).or_default().push((to, wire));
        }
        while let Some((to, wire)) = secret.pop() {
            let Resource { id, kind, .. } = &*self.resources[to];
            let name = kind.decl().fields[wire.field].name;
            if kind.decl().sendable(name).is_some() && passed_on.insert((id.clone(), Arc::from(name))) {
                secret.extend(receivers.get(&(id, name)).into_iter().flatten().copied());
            }
        }
        passed_on
    }

    fn finish(mut self, wired: &mut Wired) -> Result<ResGraph, Diags> {
        let mut now = Wired::default();
        let passed_on = self.passed_on();
        for (to, mut receives) in std::mem::take(&mut self.receives) {
            receives.sort_by_cached_key(|receive| receive.field);
            let base = self.resources[to].clone();
            let mut secret_fields = base.secret_fields.clone();
            if !passed_on.is_empty() {
                let wires = receives.iter().filter(|wire| passed_on.contains(&(wire.from.clone(), wire.key.clone())));
                secret_fields.extend(wires.map(|wire| wire.field));
                secret_fields.sort_unstable();
                secret_fields.dedup();
            }
            let with = wired.wire(&base, receives, secret_fields);
            now.known.entry(base.id.clone()).or_default().push((base, with.clone()));
            self.resources[to] = with;
        }
        *wired = now;
        let graph = ResGraph { resources: self.resources, edges: self.edges, left_out: Vec::new() };
        let mut diags = Diags::default();
        if let Some(cycle) = graph.cycle() {
            diags.push(cycle_error(&graph, &cycle));
        }
        finish(&mut diags)?;
        Ok(graph)
    }
}

/// `file[a] -> exec[b]`. Built by hand, since there is one per edge.
fn edge_name(from: &ResourceId, to: &ResourceId) -> Arc<str> {
    let parts = [&*from.kind, "[", &from.name, "] -> ", &to.kind, "[", &to.name, "]"];
    parts.concat().into()
}

fn cycle_error(graph: &ResGraph, cycle: &[VertexId]) -> Diagnostic {
    let mut names: Vec<String> = cycle.iter().map(|id| format!("`{}`", graph.resources[*id].id)).collect();
    names.extend(names.first().cloned());
    let message = format!("circular dependency between resources: {}", names.join(" -> "));
    let help = if cycle.len() == 1 {
        "a resource cannot depend on itself: remove the edge, or name another resource in it"
    } else {
        "remove one of the edges between them"
    };
    let diag = Diagnostic::error(codes::CYCLE, Stage::Interpret, message).help(help);
    let mut spans = cycle.iter().filter_map(|id| graph.resources[*id].span);
    match spans.next() {
        Some(span) => spans.take(5).fold(diag.at(span, "this resource"), |diag, span| diag.also(span, "and this one")),
        None => diag,
    }
}
