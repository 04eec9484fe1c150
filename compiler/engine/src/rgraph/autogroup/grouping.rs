//! [`Grouping`]: the graph while resources are merged.

use super::near::Near;
use super::segments::Segments;
use super::{Edge, ResGraph, Resource, VertexId};
use crate::index::{Id, IndexVec};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An edge without its ends.
#[derive(Clone)]
pub(super) struct Link {
    name: Arc<str>,
    notify: bool,
}

pub(super) struct Grouping {
    resources: IndexVec<VertexId, Arc<Resource>>,
    pub(super) outs: IndexVec<VertexId, BTreeMap<VertexId, Link>>,
    pub(super) ins: IndexVec<VertexId, BTreeSet<VertexId>>,
    pub(super) gone: Vec<bool>,
    n_merged: usize,
    /// The number of vertices, edges and candidates visited: a measure of the work.
    pub(super) n_visited: u64,
}

/// The resources of one family; only these can be grouped with each other.
struct Family {
    candidates: Vec<VertexId>,
    segments: Segments,
    /// The segments are those of the graph after this many merges.
    n_merged: usize,
}

impl Grouping {
    pub(super) fn new(graph: &ResGraph) -> Grouping {
        let mut grouping = Grouping {
            resources: graph.resources.clone(),
            outs: graph.resources.values().map(|_| BTreeMap::new()).collect(),
            ins: graph.resources.values().map(|_| BTreeSet::new()).collect(),
            gone: vec![false; graph.resources.len()],
            n_merged: 0,
            n_visited: 0,
        };
        for edge in &graph.edges {
            grouping.outs[edge.from].insert(edge.to, Link { name: edge.name.clone(), notify: edge.notify });
            grouping.ins[edge.to].insert(edge.from);
        }
        grouping
    }

    /// Tries each leader with each member, both in this order.
    pub(super) fn merge_all(&mut self, order: &[VertexId]) {
        let mut families: BTreeMap<Arc<str>, Family> = BTreeMap::new();
        for id in order {
            let family = families.entry(family(&self.resources[*id]).into());
            let fresh = || Family { candidates: Vec::new(), segments: Segments::default(), n_merged: usize::MAX };
            family.or_insert_with(fresh).candidates.push(*id);
        }
        let mut near = Near::new(self.gone.len());
        for leader in order {
            if self.gone[leader.index()] || !self.leads(*leader) {
                continue;
            }
            let Some(family) = families.get_mut(family(&self.resources[*leader])) else { continue };
            // Merges in other families may have added paths.
            if family.n_merged != self.n_merged {
                family.segments = Segments::new(self, &family.candidates);
            }
            self.lead(*leader, &mut family.segments, &mut near);
            family.n_merged = self.n_merged;
        }
    }

    /// Merges every eligible member into a leader.
    fn lead(&mut self, leader: VertexId, segments: &mut Segments, near: &mut Near) {
        let segment = segments.of(leader);
        let members = segments.take_candidates(segment);
        let n_merged = self.n_merged;
        let mut is_near_known = false;
        for member in members.iter().copied().filter(|member| *member != leader) {
            self.n_visited += 1;
            if self.gone[member.index()] || is_near_known && near.has(member) || !self.accepts(leader, member) {
                continue;
            }
            if !std::mem::replace(&mut is_near_known, true) {
                near.start();
                near.add(self, segments, leader);
            }
            if !near.has(member) {
                near.add(self, segments, member);
                self.merge(member, leader);
            }
        }
        segments.put_candidates(segment, members);
        if self.n_merged > n_merged {
            segments.cut(self, segment);
        }
    }

    fn leads(&self, id: VertexId) -> bool {
        let resource = &self.resources[id];
        resource.kind.leads(&resource.want())
    }

    /// The rules that depend only on the pair.
    fn accepts(&self, leader: VertexId, member: VertexId) -> bool {
        let (leader, member) = (&self.resources[leader], &self.resources[member]);
        if leader.id.kind == member.id.kind && !member.children.is_empty() {
            return false;
        }
        leader.kind.groups(&leader.want(), &member.want()).is_ok()
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
                Arc::make_mut(&mut group.meta).sema.push(sema.clone());
            }
        }
        group.children.push(child);
        self.gone[member.index()] = true;
        self.n_merged += 1;
    }

    /// Adds an edge between two other vertices. If a path already leads the same way, its edges take over the flags,
    /// and lose their names.
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

    /// The grouped graph, and the previous number of each of its vertices.
    pub(super) fn write(self, graph: &mut ResGraph) -> IndexVec<VertexId, VertexId> {
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

/// Resources of different families are never grouped.
pub(super) fn family(resource: &Resource) -> &str {
    resource.id.kind.split(':').next().unwrap_or_default()
}
