//! [`Graph`]: the running resources, in places that they keep while the graph changes.

mod managed;

use super::{Slot, Table};
use crate::index::{Id, IndexVec};
use crate::protocol::ResourceId;
use crate::rgraph::{Resource, VertexId};
use crate::vocab::Datum;
use managed::Managed;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A running resource.
#[derive(Clone)]
struct Vertex {
    /// As the program declared it.
    declared: Arc<Resource>,
    /// The same with received values; shared with `declared` until there are some.
    resource: Arc<Resource>,
    /// Its own `noop`, or that of the whole program.
    noop: bool,
    /// By index of `receives`: a new value came since the last check without error.
    changed: Vec<bool>,
    /// Data that its kind keeps between checks.
    kept: Option<Datum>,
}

#[derive(Clone, Default)]
pub(crate) struct Graph {
    vertices: IndexVec<Slot, Option<Box<Vertex>>>,
    free: Vec<Slot>,
    /// Vertices in topological order, in which they were started.
    order: Vec<Slot>,
    /// The index of each place in that order.
    turns: Table<u32>,
    /// The same vertices in the order of the graph.
    placed: IndexVec<VertexId, Slot>,
    /// How many of the first of `placed` are declared by the program; the others undo something.
    n_declared: usize,
    /// The number with `noop`.
    n_noop: usize,
    /// The number of resources of each kind.
    by_kind: BTreeMap<Arc<str>, usize>,
    managed: Managed,
}

impl Graph {
    /// A free place.
    pub(crate) fn free_slot(&mut self) -> Slot {
        self.free.pop().unwrap_or_else(|| self.vertices.push(None))
    }

    /// Puts a resource in a place; [`Graph::arrange`] sets the order.
    pub(crate) fn put(&mut self, slot: Slot, resource: Arc<Resource>, noop: bool) {
        self.n_noop += usize::from(noop);
        for kind in kinds_of(&resource) {
            *self.by_kind.entry(kind).or_default() += 1;
        }
        let changed = vec![false; resource.receives.len()];
        let vertex = Vertex { declared: resource.clone(), resource, noop, changed, kept: None };
        self.vertices[slot] = Some(Box::new(vertex));
    }

    /// Empties a place that is about to be reused.
    pub(crate) fn take(&mut self, slot: Slot) {
        let Some(vertex) = self.vertices[slot].take() else { return };
        self.n_noop -= usize::from(vertex.noop);
        for kind in kinds_of(&vertex.resource) {
            if let Some(n) = self.by_kind.get_mut(&kind) {
                *n -= 1;
            }
        }
    }

    /// Frees a place for later use.
    pub(crate) fn release(&mut self, slot: Slot) {
        self.free.push(slot);
    }

    /// Sets the order of a graph whose resources are all placed. The first of `placed` are declared ones.
    pub(crate) fn arrange(&mut self, order: Vec<Slot>, placed: IndexVec<VertexId, Slot>, n_declared: usize) {
        for (turn, &slot) in (0..).zip(&order) {
            self.turns.put(slot, turn);
        }
        (self.order, self.placed, self.n_declared) = (order, placed, n_declared);
        self.managed.forget();
    }

    /// The vertices in topological order.
    pub(crate) fn order(&self) -> &[Slot] {
        &self.order
    }

    /// Its index in that order.
    pub(crate) fn turn(&self, slot: Slot) -> u32 {
        self.turns[slot]
    }

    /// The place of a vertex of the graph in effect.
    pub(crate) fn place(&self, at: VertexId) -> Option<Slot> {
        self.placed.get(at).copied()
    }

    /// The place of a declared vertex.
    pub(crate) fn declared_place(&self, at: VertexId) -> Option<Slot> {
        self.place(at).filter(|_| at.index() < self.n_declared)
    }

    /// The declared vertices, in the order of the graph.
    pub(crate) fn said(&self) -> impl Iterator<Item = Slot> {
        self.placed.values().take(self.n_declared).copied()
    }

    /// The vertices that undo something.
    pub(crate) fn undoing(&self) -> impl Iterator<Item = Slot> {
        self.placed.values().skip(self.n_declared).copied()
    }

    /// The number of places, including free ones.
    pub(crate) fn n_slots(&self) -> usize {
        self.vertices.len()
    }

