//! Writes what a region is replaced with: a function, and the call in its place.

use super::body::Body;
use super::passed::{Passed, zero};
use super::region::{Exit, Given, Region, Target, branches, target};
use std::borrow::Cow;
use std::collections::BTreeMap;
use wasm_encoder::{BlockType, Encode, Function, Instruction, ValType};
use wasmparser::Operator;

/// A function made of a region.
pub(super) struct Made {
    /// What it takes and gives.
    pub ty: wasmparser::FuncType,
    /// Its body.
    pub body: Function,
}

/// The call in a region's place.
pub(super) fn call(region: &Region, function: u32, passed: &[Passed]) -> Vec<u8> {
    let mut code = Vec::new();
    for &local in &region.params {
        Instruction::LocalGet(local).encode(&mut code);
    }
    Instruction::Call(function).encode(&mut code);
    for passed in passed {
        if let Some(global) = passed.global {
            Instruction::GlobalGet(global).encode(&mut code);
        }
        match passed.given {
            Given::Local(local) => Instruction::LocalSet(local).encode(&mut code),
            Given::Flag(Target::Block(depth)) => Instruction::BrIf(depth).encode(&mut code),
            Given::Value | Given::Flag(Target::Next) => {}
        }
    }
    match region.exits.last() {
        None => Instruction::Unreachable.encode(&mut code),
        Some(Exit { to: Target::Block(depth), .. }) => Instruction::Br(*depth).encode(&mut code),
        Some(exit) if region.value.is_some() && !exit.valued => Instruction::Drop.encode(&mut code),
        Some(_) => {}
    }
    code
}

/// The function.
pub(super) fn function(body: &Body<'_>, region: &Region, passed: &[Passed]) -> Result<Made, String> {
    let params = region.stack.iter().copied().chain(region.params.iter().map(|&local| body.locals[local as usize]));
    let result = passed.first().map(|passed| passed.ty);
    let mut writer = Writer::new(body, region, passed)?;
    writer.write()?;
    Ok(Made { ty: wasmparser::FuncType::new(params, result), body: writer.code })
}

struct Writer<'a> {
    body: &'a Body<'a>,
    region: &'a Region,
    passed: &'a [Passed],
    /// The numbers of the locals in the function.
    locals: BTreeMap<u32, u32>,
    code: Function,
}

