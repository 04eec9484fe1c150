//! Regions: code that was never executed, up to the end of its block, in a function that was called.
//!
//! Code is reached from its block's start or from a branch to the end of a block within it. So if a place was not
//! reached, nothing after it in the same block was, and the region is left in two ways only: by its end, and by
//! branches to blocks around it.

use super::body::Body;
use super::live::{Live, Locals};
use std::ops::Range;
use wasmparser::{Operator, ValType};

/// A region that becomes a function.
pub(super) struct Region {
    /// Its instructions.
    pub steps: Range<usize>,
    /// What it takes from the stack of its block.
    pub stack: Vec<ValType>,
    /// The locals whose values it gets.
    pub params: Vec<u32>,
    /// The locals whose values it sets.
    pub results: Vec<u32>,
    /// The ways out of it. The last one is taken unless a flag is set.
    pub exits: Vec<Exit>,
    /// The value that it leaves on the stack, by some of the exits.
    pub value: Option<ValType>,
}

/// A way out of a region.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Exit {
    /// Where it goes.
    pub to: Target,
    /// Whether it takes a value along.
    pub valued: bool,
}

/// Where a way out goes.
#[derive(Clone, Copy, PartialEq, PartialOrd, Eq, Ord)]
pub(super) enum Target {
    /// To a block that is this many blocks around the region's own.
    Block(u32),
    /// To what follows the region's block.
    Next,
}

/// The smallest region. Units: bytes.
const SMALLEST: usize = 48;

/// How many times larger than the code in its place a region is at least.
const TIMES: usize = 2;

/// How many values go in at most.
const VALUES: usize = 24;

/// The last type of numbers by [`rank`]: values of these types can be given back.
const NUMBERS: u8 = 3;

/// The regions of a function, by the marks that were reached, in order. They do not overlap.
pub(super) fn find(body: &Body<'_>, reached: &[bool]) -> Vec<Region> {
    let mut regions = Vec::new();
    if reached.iter().all(|reached| *reached) {
        return regions;
    }
    let live = Live::of(body);
    let (mut step, mut cold) = (0, false);
    while step < body.steps.len() {
        if let Some(mark) = body.steps[step].mark {
            cold = !reached[mark];
        }
        let region = if cold { Region::of(body, &live, step) } else { None };
        match region.filter(|region| region.pays(body)) {
            Some(region) => {
                step = region.steps.end;
                regions.push(region);
            }
            None => step += 1,
        }
    }
    regions
}

impl Region {
    /// The region from an instruction to the end of its block.
    pub(super) fn of(body: &Body<'_>, live: &Live, start: usize) -> Option<Region> {
        if !body.is_start(start) {
            return None;
        }
        let stack = body.steps[start].stack.clone()?;
        let block = body.steps[start].block;
        let steps = start..body.blocks[block].closes;
        let out = body.depth(block);
        let mut left = Left { body, block, targets: Vec::new() };
        let (mut read, mut set) = (Locals::none(body.locals.len()), Locals::none(body.locals.len()));
        let mut within = 0;
        for step in steps.clone() {
            match &body.steps[step].operator {
                Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => within += 1,
                Operator::End => within -= 1,
                Operator::LocalGet { local_index } => read.add(*local_index),
                Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => set.add(*local_index),
                operator => branches(operator, out + within).into_iter().for_each(|depth| left.by(depth, within)),
            }
        }
        if body.steps[steps.end].stack.is_some() {
            left.targets.push(Target::Next);
        }
        let (exits, value) = left.exits()?;
        let mut wanted = Locals::none(body.locals.len());
        for exit in &exits {
            wanted.join(match exit.to {
                Target::Block(depth) => live.label(body, body.around(block, depth)),
                Target::Next => &live.after[block],
            });
        }
        let before = live.before.get(&start)?;
        let locals = || 0..u32::try_from(body.locals.len()).unwrap_or(u32::MAX);
        let mut results: Vec<u32> = locals().filter(|&local| set.has(local) && wanted.has(local)).collect();
        // What it sets on some of its ways only, it returns as it was on the others.
        let mut params: Vec<u32> =
            locals().filter(|&local| before.has(local) && (read.has(local) || results.contains(&local))).collect();
        if results.iter().any(|&local| rank(body.locals[local as usize]) > NUMBERS) {
            return None;
        }
        // In order of types, so that few types of functions differ.
        for list in [&mut params, &mut results] {
            list.sort_by_key(|&local| rank(body.locals[local as usize]));
        }
        Some(Region { steps, stack, params, results, exits, value })
    }

