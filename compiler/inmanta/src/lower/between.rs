//! [`Between`]: the order between resources of two hosts (spec, 17.2), and facts that one host knows.
//!
//! Hosts that share a store keep the order. A resource that others wait for is followed by one of kind `kv`, which records
//! in the store that it was deployed as the model describes it. The host of a waiting resource leaves it out, with
//! everything after it, until it reads this record. Facts about a resource are published after it in the same way.

use super::Lowering;
use super::fields::text;
use crate::export::{Resource as Exported, name_in_store, sha1};
use crate::value::python_json;
use mclive_base::protocol::ResourceId;
use mclive_base::span::Span;
use mclive_base::value::Value as Host;
use mclive_engine::rgraph::{AutoEdges, Edge, LeftOut, ResGraph, Resource, VertexId};
use mclive_library::kinds::{self, Meta, Params, store};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

/// What a host waits for on others, and what others wait for on it.
#[derive(Clone, Default, Debug)]
pub struct Between {
    /// Requirements on resources of other hosts.
    pub awaited: Vec<Awaited>,
    /// Resources that others require, and facts that they may need.
    pub told: Vec<Told>,
}

/// A requirement on a resource of another host.
#[derive(Clone, Debug)]
pub struct Awaited {
    /// The waiting resource.
    pub waits: VertexId,
    /// Its name in the model, as in `fs::File[b,path=/y]`.
    pub waiting: String,
    /// The name of the required one.
    pub required: String,
    /// The host of the required one.
    pub host: String,
    /// What that host publishes about it once it was deployed with the fields of this model.
    pub state: String,
    /// The constructor of the waiting one.
    pub span: Span,
}

/// A value that is published about a resource once it has been deployed with the fields of this model.
#[derive(Clone, Debug)]
pub struct Told {
    /// The resource.
    pub vertex: VertexId,
    /// The name, among the shared values of this host.
    pub name: String,
    /// The value: the resource's state, or a fact.
    pub value: String,
}

/// The proof that a resource was deployed with these fields: others give a different state.
pub(crate) fn state(exported: &Exported) -> String {
    let mut text = exported.id();
    for (name, value) in &exported.fields {
        let _ = write!(text, "\n{name}={}", python_json(value).unwrap_or_default());
    }
    sha1(text.as_bytes())
}

/// The attributes of the model in which two resources of one name differ.
pub(crate) fn differing(one: &Exported, other: &Exported) -> Vec<&'static str> {
    let text = |exported: &Exported, name: &str| exported.field(name).and_then(python_json);
    let names = one.fields.iter().map(|(name, _)| *name);
    let differing = names.filter(|&name| text(one, name) != text(other, name));
    differing.map(|name| one.registration.attribute_of(name)).collect()
}

/// The name of the value that is published about a resource, among the shared values of its host.
fn name(required: &str) -> String {
    format!("deployed/{}", name_in_store(required))
}

impl Awaited {
    /// The key of the shared value, below `strings/`, whose value is [`Awaited::state`] once the other host is ready.
    pub fn key(&self) -> String {
        format!("{}/{}", name(&self.required), self.host)
    }
}

impl Told {
    /// The resource that publishes it.
    fn resource(&self, span: Option<Span>) -> Option<Resource> {
        let kind = kinds::lookup("kv")?;
        let decl = kind.decl();
        let mut params = Params::default();
        for (field, value) in [("value", text(&self.value)), ("mapped", Host::Bool(true))] {
            store::store(decl, &mut params, decl.index_of(field)?, &value).ok()?;
        }
        Some(Resource {
            id: ResourceId::new("kv", self.name.as_str()),
            kind,
            params,
            // What is not told any more must not stand for a later model.
            meta: Arc::new(Meta { purge: true, ..Meta::default() }),
            receives: Vec::new(),
            secret_fields: Vec::new(),
            children: Vec::new(),
            is_reversal: false,
            span,
        })
    }
}

impl Lowering<'_> {
    /// Values about these resources of a host that other hosts may need: their states, if they are required, and facts about
    /// them.
    pub(super) fn told(&self, vertices: &BTreeMap<usize, VertexId>) -> Vec<Told> {
        let (resources, known) = (&self.export.resources, &self.compilation.known_facts);
        let required = vertices.iter().filter(|(nr, _)| self.required_elsewhere.contains(*nr));
        let of_state = |(nr, vertex): (&usize, &VertexId)| {
            let exported = &resources[*nr];
            Told { vertex: *vertex, name: name(&exported.id()), value: state(exported) }
        };
        let mut told: Vec<Told> = required.map(of_state).collect();
        if !known.is_empty() {
            let by_id: BTreeMap<String, VertexId> =
                vertices.iter().map(|(nr, vertex)| (resources[*nr].id(), *vertex)).collect();
            told.extend(known.iter().filter_map(|(fact, value)| {
                let vertex = *by_id.get(&fact.resource)?;
                Some(Told { vertex, name: fact.name_in_store(), value: value.clone() })
            }));
        }
        told
    }
}

impl Between {
    /// Whether no order is to be kept with another host.
    pub fn is_empty(&self) -> bool {
        self.awaited.is_empty() && self.told.is_empty()
    }

    /// The graph of a host that shares a store with the others: `whole` without the waiting resources of these
    /// requirements and everything after them, and with the resources that inform other hosts.
    pub fn graph<'a>(&self, whole: &ResGraph, waiting: impl Iterator<Item = &'a Awaited>) -> ResGraph {
        let held = after(whole, waiting.map(|awaited| awaited.waits).collect());
        let mut graph = ResGraph { left_out: whole.left_out.clone(), ..ResGraph::default() };
        let mut places: BTreeMap<VertexId, VertexId> = BTreeMap::new();
        for (vertex, resource) in whole.resources.iter() {
            if held.contains(&vertex) {
                graph.left_out.push(LeftOut::Named { id: resource.id.clone(), is_spared: !resource.meta.purge });
            } else {
                places.insert(vertex, graph.resources.push(resource.clone()));
            }
        }
        for edge in &whole.edges {
            if let (Some(from), Some(to)) = (places.get(&edge.from), places.get(&edge.to)) {
                graph.edges.push(Edge { from: *from, to: *to, ..edge.clone() });
            }
        }
        for told in &self.told {
            let Some(from) = places.get(&told.vertex).copied() else { continue };
            let required = graph.resources[from].clone();
            let Some(telling) = told.resource(required.span) else { continue };
            let name = format!("{} -> {}", required.id, telling.id).into();
            let to = graph.resources.push(Arc::new(telling));
            graph.edges.push(Edge { from, to, name, notify: false });
        }
        graph
    }
}

/// These vertices, with all that come after them: also what the host itself puts after them, such as a file after its
/// directory.
fn after(graph: &ResGraph, mut found: BTreeSet<VertexId>) -> BTreeSet<VertexId> {
    if found.is_empty() {
        return found;
    }
    let mut graph = graph.clone();
    AutoEdges::running().update(&mut graph, &|_| None);
    let mut next: BTreeMap<VertexId, Vec<VertexId>> = BTreeMap::new();
    for edge in &graph.edges {
        next.entry(edge.from).or_default().push(edge.to);
    }
    let mut ahead: Vec<VertexId> = found.iter().copied().collect();
    while let Some(vertex) = ahead.pop() {
        for to in next.get(&vertex).into_iter().flatten() {
            if found.insert(*to) {
                ahead.push(*to);
            }
        }
    }
    found
}
