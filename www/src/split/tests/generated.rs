//! Generated programs do the same however they are outlined.

use super::{Dice, FUEL, MAIN, Run, Small, functions, module, run, small};
use crate::split::outline::outline;
use crate::split::{Shape, marks, shape};
use wasm_encoder::ValType::{F64, I32, I64};
use wasm_encoder::{BlockType, InstructionSink, MemArg};

#[test]
fn any_regions_may_be_outlined() {
    let calls = [[1, 2], [-7, 30], [0, 0], [1000, -1]];
    let (mut wholes, mut outlined, mut regions) = (Vec::new(), Vec::new(), 0);
    for seed in 0..60 {
        let whole = program(seed);
        let shape = Shape::of(&whole).unwrap();
        let marked = marks::mark(&shape, &whole).unwrap();
        let mut dice = Dice(seed + 1000);
        // From nearly nothing to most of it was reached, as they say.
        let share = u32::try_from(seed % 4).unwrap();
        let mut reached: Vec<u8> = (0..marked.count).map(|_| u8::from(dice.below(5) < share)).collect();
        marked.starts().iter().for_each(|&start| reached[start] = 1);
        let made = outline(&shape, &whole, &marked.profile(&reached).unwrap()).unwrap();
        shape::validate(&made).unwrap_or_else(|error| panic!("program {seed}: {error}"));
        regions += functions(&made) - functions(&whole);
        outlined.push(made);
        wholes.push(whole);
    }
    assert!(regions > 300, "{regions}");
    let runs = |modules: &[Vec<u8>]| {
        run(&modules.iter().map(|module| Run { module, rest: None, calls: &calls }).collect::<Vec<_>>())
    };
    for (seed, (outlined, whole)) in runs(&outlined).iter().zip(&runs(&wholes)).enumerate() {
        assert_eq!(outlined["outcomes"], whole["outcomes"], "program {seed}");
    }
}

/// How many functions a program has.
const FUNCTIONS: u32 = 4;

/// A program that ends.
pub(super) fn program(seed: u64) -> Vec<u8> {
    module(&(0..FUNCTIONS).map(|function| generated(seed * 10 + u64::from(function), function)).collect::<Vec<_>>())
}

/// A function of two parameters and three locals of each type.
fn generated(seed: u64, function: u32) -> Small {
    small(&[I32, I32, I32, I64, I64, I64, F64, F64, F64], move |code| {
        let mut writer =
            Writer { dice: Dice(seed), code, labels: vec![Label::Value], later: MAIN + function + 1..MAIN + FUNCTIONS };
        // The first numbers of neighbouring seeds differ by a constant, so their programs would begin alike.
        writer.dice.below(2);
        for _ in 0..6 {
            writer.statement(4);
        }
        writer.number(3);
    })
}

/// What a branch to a block takes.
#[derive(Clone, Copy, PartialEq)]
enum Label {
    Nothing,
    Value,
}

struct Writer<'a, 'b> {
    dice: Dice,
    code: &'a mut InstructionSink<'b>,
    /// The blocks around, the outermost one first.
    labels: Vec<Label>,
    /// The functions that it may call.
    later: std::ops::Range<u32>,
}

impl Writer<'_, '_> {
    /// Code that leaves a number.
    fn number(&mut self, size: u32) {
        let choice = if size == 0 { self.dice.below(3) } else { self.dice.below(11) };
        match choice {
            0 => drop(self.code.i32_const(self.dice.below(9).cast_signed() - 3)),
            1 | 2 => drop(self.code.local_get(self.dice.below(5))),
            3 => {
                self.code.local_get(5 + self.dice.below(3)).i32_wrap_i64();
            }
            4 => drop(self.code.local_get(8 + self.dice.below(3)).i32_trunc_sat_f64_s()),
            5 => self.block(Label::Value, |writer| {
                writer.statement(size - 1);
                writer.number(size - 1);
            }),
            6 => {
                self.number(size - 1);
                self.arms(BlockType::Result(I32), Label::Value, size);
            }
            7 if !self.later.is_empty() => {
                self.number(size - 1);
                self.number(size - 1);
                let function = self.later.start + self.dice.below(self.later.end - self.later.start);
                self.code.call(function);
            }
            8 => drop(self.code.i32_const(0).i32_load(place(self.dice.below(16)))),
            _ => {
                self.number(size - 1);
                self.number(size - 1);
                match self.dice.below(3) {
                    0 => self.code.i32_add(),
                    1 => self.code.i32_mul(),
                    _ => self.code.i32_lt_s(),
                };
            }
        }
    }

