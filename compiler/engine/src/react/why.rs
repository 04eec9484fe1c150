//! Explains why a statement's values changed: follows vertices that changed since the last complete table, from the
//! statement back to a reported fact or an elapsed moment.

use super::React;
use crate::fgraph::graph::{StmtId, StmtInst};
use crate::fgraph::op::Op;
use crate::fgraph::{Phrases, VertexId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The causes of a change, outermost first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reason {
    /// The fact, in words; `None` for an elapsed moment, or if unknown.
    pub fact: Option<String>,
    /// The values from it to the statement, in the program's words without literal texts, shortened.
    pub vertices: Vec<String>,
}

/// The search stops after this many vertices, with the result so far.
const MOST_VISITED: usize = 2_000;
/// The maximum number of vertices of a path that are reported: its two ends.
const MOST_TOLD: usize = 6;
/// The maximum number of bytes of a label.
const LONGEST_LABEL: usize = 60;

impl React {
    /// Why this statement has other values than in the previous table; meaningful right after a complete round.
    pub(crate) fn why(&self, stmt: StmtId, phrases: &Phrases) -> Reason {
        let mut after: FxHashMap<VertexId, Option<VertexId>> = FxHashMap::default();
        let mut work: VecDeque<VertexId> = VecDeque::new();
        for id in self.reads(stmt).into_iter().filter(|id| self.changed_now(*id)) {
            if after.insert(id, None).is_none() {
                work.push_back(id);
            }
        }
        while let Some(id) = work.pop_front() {
            if let Some(fact) = self.news(id) {
                return Reason { fact, vertices: self.way(id, &after, phrases) };
            }
            if after.len() > MOST_VISITED {
                break;
            }
            let inputs = self.graph.get(id).map(|vertex| &vertex.inputs[..]).unwrap_or_default();
            for from in inputs.iter().map(|input| input.from).filter(|from| self.changed_now(*from)) {
                after.entry(from).or_insert_with(|| {
                    work.push_back(from);
                    Some(id)
                });
            }
        }
        Reason { fact: self.facts_told().next(), vertices: Vec::new() }
    }

    /// Facts that the host reported since the last complete table, in words.
    pub(crate) fn facts_told(&self) -> impl Iterator<Item = String> {
        self.facts.told_in(self.epoch).map(|spec| spec.to_string())
    }

    /// Whether the table differs from the previous one, even in values that no statement reads. Meaningful right after
    /// a complete round.
    pub(crate) fn is_another_table(&self) -> bool {
        self.slots.iter().any(|slot| slot.changed == self.epoch)
    }

    fn changed_now(&self, id: VertexId) -> bool {
        self.slots.get(id.0 as usize).is_some_and(|slot| slot.changed == self.epoch)
    }

    /// Whether this vertex changed because of the world: the fact, or `None` for the passing of time.
    fn news(&self, id: VertexId) -> Option<Option<String>> {
        let senses = self.slots[id.0 as usize].senses.as_ref()?;
        let told = senses.facts.iter().find_map(|fact| self.facts.told(*fact, self.epoch));
        match told {
            Some(spec) => Some(Some(spec.to_string())),
            None => senses.wake.is_some().then_some(None),
        }
    }

    fn way(&self, from: VertexId, after: &FxHashMap<VertexId, Option<VertexId>>, phrases: &Phrases) -> Vec<String> {
        let mut way = Vec::new();
        let mut at = Some(from);
        while let Some(id) = at {
            way.push(id);
            at = after.get(&id).copied().flatten();
        }
        // Attachment points are of no interest to users.
        way.retain(|id| !matches!(self.graph.at(*id).op, Op::Output(_)));
        let mut way: Vec<String> = way.into_iter().map(|id| shortened(phrases.discreet(&self.graph, id))).collect();
        // Several vertices can be one expression.
        way.dedup();
        let n_left_out = way.len().saturating_sub(MOST_TOLD);
        if n_left_out > 0 {
            way.drain(MOST_TOLD / 2..MOST_TOLD / 2 + n_left_out);
        }
        way
    }

    /// The vertices that a statement reads.
    fn reads(&self, stmt: StmtId) -> Vec<VertexId> {
        match self.graph.stmt(stmt) {
            StmtInst::Resource { items, name, collect, .. } => {
                let items = items.iter().flat_map(|(value, cond)| [Some(*value), *cond]);
                items.chain([Some(*name), *collect]).flatten().collect()
            }
            StmtInst::Edge { names, .. } => names.clone(),
            StmtInst::Parts(vertex) => vec![*vertex],
        }
    }
}

fn shortened(mut text: String) -> String {
    if text.len() > LONGEST_LABEL {
        let end = (0..=LONGEST_LABEL).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}
