//! Lowers exported resources to the resource graph of one host. Spec, 17.5 to 17.9.
//!
//! In: the export of a model, and a host. Out: [`Lowered`], the graph that the first front end would make of a program
//! with the same resources, without automatic edges, and warnings about entities without a counterpart. Choices where
//! the specification is open:
//!
//! - Without a name, the only host with resources is used; with several the graph is empty, and a warning names them.
//! - A resource with an unknown field is left out with everything that requires it. Their names are part of the graph
//!   ([`LeftOut`]), so that nothing is undone that the model still has.
//! - The graph has no order between hosts: requirements on resources of other hosts are returned separately
//!   ([`Between`]).
//! - `purge_on_delete` is a meta parameter: the agent remembers such resources, also over restarts.
//! - Fields that the kinds cannot express (`returns`, `reload_only`) are refused, never ignored.

mod between;
mod content;
mod contradictions;
mod exec;
mod fields;
mod warnings;
mod wrong;

pub use between::{Awaited, Between, Told};
pub(crate) use between::{differing, state};
pub use content::content;
pub(crate) use contradictions::{contradictions, inequivalent};

use crate::compile::Compilation;
use crate::export::{Export, Resource as Exported};
use crate::fault::{Failure, Fault, Warning};
use crate::model::View;
use crate::value::{InstId, Value};
use mclive_base::index::IndexVec;
use mclive_base::protocol::ResourceId;
use mclive_base::span::Span;
use mclive_engine::rgraph::{Edge, LeftOut, ResGraph, Resource, VertexId};
use mclive_library::kinds::{self, Meta, Params, store};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use wrong::Wrong;

/// The resource graph of a host.
#[derive(Default)]
pub struct Lowered {
    /// The host, if one was found.
    pub host: Option<String>,
    /// Its graph.
    pub graph: ResGraph,
    /// The order between its resources and those of other hosts.
    pub between: Between,
    /// All warnings.
    pub warnings: Vec<Warning>,
}

/// The entities of built-in modules that describe something on a host, but have no corresponding kind.
pub const UNSUPPORTED: &[&str] = &["fs::JsonFile", AGENT_CONFIG, "std::DiscoveryResource"];

/// How agents are started, which the hosts of a model bring along by themselves.
const AGENT_CONFIG: &str = "std::AgentConfig";

/// An agent that stands for any host.
pub const INTERNAL: &str = "internal";

/// The maximum number of errors of a host.
const MAX_FAULTS: usize = 50;

/// The vertex of a resource.
struct Vertex {
    kind: &'static str,
    name: String,
    fields: Vec<(&'static str, mclive_base::value::Value)>,
    meta: Meta,
}

/// The parts common to all hosts of a model: a model may have thousands, and each costs only its own resources.
pub struct Lowering<'a> {
    compilation: &'a Compilation,
    export: &'a Export,
    /// The resources of each host, and those of any host.
    by_host: BTreeMap<&'a str, Vec<usize>>,
    everywhere: Vec<usize>,
    /// By resource: the indices into [`Export::requires`] where it is the waiting one.
    requires: Vec<Vec<usize>>,
    /// Unknown resources, with everything that requires them.
    skipped: BTreeSet<usize>,
    /// Resources that those of other hosts require.
    required_elsewhere: BTreeSet<usize>,
    /// Warnings that apply on every host.
    pub warnings: Vec<Warning>,
}

