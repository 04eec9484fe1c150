//! Automatic grouping: one resource does the work of several (engine spec, 12).

use super::{Changed, Edge, ResGraph, Resource, VertexId};
use crate::diag::{Diagnostic, Stage, codes};
use crate::index::{Id, IndexVec};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Merges resources into leaders of their family.
///
/// Errors: `errAutoGroup` when the graph has a cycle, which automatic edges can make.
///
/// Cost: for each resource that leads, the groupable resources and, if it has a candidate, what it
/// reaches or is reached from.
pub fn autogroup(graph: &mut ResGraph) -> Result<(), Box<Diagnostic>> {
    group(graph).map(|_| ())
}

/// The groups of one running program.
#[derive(Default)]
pub struct AutoGroups {
    before: Option<Before>,
}

struct Before {
    input: ResGraph,
    output: ResGraph,
    /// By vertex of the output, that of the input.
    sources: IndexVec<VertexId, VertexId>,
    /// The way back; none for who was merged into another one.
    places: IndexVec<VertexId, Option<VertexId>>,
}

impl AutoGroups {
    /// Groups the next graph of the program. When only fields of what cannot be grouped changed, the
    /// groups are those of the last one.
    ///
    /// Errors: as [`autogroup`].
    pub fn update(&mut self, graph: &mut ResGraph) -> Result<(), Box<Diagnostic>> {
        let input = graph.clone();
        let sources = match self.before.take().filter(|before| is_alike(&before.input, graph)) {
            Some(before) => {
                *graph = before.output;
                for (id, source) in before.sources.iter() {
                    let resource = &mut graph.resources[id];
                    if resource.children.is_empty() {
                        resource.clone_from(&input.resources[*source]);
                    }
                }
                before.sources
            }
            None => group(graph)?,
        };
        let mut places: IndexVec<VertexId, Option<VertexId>> = input.resources.ids().map(|_| None).collect();
        sources.iter().for_each(|(id, source)| places[*source] = Some(id));
        self.before = Some(Before { input, output: graph.clone(), sources, places });
        Ok(())
    }

    /// The same changes for the graph of groups, when a few resources were exchanged that cannot be
    /// grouped, in an otherwise unchanged graph.
    pub fn keeps(&mut self, changes: &[Changed]) -> Option<Vec<Changed>> {
        let before = self.before.as_mut()?;
        let mapped = changes.iter().map(|changed| {
            let plain = !may_group(&changed.before) && !may_group(&changed.now);
            let at = before.places.get(changed.at).copied().flatten().filter(|_| plain)?;
            Some(Changed { at, ..changed.clone() })
        });
        let mapped: Vec<Changed> = mapped.collect::<Option<_>>()?;
        for (changed, mapped) in changes.iter().zip(&mapped) {
            before.input.resources[changed.at] = changed.now.clone();
            before.output.resources[mapped.at] = changed.now.clone();
        }
        Some(mapped)
    }
}

/// Is the order the same, and everything that may be grouped?
fn is_alike(before: &ResGraph, now: &ResGraph) -> bool {
    let plain = |resource: &Resource| !may_group(resource);
    let mut pairs = before.resources.values().zip(now.resources.values());
    before.resources.len() == now.resources.len()
        && pairs.all(|(a, b)| Arc::ptr_eq(a, b) || a.id == b.id && plain(a) && plain(b))
        && before.edges == now.edges
}

/// The vertices that are left, by their old numbers.
fn group(graph: &mut ResGraph) -> Result<IndexVec<VertexId, VertexId>, Box<Diagnostic>> {
    let mut order: Vec<VertexId> = graph.resources.ids().filter(|id| may_group(&graph.resources[*id])).collect();
    order.sort_by_cached_key(|id| {
        let resource = &graph.resources[*id];
        let chunks: Vec<String> = resource.id.kind.split(':').map(str::to_owned).collect();
        Reverse((chunks.len(), chunks, resource.id.name.to_string()))
    });
    if order.is_empty() {
        return acyclic(graph).map(|()| graph.resources.ids().collect());
    }
    let mut grouping = Grouping::new(graph);
    let mut near = Near::new(graph.resources.len());
    for leader in &order {
        if grouping.gone[leader.index()] || !grouping.leads(*leader) {
            continue;
        }
        let mut known = false;
        for member in &order {
            if leader == member || grouping.gone[member.index()] || !grouping.accepts(*leader, *member) {
                continue;
            }
            if !std::mem::replace(&mut known, true) {
                near.start();
                near.add(&grouping, *leader);
            }
            if !near.has(*member) {
                near.add(&grouping, *member);
                grouping.merge(*member, *leader);
            }
        }
    }
    let sources = grouping.write(graph);
    acyclic(graph).map(|()| sources)
}

fn acyclic(graph: &ResGraph) -> Result<(), Box<Diagnostic>> {
    match graph.cycle() {
        None => Ok(()),
        Some(cycle) => {
            let names: Vec<String> = cycle.iter().map(|id| format!("`{}`", graph.resources[*id].id)).collect();
            let message = format!("automatic edges make a cycle: {}", names.join(" -> "));
            let diag = Diagnostic::error(codes::GROUP_CYCLE, Stage::AutoGroup, message)
                .help("switch the automatic edges of one of them off: `Meta:autoedge => false`");
            let span = cycle.iter().find_map(|id| graph.resources[*id].span);
            Err(Box::new(match span {
                Some(span) => diag.at(span, "this resource"),
                None => diag,
            }))
        }
    }
}

fn may_group(resource: &Resource) -> bool {
    let traits = resource.kind.decl().traits;
    resource.meta.autogroup && (traits.groupable || traits.groups_others)
}