impl<'a> Writer<'a> {
    /// Numbers the locals: parameters, then the others that the region uses, by their types.
    fn new(body: &'a Body<'a>, region: &'a Region, passed: &'a [Passed]) -> Result<Writer<'a>, String> {
        let start = u32::try_from(region.stack.len()).map_err(|_| "a stack is too large".to_owned())?;
        let mut locals: BTreeMap<u32, u32> = region.params.iter().copied().zip(start..).collect();
        let mut next = start + u32::try_from(region.params.len()).unwrap_or(u32::MAX);
        let mut groups: Vec<(ValType, Vec<u32>)> = Vec::new();
        for step in &body.steps[region.steps.clone()] {
            let Some(local) = local(&step.operator) else { continue };
            if locals.contains_key(&local) || groups.iter().any(|(_, group)| group.contains(&local)) {
                continue;
            }
            let ty = encoded(body.locals[local as usize])?;
            match groups.iter_mut().find(|(group, _)| *group == ty) {
                Some((_, group)) => group.push(local),
                None => groups.push((ty, vec![local])),
            }
        }
        let mut declared = Vec::new();
        for (ty, group) in groups {
            declared.push((u32::try_from(group.len()).unwrap_or(u32::MAX), ty));
            for local in group {
                locals.insert(local, next);
                next += 1;
            }
        }
        Ok(Writer { body, region, passed, locals, code: Function::new(declared) })
    }

    /// The region in a block for each of its exits, the last one innermost: it is also left by its end.
    fn write(&mut self) -> Result<(), String> {
        for exit in &self.region.exits {
            let ty = match self.region.value {
                Some(ty) if exit.valued => BlockType::Result(encoded(ty)?),
                _ => BlockType::Empty,
            };
            self.code.instruction(&Instruction::Block(ty));
        }
        for value in (0..).take(self.region.stack.len()) {
            self.code.instruction(&Instruction::LocalGet(value));
        }
        let mut within = 0;
        for step in self.region.steps.clone() {
            match self.body.steps[step].operator {
                Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => within += 1,
                Operator::End => within -= 1,
                _ => {}
            }
            self.step(step, within)?;
        }
        for exit in self.region.exits.iter().rev() {
            self.code.instruction(&Instruction::End);
            self.leave(*exit);
        }
        self.code.instruction(&Instruction::End);
        Ok(())
    }

    /// An instruction in so many blocks of the region, with the numbers of the function.
    fn step(&mut self, step: usize, within: u32) -> Result<(), String> {
        let operator = &self.body.steps[step].operator;
        let number = |local: &u32| self.locals[local];
        let written = match operator {
            Operator::LocalGet { local_index } => Instruction::LocalGet(number(local_index)),
            Operator::LocalSet { local_index } => Instruction::LocalSet(number(local_index)),
            Operator::LocalTee { local_index } => Instruction::LocalTee(number(local_index)),
            Operator::Br { .. } | Operator::BrIf { .. } | Operator::BrTable { .. } | Operator::Return => {
                self.branch(operator, within)?
            }
            _ => {
                self.code.raw(self.body.written(step).iter().copied());
                return Ok(());
            }
        };
        self.code.instruction(&written);
        Ok(())
    }

    /// A branch, out of the region by the block of its exit.
    fn branch(&self, operator: &Operator<'_>, within: u32) -> Result<Instruction<'static>, String> {
        let block = self.body.steps[self.region.steps.start].block;
        let out = self.body.depth(block) + within;
        let mut depths = Vec::new();
        for depth in branches(operator, out) {
            let Some(outside) = depth.checked_sub(within) else {
                depths.push(depth);
                continue;
            };
            let to = target(self.body, block, outside);
            let exit = self
                .region
                .exits
                .iter()
                .rev()
                .position(|exit| exit.to == to)
                .ok_or_else(|| "a branch has no exit".to_owned())?;
            depths.push(within + u32::try_from(exit).unwrap_or(u32::MAX));
        }
        let last = depths.pop().unwrap_or(0);
        Ok(match operator {
            Operator::BrIf { .. } => Instruction::BrIf(last),
            Operator::BrTable { .. } => Instruction::BrTable(Cow::Owned(depths), last),
            _ => Instruction::Br(last),
        })
    }

    /// Returns the value, the locals, and which exit was taken.
    fn leave(&mut self, exit: Exit) {
        for passed in self.passed {
            match passed.given {
                // It is on the stack.
                Given::Value if exit.valued => {}
                Given::Value => drop(self.code.instruction(&zero(passed.ty).1)),
                Given::Local(local) => drop(self.code.instruction(&Instruction::LocalGet(self.locals[&local]))),
                Given::Flag(to) => drop(self.code.instruction(&Instruction::I32Const(i32::from(to == exit.to)))),
            }
            if let Some(global) = passed.global {
                self.code.instruction(&Instruction::GlobalSet(global));
            }
        }
        self.code.instruction(&Instruction::Return);
    }
}

/// The local that an instruction uses.
fn local(operator: &Operator<'_>) -> Option<u32> {
    match operator {
        Operator::LocalGet { local_index }
        | Operator::LocalSet { local_index }
        | Operator::LocalTee { local_index } => Some(*local_index),
        _ => None,
    }
}

fn encoded(ty: wasmparser::ValType) -> Result<ValType, String> {
    ValType::try_from(ty).map_err(|error: wasm_encoder::reencode::Error| error.to_string())
}
