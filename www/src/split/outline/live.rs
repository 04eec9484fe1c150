//! Which locals are live: have values that may still be read.

use super::body::Body;
use std::collections::BTreeMap;
use wasmparser::Operator;

/// A set of locals.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Locals(Vec<u64>);

impl Locals {
    /// No local.
    pub(super) fn none(count: usize) -> Locals {
        Locals(vec![0; count.div_ceil(64)])
    }

    /// Adds a local.
    pub(super) fn add(&mut self, local: u32) {
        self.0[local as usize / 64] |= 1 << (local % 64);
    }

    fn remove(&mut self, local: u32) {
        self.0[local as usize / 64] &= !(1 << (local % 64));
    }

    /// Adds all of another set.
    pub(super) fn join(&mut self, other: &Locals) {
        for (mine, other) in self.0.iter_mut().zip(&other.0) {
            *mine |= other;
        }
    }

    /// Whether a local is in the set.
    pub(super) fn has(&self, local: u32) -> bool {
        self.0[local as usize / 64] >> (local % 64) & 1 == 1
    }
}

/// The live locals of a function.
pub(super) struct Live {
    /// Before each instruction that may start a region.
    pub before: BTreeMap<usize, Locals>,
    /// After each block.
    pub after: Vec<Locals>,
    /// At the start of each block, of loops and second arms.
    pub start: Vec<Locals>,
}

impl Live {
    /// Follows the body from its end to its start, until the starts of loops no longer change.
    pub(super) fn of(body: &Body<'_>) -> Live {
        let none = Locals::none(body.locals.len());
        let blocks = vec![none.clone(); body.blocks.len()];
        let mut live = Live { before: BTreeMap::new(), after: blocks.clone(), start: blocks };
        while live.pass(body, none.clone()) {}
        live
    }

    /// Follows the body once. Returns whether a loop's start has changed.
    fn pass(&mut self, body: &Body<'_>, mut live: Locals) -> bool {
        let mut changed = false;
        let none = live.clone();
        for (index, step) in body.steps.iter().enumerate().rev() {
            match &step.operator {
                Operator::LocalGet { local_index } => live.add(*local_index),
                Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => live.remove(*local_index),
                Operator::Br { relative_depth } => live.clone_from(self.target(body, step.block, *relative_depth)),
                Operator::BrIf { relative_depth } => live.join(&self.target(body, step.block, *relative_depth).clone()),
                Operator::BrTable { targets } => {
                    live.clone_from(self.target(body, step.block, targets.default()));
                    for depth in targets.targets().flatten() {
                        live.join(self.target(body, step.block, depth));
                    }
                }
                Operator::Return | Operator::Unreachable => live.clone_from(&none),
                Operator::End => self.after[step.block].clone_from(&live),
                Operator::Else => {
                    let other = step.opens.unwrap_or(0);
                    self.start[other].clone_from(&live);
                    live.clone_from(&self.after[other]);
                    self.after[step.block].clone_from(&live);
                }
                Operator::If { .. } => {
                    let block = step.opens.unwrap_or(0);
                    match body.blocks[block].other_arm {
                        Some(other) => live.join(&self.start[other]),
                        None => live.join(&self.after[block]),
                    }
                }
                Operator::Loop { .. } => {
                    let start = &mut self.start[step.opens.unwrap_or(0)];
                    changed |= *start != live;
                    start.clone_from(&live);
                }
                _ => {}
            }
            if body.is_start(index) {
                self.before.insert(index, live.clone());
            }
        }
        changed
    }

    /// What is live where a branch goes.
    fn target(&self, body: &Body<'_>, block: usize, depth: u32) -> &Locals {
        self.label(body, body.around(block, depth))
    }

    /// What is live where branches to this block go.
    pub(super) fn label(&self, body: &Body<'_>, block: usize) -> &Locals {
        if body.blocks[block].is_loop { &self.start[block] } else { &self.after[block] }
    }
}