/// What an edge is, besides its ends.
#[derive(Clone)]
struct Link {
    name: Arc<str>,
    notify: bool,
}

/// Everything that a leader reaches or is reached from. It only grows as members join, so each edge
/// is walked once per leader and direction.
struct Near {
    /// The round in which a vertex was last seen, by direction.
    after: Vec<u32>,
    before: Vec<u32>,
    round: u32,
    work: Vec<VertexId>,
}

impl Near {
    fn new(n_vertices: usize) -> Near {
        Near { after: vec![0; n_vertices], before: vec![0; n_vertices], round: 0, work: Vec::new() }
    }

    /// For the next leader.
    fn start(&mut self) {
        self.round += 1;
    }

    fn has(&self, id: VertexId) -> bool {
        self.after[id.index()] == self.round || self.before[id.index()] == self.round
    }

    /// Adds what a vertex reaches and is reached from; not itself.
    fn add(&mut self, grouping: &Grouping, id: VertexId) {
        self.work.extend(grouping.outs[id].keys());
        while let Some(at) = self.work.pop() {
            if std::mem::replace(&mut self.after[at.index()], self.round) != self.round {
                self.work.extend(grouping.outs[at].keys());
            }
        }
        self.work.extend(&grouping.ins[id]);
        while let Some(at) = self.work.pop() {
            if std::mem::replace(&mut self.before[at.index()], self.round) != self.round {
                self.work.extend(&grouping.ins[at]);
            }
        }
    }
}

struct Grouping {
    resources: IndexVec<VertexId, Arc<Resource>>,
    outs: IndexVec<VertexId, BTreeMap<VertexId, Link>>,
    ins: IndexVec<VertexId, BTreeSet<VertexId>>,
    gone: Vec<bool>,
}

impl Grouping {
    fn new(graph: &ResGraph) -> Grouping {
        let mut grouping = Grouping {
            resources: graph.resources.clone(),
            outs: graph.resources.values().map(|_| BTreeMap::new()).collect(),
            ins: graph.resources.values().map(|_| BTreeSet::new()).collect(),
            gone: vec![false; graph.resources.len()],
        };
        for edge in &graph.edges {
            grouping.outs[edge.from].insert(edge.to, Link { name: edge.name.clone(), notify: edge.notify });
            grouping.ins[edge.to].insert(edge.from);
        }
        grouping
    }

    fn leads(&self, id: VertexId) -> bool {
        let resource = &self.resources[id];
        resource.kind.leads(&resource.want())
    }

    /// The rules that look at the two alone.
    fn accepts(&self, leader: VertexId, member: VertexId) -> bool {
        let (leader, member) = (&self.resources[leader], &self.resources[member]);
        fn family(resource: &Resource) -> &str {
            resource.id.kind.split(':').next().unwrap_or_default()
        }
        if leader.id.kind == member.id.kind && !member.children.is_empty() || family(leader) != family(member) {
            return false;
        }
        leader.kind.groups(&leader.want(), &member.want()).is_ok()
    }

    /// The shortest path, as its edges.
    fn path(&self, from: VertexId, to: VertexId) -> Option<Vec<(VertexId, VertexId)>> {
        let mut came: BTreeMap<VertexId, VertexId> = BTreeMap::new();
        let mut work = VecDeque::from([from]);
        while let Some(at) = work.pop_front() {
            if at == to {
                break;
            }
            for next in self.outs[at].keys() {
                if *next != from && !came.contains_key(next) {
                    came.insert(*next, at);
                    work.push_back(*next);
                }
            }
        }
        let mut edges = Vec::new();
        let mut at = to;
        while at != from {
            let before = *came.get(&at)?;
            edges.push((before, at));
            at = before;
        }
        Some(edges)
    }

    /// Merges a resource into its leader; neither reaches the other.
    fn merge(&mut self, member: VertexId, leader: VertexId) {
        for from in std::mem::take(&mut self.ins[member]) {
            if let Some(link) = self.outs[from].remove(&member) {
                self.redirect(from, leader, link);
            }
        }
        for (to, link) in std::mem::take(&mut self.outs[member]) {
            self.ins[to].remove(&member);
            self.redirect(leader, to, link);
        }
        let child = self.resources[member].clone();
        let group = Arc::make_mut(&mut self.resources[leader]);
        for sema in &child.meta.sema {
            if !group.meta.sema.contains(sema) {
                group.meta.sema.push(sema.clone());
            }
        }
        group.children.push(child);
        self.gone[member.index()] = true;
    }

    /// Puts an edge between two others. Where a path leads the same way already, its edges take the
    /// flags, and lose their names.
    fn redirect(&mut self, from: VertexId, to: VertexId, link: Link) {
        let Some(path) = self.path(from, to) else {
            self.outs[from].insert(to, link);
            self.ins[to].insert(from);
            return;
        };
        for (from, to) in path {
            if let Some(known) = self.outs[from].get_mut(&to) {
                known.notify |= link.notify;
                known.name = "".into();
            }
        }
    }

    fn write(self, graph: &mut ResGraph) -> IndexVec<VertexId, VertexId> {
        let mut sources = IndexVec::new();
        let mut places: IndexVec<VertexId, Option<VertexId>> = self.gone.iter().map(|_| None).collect();
        graph.resources = IndexVec::new();
        for (id, resource) in self.resources.iter() {
            if !self.gone[id.index()] {
                places[id] = Some(graph.resources.push(resource.clone()));
                sources.push(id);
            }
        }
        graph.edges.clear();
        for (from, outs) in self.outs.iter() {
            for (to, link) in outs {
                if let (Some(from), Some(to)) = (places[from], places[*to]) {
                    graph.edges.push(Edge { from, to, name: link.name.clone(), notify: link.notify });
                }
            }
        }
        sources
    }
}
