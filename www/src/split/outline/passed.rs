//! How the function of a region returns several values: the first as its result, the others in globals, which the
//! caller reads immediately.
//!
//! Functions with several results would do without globals, but a module with them failed in the V8 of Node.js 20
//! while some of its functions were optimised and others not. It worked with either of V8's compilers alone.

use super::region::Given;
use crate::split::shape::Shape;
use wasm_encoder::{ConstExpr, GlobalType, Instruction};
use wasmparser::ValType;

/// A value that is given back.
pub(super) struct Passed {
    /// What it is.
    pub given: Given,
    /// Its type.
    pub ty: ValType,
    /// The global in which it is; `None`: it is the result.
    pub global: Option<u32>,
}

/// The globals for this. All regions share them.
pub(super) struct Passing {
    /// How many globals the module has without them.
    others: usize,
    types: Vec<ValType>,
}

impl Passing {
    /// No global so far.
    pub(super) fn new(shape: &Shape<'_>) -> Passing {
        Passing { others: shape.globals.len(), types: Vec::new() }
    }

    /// Finds a global for each value but the first.
    pub(super) fn of(&mut self, given: Vec<(Given, ValType)>) -> Vec<Passed> {
        let mut taken = Vec::new();
        let place = |(index, (given, ty))| {
            let global = (index > 0).then(|| self.free(ty, &mut taken));
            Passed { given, ty, global }
        };
        given.into_iter().enumerate().map(place).collect()
    }

    /// A global of this type that is not taken.
    fn free(&mut self, ty: ValType, taken: &mut Vec<usize>) -> u32 {
        let free = (0..self.types.len()).find(|place| self.types[*place] == ty && !taken.contains(place));
        let place = free.unwrap_or_else(|| {
            self.types.push(ty);
            self.types.len() - 1
        });
        taken.push(place);
        u32::try_from(self.others + place).unwrap_or(u32::MAX)
    }

    /// The globals and what they are at the start.
    pub(super) fn globals(&self) -> Vec<(GlobalType, ConstExpr)> {
        let global = |ty: &ValType| {
            let (val_type, zero) = zero(*ty);
            (GlobalType { val_type, mutable: true, shared: false }, ConstExpr::extended([zero]))
        };
        self.types.iter().map(global).collect()
    }
}

/// A type as it is written, and its zero: the start of a global, and a value in place of one that nothing reads.
pub(super) fn zero(ty: ValType) -> (wasm_encoder::ValType, Instruction<'static>) {
    match ty {
        ValType::I64 => (wasm_encoder::ValType::I64, Instruction::I64Const(0)),
        ValType::F32 => (wasm_encoder::ValType::F32, Instruction::F32Const(0.0.into())),
        ValType::F64 => (wasm_encoder::ValType::F64, Instruction::F64Const(0.0.into())),
        _ => (wasm_encoder::ValType::I32, Instruction::I32Const(0)),
    }
}