    /// Code that leaves nothing.
    fn statement(&mut self, size: u32) {
        let choice = if size == 0 { self.dice.below(4) } else { self.dice.below(14) };
        let inner = size.saturating_sub(1);
        match choice {
            0 => {
                self.number(inner);
                self.code.i64_extend_i32_s().local_set(5 + self.dice.below(3));
            }
            1 => {
                self.number(inner);
                self.code.f64_convert_i32_s().local_set(8 + self.dice.below(3));
            }
            2 => {
                self.code.i32_const(0);
                self.number(inner);
                self.code.i32_store(place(self.dice.below(16)));
            }
            4 | 5 => self.block(Label::Nothing, |writer| (0..3).for_each(|_| writer.statement(inner))),
            6 => self.rounds(inner),
            7 | 8 => {
                self.number(inner);
                self.arms(BlockType::Empty, Label::Nothing, size);
            }
            9 | 10 => self.leave(inner),
            11 => self.choose(inner),
            _ => {
                self.number(inner);
                self.code.local_set(self.dice.below(5));
            }
        }
    }

    fn block(&mut self, label: Label, inside: impl FnOnce(&mut Self)) {
        self.code.block(if label == Label::Value { BlockType::Result(I32) } else { BlockType::Empty });
        self.labels.push(label);
        inside(self);
        self.labels.pop();
        self.code.end();
    }

    /// A loop. Fuel limits its rounds.
    fn rounds(&mut self, size: u32) {
        self.code.loop_(BlockType::Empty);
        self.labels.push(Label::Nothing);
        self.code.global_get(FUEL).i32_eqz().if_(BlockType::Empty).i32_const(7).return_().end();
        self.code.global_get(FUEL).i32_const(1).i32_sub().global_set(FUEL);
        self.statement(size);
        self.statement(size);
        self.number(size);
        self.code.br_if(0);
        self.labels.pop();
        self.code.end();
    }

    /// The arms of an `if`; the first one may end with a branch.
    fn arms(&mut self, ty: BlockType, label: Label, size: u32) {
        self.code.if_(ty);
        self.labels.push(label);
        for arm in 0..2 {
            (0..2).for_each(|_| self.statement(size - 1));
            match label {
                Label::Value => self.number(size - 1),
                Label::Nothing if arm == 0 && self.dice.below(3) == 0 => self.branch(size - 1),
                Label::Nothing => {}
            }
            if arm == 0 {
                self.code.else_();
            }
        }
        self.labels.pop();
        self.code.end();
    }

    /// A branch that is taken, to any block but a loop, whose rounds have another end.
    fn branch(&mut self, size: u32) {
        let depth = self.dice.below(u32::try_from(self.labels.len()).unwrap());
        match self.label(depth) {
            Label::Value => {
                self.number(size);
                self.code.br(depth);
            }
            Label::Nothing if self.dice.below(9) == 0 => drop(self.code.unreachable()),
            Label::Nothing => {
                self.number(size);
                self.code.return_();
            }
        }
    }

    /// A branch that may be taken.
    fn leave(&mut self, size: u32) {
        let depth = self.dice.below(u32::try_from(self.labels.len()).unwrap());
        if self.label(depth) == Label::Value {
            self.number(size);
            self.number(size);
            self.code.br_if(depth).drop();
        } else {
            // It may lead to the start of a loop, so it costs fuel.
            self.code.global_get(FUEL).if_(BlockType::Empty);
            self.code.global_get(FUEL).i32_const(1).i32_sub().global_set(FUEL);
            self.number(size);
            self.code.br_if(depth + 1).end();
        }
    }

    /// A branch to one of several blocks around.
    fn choose(&mut self, size: u32) {
        self.block(Label::Nothing, |writer| {
            writer.block(Label::Nothing, |writer| {
                writer.number(size);
                writer.code.br_table([0, 1, 0], 1);
            });
            writer.statement(size);
        });
    }

    fn label(&self, depth: u32) -> Label {
        self.labels[self.labels.len() - 1 - depth as usize]
    }
}

fn place(word: u32) -> MemArg {
    MemArg { offset: u64::from(4 * word), align: 2, memory_index: 0 }
}
