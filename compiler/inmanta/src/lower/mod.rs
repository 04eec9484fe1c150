//! From exported resources to the resource graph of one host. Spec, 17.5 to 17.9.
//!
//! In: what a model exports, and the host that is meant. Out: [`Lowered`], the graph that the first
//! front end would make of a program with the same resources, without automatic edges, and warnings
//! about what has no counterpart. What the proposal of the specification leaves open is chosen so:
//!
//! - Without a name the only host with resources is meant; with several the graph is empty, and a
//!   warning names them.
//! - A resource with an unknown field is left out with everything that requires it.
//! - What cannot be said in the other kinds (`returns`, `reload_only`) is refused, never left out.

mod content;
mod exec;
mod fields;

pub use content::content;

use crate::compile::Compilation;
use crate::export::{Export, Resource as Exported};
use crate::fault::{Class, Failure, Fault, Warning};
use crate::model::View;
use crate::value::Value;
use mclive_base::index::IndexVec;
use mclive_base::protocol::ResourceId;
use mclive_base::span::Span;
use mclive_engine::rgraph::{Edge, ResGraph, Resource, VertexId};
use mclive_library::kinds::{self, Meta, Params, store};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The resource graph of a host.
#[derive(Default)]
pub struct Lowered {
    /// The host that was meant, where one was found.
    pub host: Option<String>,
    pub graph: ResGraph,
    pub warnings: Vec<Warning>,
}

/// An agent that counts as any host.
pub const INTERNAL: &str = "internal";

/// What a resource of a kind is to be.
struct Vertex {
    kind: &'static str,
    name: String,
    fields: Vec<(&'static str, mclive_base::value::Value)>,
    meta: Meta,
}

/// What is common to all hosts of a model: a model may have thousands, and each costs what belongs to it.
pub struct Lowering<'a> {
    compilation: &'a Compilation,
    export: &'a Export,
    /// The resources of each host, and those that belong to any.
    by_host: BTreeMap<&'a str, Vec<usize>>,
    everywhere: Vec<usize>,
    /// By resource: the places in [`Export::requires`] where it is the one that waits.
    requires: Vec<Vec<usize>>,
    /// What is unknown, with everything that requires it.
    skipped: BTreeSet<usize>,
    /// What is true of the model on every host.
    pub warnings: Vec<Warning>,
}

impl<'a> Lowering<'a> {
    /// Cost: near linear in what is exported.
    pub fn new(compilation: &'a Compilation, export: &'a Export) -> Lowering<'a> {
        let mut warnings = Vec::new();
        let view = View { compilation };
        let skipped = undefined(export, view, &mut warnings);
        without_counterpart(view, &mut warnings);
        let (mut by_host, mut everywhere) = (BTreeMap::<&str, Vec<usize>>::new(), Vec::new());
        for (nr, resource) in export.resources.iter().enumerate() {
            match &*resource.agent {
                INTERNAL => everywhere.push(nr),
                host => by_host.entry(host).or_default().push(nr),
            }
        }
        let mut requires = vec![Vec::new(); export.resources.len()];
        for (at, (from, _)) in export.requires.iter().enumerate() {
            requires[*from].push(at);
        }
        Lowering { compilation, export, by_host, everywhere, requires, skipped, warnings }
    }

    /// The hosts that have resources, sorted.
    pub fn hosts(&self) -> impl Iterator<Item = &'a str> {
        self.by_host.keys().copied()
    }

    /// Lowers what belongs to a host; without a name, to the only one there is.
    ///
    /// Errors: something about the host's resources cannot be said in our kinds.
    pub fn host(&self, host: Option<&str>) -> Result<Lowered, Failure> {
        let mut out = Lowered::default();
        let only = if self.by_host.len() == 1 { self.hosts().next() } else { None };
        let host = host.or(only);
        out.host = host.map(str::to_owned);
        if host.is_none_or(|host| !self.by_host.contains_key(host)) && !self.by_host.is_empty() {
            let known: Vec<&str> = self.hosts().collect();
            let message = match host {
                Some(host) => {
                    format!(
                        "the model has no resources for the host `{host}`; it has resources for {}",
                        known.join(", ")
                    )
                }
                None => format!("the model has several hosts; choose one: {}", known.join(", ")),
            };
            out.warn(message, None);
        }
        let view = View { compilation: self.compilation };
        let mut vertices: BTreeMap<usize, VertexId> = BTreeMap::new();
        let mut by_id: BTreeMap<ResourceId, (VertexId, usize)> = BTreeMap::new();
        let mut resources: IndexVec<VertexId, Arc<Resource>> = IndexVec::new();
        let own = host.filter(|host| *host != INTERNAL).and_then(|host| self.by_host.get(host));
        let mut meant: Vec<usize> = self.everywhere.iter().chain(own.into_iter().flatten()).copied().collect();
        meant.sort_unstable();
        for nr in meant.iter().copied().filter(|nr| !self.skipped.contains(nr)) {
            let exported = &self.export.resources[nr];
            let span = place(view, exported);
            let Some(vertex) = fields::vertex(view, exported, &mut out.warnings, span)? else { continue };
            let resource = build(vertex, exported, span)?;
            if let Some((first, other)) = by_id.get(&resource.id) {
                if resources[*first].params == resource.params {
                    vertices.insert(nr, *first);
                    continue;
                }
                let message = format!("inequivalent duplicate resource `{}` found", resource.id);
                let fault = Fault::new(Class::Lowering, message).also(span, "it is constructed here");
                return Err(fault.also(place(view, &self.export.resources[*other]), "and here"));
            }
            let id = resource.id.clone();
            let vertex = resources.push(Arc::new(resource));
            by_id.insert(id, (vertex, nr));
            vertices.insert(nr, vertex);
        }
        let edges = self.edges(&vertices, &resources, &mut out);
        out.graph = ResGraph { resources, edges };
        Ok(out)
    }

    /// What is required comes first; an edge notifies when both sides want it.
    fn edges(
        &self,
        vertices: &BTreeMap<usize, VertexId>,
        resources: &IndexVec<VertexId, Arc<Resource>>,
        out: &mut Lowered,
    ) -> Vec<Edge> {
        let mut found: BTreeMap<(ResourceId, ResourceId), Edge> = BTreeMap::new();
        let mut dropped = Vec::new();
        let mut wishes: Vec<usize> = vertices.keys().flat_map(|nr| &self.requires[*nr]).copied().collect();
        wishes.sort_unstable();
        for (from, to) in wishes.into_iter().map(|at| &self.export.requires[at]) {
            let (waits, first) = (&self.export.resources[*from], &self.export.resources[*to]);
            let Some(to_vertex) = vertices.get(from) else { continue };
            let Some(from_vertex) = vertices.get(to) else {
                if !self.skipped.contains(to) && waits.agent != first.agent {
                    dropped.push(format!("{} requires {}", waits.id(), first.id()));
                }
                continue;
            };
            let notify = flag(first, "send_event") && flag(waits, "receive_events");
            let (from_id, to_id) = (&resources[*from_vertex].id, &resources[*to_vertex].id);
            let edge = found.entry((from_id.clone(), to_id.clone())).or_insert_with(|| Edge {
                from: *from_vertex,
                to: *to_vertex,
                name: format!("{from_id} -> {to_id}").into(),
                notify: false,
            });
            edge.notify |= notify;
        }
        if !dropped.is_empty() {
            out.warn(format!("the order between hosts is not kept: {}", dropped.join("; ")), None);
        }
        found.into_values().collect()
    }
}