    pub(crate) fn is_taken(&self, slot: Slot) -> bool {
        self.vertices[slot].is_some()
    }

    /// A resource with received values stored.
    pub(crate) fn resource(&self, slot: Slot) -> &Arc<Resource> {
        &self.vertex(slot).resource
    }

    /// The resource as the program declared it.
    pub(crate) fn declared(&self, slot: Slot) -> &Arc<Resource> {
        &self.vertex(slot).declared
    }

    pub(crate) fn id(&self, slot: Slot) -> &ResourceId {
        &self.vertex(slot).resource.id
    }

    /// Whether it runs with `noop`.
    pub(crate) fn is_noop(&self, slot: Slot) -> bool {
        self.vertex(slot).noop
    }

    pub(crate) fn n_noop(&self) -> usize {
        self.n_noop
    }

    /// The number of resources of each kind, including members.
    pub(crate) fn kinds(&self) -> Vec<(Arc<str>, usize)> {
        self.by_kind.iter().map(|(kind, &n)| (kind.clone(), n)).collect()
    }

    /// The data that its kind has stored since the last check.
    pub(crate) fn kept(&self, slot: Slot) -> Option<&Datum> {
        self.vertex(slot).kept.as_ref()
    }

    pub(crate) fn keep(&mut self, slot: Slot, kept: Option<Datum>) {
        self.vertex_mut(slot).kept = kept;
    }

    /// The receiving fields, and which of them got a new value since the last check without error.
    pub(crate) fn received(&self, slot: Slot) -> Vec<(&'static str, bool)> {
        let vertex = self.vertex(slot);
        let fields = vertex.resource.kind.decl().fields;
        let wires = vertex.resource.receives.iter().zip(&vertex.changed);
        wires.map(|(wire, &changed)| (fields[wire.field].name, changed)).collect()
    }

    /// A check without error has seen all received values.
    pub(crate) fn forget_received(&mut self, slot: Slot) {
        self.vertex_mut(slot).changed.fill(false);
    }

    /// Stores received values; `changed` are the wires that brought them.
    pub(crate) fn store(&mut self, slot: Slot, resource: Resource, changed: &[usize]) {
        let vertex = self.vertex_mut(slot);
        vertex.resource = Arc::new(resource);
        for &index in changed {
            vertex.changed[index] = true;
        }
    }

    /// The graph declares the same resource again, perhaps with other wires. Received values stay.
    pub(crate) fn declare_again(&mut self, slot: Slot, new: &Arc<Resource>) {
        let vertex = self.vertex_mut(slot);
        if vertex.declared.receives != new.receives {
            let held = vertex.resource.params.clone();
            vertex.resource = Arc::new(Resource { params: held, ..(**new).clone() });
            vertex.changed = vec![false; new.receives.len()];
        } else if Arc::ptr_eq(&vertex.declared, &vertex.resource) {
            vertex.resource = new.clone(); // nothing was received: keep sharing
        }
        vertex.declared = new.clone();
    }

    /// Paths managed by the resources, as far as the kind asks for them.
    pub(crate) fn managed_for(&mut self, slot: Slot) -> Arc<[String]> {
        let resource = self.resource(slot).clone();
        let vertices = &self.vertices;
        let all = self.order.iter().filter_map(|&slot| vertices[slot].as_deref()).map(|vertex| &*vertex.resource);
        self.managed.asked(&resource, all)
    }

    /// Another resource of the same name will take this place.
    pub(crate) fn exchange_managed(&mut self, slot: Slot, now: &Resource) {
        let before = self.declared(slot).clone();
        self.managed.exchanged(&before, now);
    }

    fn vertex(&self, slot: Slot) -> &Vertex {
        self.vertices[slot].as_deref().expect("only places that are taken are handed around")
    }

    fn vertex_mut(&mut self, slot: Slot) -> &mut Vertex {
        self.vertices[slot].as_deref_mut().expect("only places that are taken are handed around")
    }
}

/// The kinds of a resource and of its members.
fn kinds_of(resource: &Resource) -> Vec<Arc<str>> {
    let mut kinds = vec![resource.id.kind.clone()];
    kinds.extend(resource.children.iter().flat_map(|child| kinds_of(child)));
    kinds
}