    /// Whether the code in its place is much smaller.
    fn pays(&self, body: &Body<'_>) -> bool {
        let size = body.steps[self.steps.end].at - body.steps[self.steps.start].at;
        let given = self.given(body);
        // A parameter is one instruction, what is given back mostly two.
        let call = 4 + 2 * self.params.len() + 4 * given.len();
        size >= SMALLEST && size >= TIMES * call && self.params.len() + self.stack.len() <= VALUES
    }

    /// What its function returns.
    pub(super) fn given(&self, body: &Body<'_>) -> Vec<(Given, ValType)> {
        let value = self.value.map(|ty| (Given::Value, ty));
        let locals = self.results.iter().map(|&local| (Given::Local(local), body.locals[local as usize]));
        let flags = self.exits.iter().rev().skip(1).rev().map(|exit| (Given::Flag(exit.to), ValType::I32));
        value.into_iter().chain(locals).chain(flags).collect()
    }
}

/// Something that the function of a region returns.
#[derive(Clone, Copy)]
pub(super) enum Given {
    /// The value that the region leaves on the stack.
    Value,
    /// The value of a local.
    Local(u32),
    /// Whether the region was left by this exit.
    Flag(Target),
}

/// How far the branches of an instruction go; to the function's end, `out`, for a `return`.
pub(super) fn branches(operator: &Operator<'_>, out: u32) -> Vec<u32> {
    match operator {
        Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => vec![*relative_depth],
        Operator::BrTable { targets } => targets.targets().flatten().chain([targets.default()]).collect(),
        Operator::Return => vec![out],
        _ => Vec::new(),
    }
}

/// An order of types.
fn rank(ty: ValType) -> u8 {
    match ty {
        ValType::I32 => 0,
        ValType::I64 => 1,
        ValType::F32 => 2,
        ValType::F64 => 3,
        ValType::V128 => 4,
        ValType::Ref(_) => 5,
    }
}

/// How a region in a block is left.
struct Left<'a> {
    body: &'a Body<'a>,
    block: usize,
    targets: Vec<Target>,
}

impl Left<'_> {
    /// By a branch in so many blocks within it.
    fn by(&mut self, depth: u32, within: u32) {
        if depth >= within {
            self.targets.push(target(self.body, self.block, depth - within));
        }
    }

    /// The exits and the value. `None`: there are several values.
    fn exits(mut self) -> Option<(Vec<Exit>, Option<ValType>)> {
        self.targets.sort_unstable();
        self.targets.dedup();
        let (mut exits, mut value) = (Vec::new(), None);
        for &to in &self.targets {
            let values = match to {
                Target::Block(depth) => self.body.label(self.body.around(self.block, depth)),
                Target::Next => &self.body.blocks[self.block].gives,
            };
            match values {
                [] => {}
                [one] if value.is_none_or(|value| value == *one) && rank(*one) <= NUMBERS => value = Some(*one),
                _ => return None,
            }
            exits.push(Exit { to, valued: !values.is_empty() });
        }
        Some((exits, value))
    }
}

/// Where a branch out of a region in this block goes.
pub(super) fn target(body: &Body<'_>, block: usize, depth: u32) -> Target {
    if depth == 0 && !body.blocks[block].is_loop { Target::Next } else { Target::Block(depth) }
}
