//! [`Why`]: the chain of causes of a check, shared between the vertices it passes through, and [`Causes`]: the causes
//! of each vertex's next check.

use super::{Slot, Table};
use crate::protocol::{Cause, ResourceId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A cause and its own causes. Cloning shares the chain.
#[derive(Clone, Debug)]
pub(crate) struct Why(Arc<Link>);

#[derive(Debug)]
struct Link {
    cause: Cause,
    before: Option<Why>,
    depth: usize,
}

/// The longest chain that is kept. A chain along 10,000 vertices is no more informative than its ends, so the middle is
/// dropped.
const LONGEST: usize = 12;

/// Why there is a new graph: the causes of the whole graph, and of single resources.
#[derive(Clone, Default, Debug)]
pub struct News {
    /// Causes of the graph as a whole.
    pub all: Vec<Cause>,
    /// Causes of single resources.
    pub of: FxHashMap<ResourceId, Vec<Cause>>,
}

impl News {
    /// Merges the news of a graph that was never used into those of the next one.
    pub(crate) fn then(mut self, later: News) -> News {
        self.of.extend(later.of);
        News { all: if later.all.is_empty() { self.all } else { later.all }, of: self.of }
    }

    pub(crate) fn why(&self, id: &ResourceId) -> Option<Why> {
        Why::of(self.of.get(id).unwrap_or(&self.all))
    }
}

impl Why {
    pub(crate) fn new(cause: Cause) -> Why {
        Why(Arc::new(Link { cause, before: None, depth: 1 }))
    }

    /// The chain with one more link; a chain of maximum length loses its latest link instead.
    pub(crate) fn then(&self, cause: Cause) -> Why {
        if self.0.depth >= LONGEST {
            return Why(Arc::new(Link { cause, before: self.0.before.clone(), depth: self.0.depth }));
        }
        Why(Arc::new(Link { cause, before: Some(self.clone()), depth: self.0.depth + 1 }))
    }

    /// A chain from a list, outermost first; `None` for an empty list.
    pub(crate) fn of(causes: &[Cause]) -> Option<Why> {
        let (first, rest) = causes.split_first()?;
        Some(rest.iter().fold(Why::new(first.clone()), |why, cause| why.then(cause.clone())))
    }

    /// The chain as a list, outermost first.
    pub(crate) fn list(why: Option<&Why>) -> Vec<Cause> {
        let mut list = Vec::with_capacity(why.map_or(0, |why| why.0.depth));
        let mut next = why;
        while let Some(why) = next {
            list.push(why.0.cause.clone());
            next = why.0.before.as_ref();
        }
        list.reverse();
        list
    }
}

/// For each vertex the causes of its next check.
#[derive(Clone, Default)]
pub(crate) struct Causes {
    of: Table<Option<Why>>,
}

impl Causes {
    pub(crate) fn put(&mut self, slot: Slot, why: Option<Why>) {
        self.of.put(slot, why);
    }

    pub(crate) fn of(&self, slot: Slot) -> Option<&Why> {
        self.of[slot].as_ref()
    }

    pub(crate) fn take(&mut self, slot: Slot) -> Option<Why> {
        self.of[slot].take()
    }

    /// Adds a link to the chain that leads to the next check; the first chain is kept.
    pub(crate) fn add(&mut self, slot: Slot, cause: Cause) {
        let why = &mut self.of[slot];
        *why = Some(match why.take() {
            None => Why::new(cause),
            Some(why) if matches!(cause, Cause::Received { .. }) => why.then(cause),
            Some(why) => why,
        });
    }

    /// Copies the causes of one vertex to another, unless that has some.
    pub(crate) fn copy(&mut self, from: Slot, to: Slot) {
        if self.of[to].is_none() {
            self.of[to] = self.of[from].clone();
        }
    }

    /// Sets the causes, unless there are some already.
    pub(crate) fn or(&mut self, slot: Slot, why: Option<&Why>) {
        let known = &mut self.of[slot];
        if known.is_none() {
            *known = why.cloned();
        }
    }
}