impl Lowered {
    fn warn(&mut self, message: String, span: Option<Span>) {
        self.warnings.push(warning(message, span));
    }
}

fn warning(message: String, span: Option<Span>) -> Warning {
    Warning { class: "LoweringWarning", message, span }
}

fn place(view: View<'_>, exported: &Exported) -> Span {
    view.place(exported.instance)
}

fn flag(exported: &Exported, name: &str) -> bool {
    exported.field(name).and_then(Value::as_bool) == Some(true)
}

/// Resources that are not known yet, and those that require them.
fn undefined(export: &Export, view: View<'_>, warnings: &mut Vec<Warning>) -> BTreeSet<usize> {
    let mut skipped: BTreeSet<usize> =
        export.resources.iter().enumerate().filter(|(_, resource)| resource.is_undefined).map(|(nr, _)| nr).collect();
    let mut required_by: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (from, to) in &export.requires {
        required_by.entry(*to).or_default().push(*from);
    }
    let mut queue: Vec<usize> = skipped.iter().copied().collect();
    while let Some(nr) = queue.pop() {
        for other in required_by.get(&nr).into_iter().flatten() {
            if skipped.insert(*other) {
                queue.push(*other);
            }
        }
    }
    if let Some(first) = skipped.first() {
        let ids: Vec<String> = skipped.iter().map(|nr| export.resources[*nr].id()).collect();
        let message = format!("left out because of unknown values: {}", ids.join(", "));
        warnings.push(warning(message, Some(place(view, &export.resources[*first]))));
    }
    skipped
}

fn build(vertex: Vertex, exported: &Exported, span: Span) -> Result<Resource, Failure> {
    let refuse =
        |message: String| Fault::new(Class::Lowering, message).also(span, format!("this is `{}`", exported.id()));
    let Some(kind) = kinds::lookup(vertex.kind) else {
        return Err(refuse(format!("cannot find resource kind `{}`", vertex.kind)));
    };
    let decl = kind.decl();
    let mut params = Params::unset(decl);
    for (field, value) in &vertex.fields {
        let stored = match decl.index_of(field) {
            Some(index) => store::store(decl, &mut params, index, value),
            None => Err(format!("`{}` has no field `{field}`", vertex.kind)),
        };
        stored.map_err(&refuse)?;
    }
    let mut meta = vertex.meta;
    meta.noop |= flag(exported, "report_only");
    meta.dollar |= vertex.name.starts_with('$');
    let resource = Resource {
        id: ResourceId::new(vertex.kind, vertex.name),
        kind,
        params,
        meta,
        receives: Vec::new(),
        children: Vec::new(),
        is_reversal: false,
        span: Some(span),
    };
    kinds::validate(kind, &resource.want())
        .map_err(|reason| refuse(format!("`{}` is not valid: {reason}", resource.id)))?;
    Ok(resource)
}

/// Entities of built-in modules that no kind can stand for.
fn without_counterpart(view: View<'_>, warnings: &mut Vec<Warning>) {
    let mut told = BTreeSet::new();
    for instance in view.instances() {
        let name = view.entity_name(instance);
        let lineage = &view.compilation.program.entities[view.entity(instance)].lineage;
        let is_discovery = lineage
            .iter()
            .any(|entity| *view.compilation.program.entities[*entity].full_name == *"std::DiscoveryResource");
        if (name == "fs::JsonFile" || is_discovery) && told.insert(name) {
            let construct = view.store().instances[instance].constructs[0];
            let span = view.compilation.program.tree.exprs[construct].span;
            warnings.push(warning(format!("`{name}` is not supported and was left out"), Some(span)));
        }
    }
}
