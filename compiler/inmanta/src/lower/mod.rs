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

/// The hosts that have resources, sorted.
pub fn hosts(export: &Export) -> Vec<&str> {
    let hosts: BTreeSet<&str> =
        export.resources.iter().map(|resource| &*resource.agent).filter(|agent| *agent != INTERNAL).collect();
    hosts.into_iter().collect()
}

/// Lowers what belongs to a host; without a name, to the only one there is.
pub fn lower(compilation: &Compilation, export: &Export, host: Option<&str>) -> Result<Lowered, Failure> {
    let mut out = Lowered::default();
    let known = hosts(export);
    let host = host.or(if let [only] = known[..] { Some(only) } else { None });
    out.host = host.map(str::to_owned);
    if host.is_none_or(|host| !known.contains(&host)) && !known.is_empty() {
        let message = match host {
            Some(host) => {
                format!("the model has nothing for the host `{host}`; it has resources of {}", known.join(", "))
            }
            None => format!("the model has several hosts, choose one of them: {}", known.join(", ")),
        };
        out.warn(message, None);
    }
    let view = View { compilation };
    let skipped = undefined(export, view, &mut out);
    let mut vertices: BTreeMap<usize, VertexId> = BTreeMap::new();
    let mut by_id: BTreeMap<ResourceId, (VertexId, usize)> = BTreeMap::new();
    let mut resources: IndexVec<VertexId, Arc<Resource>> = IndexVec::new();
    for (nr, exported) in export.resources.iter().enumerate() {
        let is_meant = exported.agent == INTERNAL || host == Some(&*exported.agent);
        if !is_meant || skipped.contains(&nr) {
            continue;
        }
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
            return Err(fault.also(place(view, &export.resources[*other]), "and here"));
        }
        let id = resource.id.clone();
        let vertex = resources.push(Arc::new(resource));
        by_id.insert(id, (vertex, nr));
        vertices.insert(nr, vertex);
    }
    let edges = edges(export, &vertices, &resources, &skipped, &mut out);
    out.graph = ResGraph { resources, edges };
    without_counterpart(view, &mut out);
    Ok(out)
}

impl Lowered {
    fn warn(&mut self, message: String, span: Option<Span>) {
        self.warnings.push(Warning { class: "LoweringWarning", message, span });
    }
}

fn place(view: View<'_>, exported: &Exported) -> Span {
    let construct = view.store().instances[exported.instance].constructs[0];
    view.compilation.program.tree.exprs[construct].span
}

fn flag(exported: &Exported, name: &str) -> bool {
    exported.field(name).and_then(Value::as_bool) == Some(true)
}

/// Resources that are not known yet, and those that require them.
fn undefined(export: &Export, view: View<'_>, out: &mut Lowered) -> BTreeSet<usize> {
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
        let message = format!("left out, since something about them is unknown: {}", ids.join(", "));
        out.warn(message, Some(place(view, &export.resources[*first])));
    }
    skipped
}

fn build(vertex: Vertex, exported: &Exported, span: Span) -> Result<Resource, Failure> {
    let refuse =
        |message: String| Fault::new(Class::Lowering, message).also(span, format!("this is `{}`", exported.id()));
    let Some(kind) = kinds::lookup(vertex.kind) else {
        return Err(refuse(format!("there is no resource kind `{}`", vertex.kind)));
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

/// What is required comes first; an edge notifies when both sides want it.
fn edges(
    export: &Export,
    vertices: &BTreeMap<usize, VertexId>,
    resources: &IndexVec<VertexId, Arc<Resource>>,
    skipped: &BTreeSet<usize>,
    out: &mut Lowered,
) -> Vec<Edge> {
    let mut found: BTreeMap<(ResourceId, ResourceId), Edge> = BTreeMap::new();
    let mut dropped = Vec::new();
    for (from, to) in &export.requires {
        let (waits, first) = (&export.resources[*from], &export.resources[*to]);
        let Some(to_vertex) = vertices.get(from) else { continue };
        let Some(from_vertex) = vertices.get(to) else {
            if !skipped.contains(to) && waits.agent != first.agent {
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
        out.warn(format!("no order is kept between hosts: {}", dropped.join("; ")), None);
    }
    found.into_values().collect()
}

/// Entities of built-in modules that no kind can stand for.
fn without_counterpart(view: View<'_>, out: &mut Lowered) {
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
            out.warn(format!("`{name}` has no counterpart here, so nothing is made of it"), Some(span));
        }
    }
}