impl<'a> Lowering<'a> {
    /// Cost: nearly linear in the size of the export.
    pub fn new(compilation: &'a Compilation, export: &'a Export) -> Lowering<'a> {
        Lowering::of_part(compilation, export, false, &BTreeSet::new())
    }

    /// The same for a part of a model, which as a whole may have several hosts. `unknown`: the names of resources that are
    /// unknown because of other parts.
    pub(crate) fn of_part(
        compilation: &'a Compilation,
        export: &'a Export,
        has_several_hosts: bool,
        unknown: &BTreeSet<String>,
    ) -> Lowering<'a> {
        let mut warnings = Vec::new();
        let view = View { compilation };
        let skipped = undefined(export, unknown, view, &mut warnings);
        warnings::unnamed(export, view, &mut warnings);
        if !skipped.is_empty() || !export.unnamed.is_empty() {
            warnings::unknown(view, &mut warnings);
        }
        warnings::without_counterpart(view, export, &mut warnings);
        warnings::without_order(view, export, &mut warnings);
        let (mut by_host, mut everywhere) = (BTreeMap::<&str, Vec<usize>>::new(), Vec::new());
        for (nr, resource) in export.resources.iter().enumerate() {
            match &*resource.agent {
                INTERNAL => everywhere.push(nr),
                host => by_host.entry(host).or_default().push(nr),
            }
        }
        let mut requires = vec![Vec::new(); export.resources.len()];
        let mut required_elsewhere = BTreeSet::new();
        for (at, (from, to)) in export.requires.iter().enumerate() {
            requires[*from].push(at);
            let (waits, first) = (&*export.resources[*from].agent, &*export.resources[*to].agent);
            // What belongs to any host waits on each of them; with a single one, it is at home.
            if first != INTERNAL && waits != first && (waits != INTERNAL || has_several_hosts || by_host.len() > 1) {
                required_elsewhere.insert(*to);
            }
        }
        Lowering { compilation, export, by_host, everywhere, requires, skipped, required_elsewhere, warnings }
    }

    /// The hosts that have resources, sorted.
    pub fn hosts(&self) -> impl Iterator<Item = &'a str> {
        self.by_host.keys().copied()
    }

    /// The instance that a resource of a host, `kind[name]`, is lowered from.
    pub fn instance(&self, host: &str, resource: &str) -> Option<InstId> {
        let view = View { compilation: self.compilation };
        let own = self.by_host.get(host).into_iter().flatten();
        let found = self.everywhere.iter().chain(own).find(|nr| {
            let exported = &self.export.resources[**nr];
            // A host may know what is unknown here.
            if self.skipped.contains(*nr) {
                return left_out(exported).is_some_and(|one| one.id().is_some_and(|id| id.to_string() == resource));
            }
            let vertex = fields::vertex(view, exported, &mut Vec::new(), place(view, exported));
            let id = vertex.ok().flatten().map(|vertex| ResourceId::new(vertex.kind, vertex.name).to_string());
            id.as_deref() == Some(resource)
        });
        found.map(|nr| self.export.resources[*nr].instance)
    }

    /// Lowers the resources of a host; without a name, of the only one.
    ///
    /// Errors: the resources of the host that cannot be expressed in our kinds, or that contradict each other.
    pub fn host(&self, host: Option<&str>) -> Result<Lowered, Failure> {
        let mut out = Lowered::default();
        let only = if self.by_host.len() == 1 { self.hosts().next() } else { None };
        let host = host.or(only);
        out.host = host.map(str::to_owned);
        if host.is_none_or(|host| !self.by_host.contains_key(host)) && !self.by_host.is_empty() {
            let known: Vec<&str> = self.hosts().collect();
            let message = match host {
                Some(host) => nothing_for(host, &known),
                None => format!("the model has several hosts; choose one: {}", known.join(", ")),
            };
            out.warn(message, None);
        }
        let lowered = self.resources(host, out)?;
        Fault::all(contradictions(&lowered.graph)).map_or(Ok(lowered), Err)
    }

    /// The same for a part of a model, which may have no resources for this host. Contradictions are looked for when the
    /// parts are joined.
    pub(crate) fn part(&self, host: &str) -> Result<Lowered, Failure> {
        self.resources(Some(host), Lowered { host: Some(host.to_owned()), ..Lowered::default() })
    }

    fn resources(&self, host: Option<&str>, mut out: Lowered) -> Result<Lowered, Failure> {
        let view = View { compilation: self.compilation };
        let mut vertices: BTreeMap<usize, VertexId> = BTreeMap::new();
        let mut by_id: BTreeMap<ResourceId, VertexId> = BTreeMap::new();
        let mut resources: IndexVec<VertexId, Arc<Resource>> = IndexVec::new();
        let own = host.filter(|host| *host != INTERNAL).and_then(|host| self.by_host.get(host));
        let mut meant: Vec<usize> = self.everywhere.iter().chain(own.into_iter().flatten()).copied().collect();
        meant.sort_unstable();
        let mut faults: Vec<Failure> = Vec::new();
        for nr in meant.iter().copied().filter(|nr| !self.skipped.contains(nr)) {
            if faults.len() >= MAX_FAULTS {
                break;
            }
            let exported = &self.export.resources[nr];
            let span = place(view, exported);
            let vertex = fields::vertex(view, exported, &mut out.warnings, span);
            let made = |vertex| build(vertex, exported, span).map_err(|wrong| vec![wrong]);
            let built = vertex.and_then(|vertex| vertex.map(made).transpose());
            let resource = match built {
                Ok(Some(resource)) => resource,
                Ok(None) => continue,
                Err(wrongs) => {
                    faults.extend(wrongs.into_iter().map(|wrong| wrong.fault(view, exported)));
                    continue;
                }
            };
            if let Some(first) = by_id.get(&resource.id) {
                if resources[*first].params == resource.params {
                    vertices.insert(nr, *first);
                } else {
                    faults.push(inequivalent(&resources[*first], &resource));
                }
                continue;
            }
            let id = resource.id.clone();
            let vertex = resources.push(Arc::new(resource));
            by_id.insert(id, vertex);
            vertices.insert(nr, vertex);
        }
        if let Some(fault) = Fault::all(faults) {
            return Err(fault);
        }
        let skipped = meant.iter().copied().filter(|nr| self.skipped.contains(nr));
        let named = skipped.filter_map(|nr| left_out(&self.export.resources[nr]));
        let named = named.filter(|left_out| left_out.id().is_some_and(|id| !by_id.contains_key(id)));
        let left_out = named.chain(self.unnamed(host)).collect();
        let edges = self.edges(&vertices, &resources, &mut out.between);
        out.between.told = self.told(&vertices);
        out.graph = ResGraph { resources, edges, left_out };
        Ok(out)
    }

    /// The kinds of the resources without a name that may belong to this host.
    fn unnamed(&self, host: Option<&str>) -> Vec<LeftOut> {
        let unnamed = self.export.unnamed.iter().filter(|one| {
            let is_of = |agent: &str| agent == INTERNAL || host == Some(agent);
            one.agent.as_deref().is_none_or(is_of)
        });
        let kinds: BTreeSet<&'static str> = unnamed.map(|one| one.registration.kind).collect();
        kinds.into_iter().map(|kind| LeftOut::Unnamed { kind }).collect()
    }

    fn awaited(&self, waits: VertexId, waiting: &Exported, required: &Exported) -> Awaited {
        Awaited {
            waits,
            waiting: waiting.id(),
            required: required.id(),
            host: required.agent.clone(),
            state: between::state(required),
            span: place(View { compilation: self.compilation }, waiting),
        }
    }

    /// Requirements come first; an edge notifies if both sides want it.
    fn edges(
        &self,
        vertices: &BTreeMap<usize, VertexId>,
        resources: &IndexVec<VertexId, Arc<Resource>>,
        between: &mut Between,
    ) -> Vec<Edge> {
        let mut found: BTreeMap<(ResourceId, ResourceId), Edge> = BTreeMap::new();
        let mut wishes: Vec<usize> = vertices.keys().flat_map(|nr| &self.requires[*nr]).copied().collect();
        wishes.sort_unstable();
        for (from, to) in wishes.into_iter().map(|at| &self.export.requires[at]) {
            let (waits, first) = (&self.export.resources[*from], &self.export.resources[*to]);
            let Some(to_vertex) = vertices.get(from) else { continue };
            let Some(from_vertex) = vertices.get(to) else {
                let is_elsewhere = waits.agent != first.agent && self.required_elsewhere.contains(to);
                if is_elsewhere && !self.skipped.contains(to) && !fields::is_nothing(first) {
                    between.awaited.push(self.awaited(*to_vertex, waits, first));
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
        found.into_values().collect()
    }
}

impl Lowered {
    fn warn(&mut self, message: String, span: Option<Span>) {
        self.warnings.push(warning(message, span));
    }
}

/// The warning that a model has nothing for a host.
pub(crate) fn nothing_for(host: &str, known: &[&str]) -> String {
    format!("the model has no resources for the host `{host}`; it has resources for {}", known.join(", "))
}

pub(crate) fn warning(message: String, span: Option<Span>) -> Warning {
    Warning { class: "LoweringWarning", message, span }
}

fn place(view: View<'_>, exported: &Exported) -> Span {
    view.place(exported.instance)
}

fn flag(exported: &Exported, name: &str) -> bool {
    exported.field(name).and_then(Value::as_bool) == Some(true)
}

/// Unknown resources, also those with these names, and those that require them.
fn undefined(
    export: &Export,
    names: &BTreeSet<String>,
    view: View<'_>,
    warnings: &mut Vec<Warning>,
) -> BTreeSet<usize> {
    let is_unknown = |resource: &Exported| resource.is_undefined || !names.is_empty() && names.contains(&resource.id());
    let all = export.resources.iter().enumerate();
    let mut skipped: BTreeSet<usize> = all.filter(|(_, resource)| is_unknown(resource)).map(|(nr, _)| nr).collect();
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

fn build(vertex: Vertex, exported: &Exported, span: Span) -> Result<Resource, Wrong> {
    let Some(kind) = kinds::lookup(vertex.kind) else {
        return Err(Wrong::whole(format!("cannot find resource kind `{}`", vertex.kind)));
    };
    let decl = kind.decl();
    let mut params = Params::with_room(vertex.fields.len());
    for (field, value) in &vertex.fields {
        let stored = match decl.index_of(field) {
            Some(index) => store::store(decl, &mut params, index, value),
            None => Err(format!("`{}` has no field `{field}`", vertex.kind)),
        };
        stored.map_err(|reason| Wrong::in_field(exported, field, reason))?;
    }
    let mut meta = vertex.meta;
    meta.noop |= flag(exported, "report_only");
    meta.dollar |= vertex.name.starts_with('$');
    let resource = Resource {
        id: ResourceId::new(vertex.kind, vertex.name),
        kind,
        params,
        meta: Arc::new(meta),
        receives: Vec::new(),
        secret_fields: Vec::new(),
        children: Vec::new(),
        is_reversal: false,
        span: Some(span),
    };
    kinds::validate(kind, &resource.want())
        .map_err(|reason| Wrong::not_valid(exported, &resource, &vertex.fields, &reason))?;
    Ok(resource)
}

/// The record of a resource that the graph leaves out; `None` if its name is not valid.
fn left_out(exported: &Exported) -> Option<LeftOut> {
    let name = fields::name(exported).ok()?;
    let id = ResourceId::new(exported.registration.kind, name);
    Some(LeftOut::Named { id, is_spared: !fields::may_be_purged_later(exported) })
}
