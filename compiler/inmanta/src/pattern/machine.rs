//! The backtracking matcher.

use super::program::{Bytecode, Op};
use super::set::{equal_folded, is_word};

/// The maximum number of steps of a match.
const MAX_STEPS: u64 = 2_000_000;

/// A match exceeded the step limit.
#[derive(Debug, PartialEq, Eq)]
pub struct TooManySteps;

const UNSET: usize = usize::MAX;

/// What to undo when a branch fails.
enum Undo {
    /// Continue here.
    Branch { op: usize, at: usize },
    /// Restore a slot.
    Slot { slot: usize, value: usize },
}

struct Machine<'a> {
    program: &'a Bytecode,
    text: &'a [char],
    slots: Vec<usize>,
    steps: u64,
}

/// Whether the program matches at the start of the text, and the number of steps.
pub(super) fn run(program: &Bytecode, text: &[char]) -> (Result<bool, TooManySteps>, u64) {
    let slots = vec![UNSET; program.n_slots];
    let mut machine = Machine { program, text, slots, steps: 0 };
    let end = machine.run(0, 0);
    (end.map(|end| end.is_some()), machine.steps)
}

impl Machine<'_> {
    /// Runs from an instruction to its `Match`; returns the end position in the text.
    fn run(&mut self, op: usize, at: usize) -> Result<Option<usize>, TooManySteps> {
        let mut undo = Vec::new();
        let (mut op, mut at) = (op, at);
        loop {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(TooManySteps);
            }
            match self.step(op, at, &mut undo)? {
                Next::Go(next, to) => (op, at) = (next, to),
                Next::Matched => return Ok(Some(at)),
                Next::Fail => loop {
                    match undo.pop() {
                        None => return Ok(None),
                        Some(Undo::Slot { slot, value }) => self.slots[slot] = value,
                        Some(Undo::Branch { op: next, at: to }) => {
                            (op, at) = (next, to);
                            break;
                        }
                    }
                },
            }
        }
    }

    fn step(&mut self, op: usize, at: usize, undo: &mut Vec<Undo>) -> Result<Next, TooManySteps> {
        let next_char = self.text.get(at).copied();
        let goes = |goes: bool| if goes { Next::Go(op + 1, at) } else { Next::Fail };
        let takes = |takes: bool| if takes { Next::Go(op + 1, at + 1) } else { Next::Fail };
        Ok(match &self.program.ops[op] {
            Op::Char { char, folds } => takes(next_char.is_some_and(|next| equal(next, *char, *folds))),
            Op::Any { newlines } => takes(next_char.is_some_and(|next| *newlines || next != '\n')),
            Op::Set { set, folds } => {
                takes(next_char.is_some_and(|next| if *folds { set.has_folded(next) } else { set.has(next) }))
            }
            Op::LineStart { each_line } => goes(at == 0 || (*each_line && self.text[at - 1] == '\n')),
            Op::LineEnd { each_line } => goes(match next_char {
                None => true,
                Some('\n') => *each_line || at + 1 == self.text.len(),
                Some(_) => false,
            }),
            Op::TextStart => goes(at == 0),
            Op::TextEnd => goes(at == self.text.len()),
            Op::WordEdge { negated } => {
                let before = at > 0 && is_word(self.text[at - 1]);
                let is_edge = before != next_char.is_some_and(is_word);
                // In an empty text, Python finds neither an edge nor its absence.
                goes(is_edge != *negated && !self.text.is_empty())
            }
            Op::Save(slot) => {
                undo.push(Undo::Slot { slot: *slot, value: self.slots[*slot] });
                self.slots[*slot] = at;
                Next::Go(op + 1, at)
            }
            Op::Reference { group, folds } => {
                let (start, end) = (self.slots[group * 2], self.slots[group * 2 + 1]);
                if start == UNSET || end == UNSET || end < start || at + (end - start) > self.text.len() {
                    return Ok(Next::Fail);
                }
                self.steps += (end - start) as u64;
                let len = end - start;
                let same = (0..len).all(|nr| equal(self.text[at + nr], self.text[start + nr], *folds));
                if same { Next::Go(op + 1, at + len) } else { Next::Fail }
            }
            Op::Split { first, other } => {
                undo.push(Undo::Branch { op: *other, at });
                Next::Go(*first, at)
            }
            Op::Jump(to) => Next::Go(*to, at),
            Op::Progress { slot, end } => Next::Go(if self.slots[*slot] == at { *end } else { op + 1 }, at),
            Op::IfGroup { group, no } => {
                if self.slots[group * 2 + 1] == UNSET {
                    Next::Go(*no, at)
                } else {
                    Next::Go(op + 1, at)
                }
            }
            Op::Look { ahead, negated, width, end } => {
                let start = if *ahead { Some(at) } else { at.checked_sub(*width) };
                let kept = self.slots.clone();
                let found = match start {
                    Some(start) => self.run(op + 1, start)?.is_some(),
                    None => false,
                };
                if *negated || !found {
                    self.slots = kept;
                } else {
                    self.note_changes(&kept, undo);
                }
                if found != *negated { Next::Go(*end, at) } else { Next::Fail }
            }
            Op::Atomic { end } => {
                let kept = self.slots.clone();
                match self.run(op + 1, at)? {
                    Some(to) => {
                        self.note_changes(&kept, undo);
                        Next::Go(*end, to)
                    }
                    None => {
                        self.slots = kept;
                        Next::Fail
                    }
                }
            }
            Op::Match => Next::Matched,
        })
    }

    fn note_changes(&mut self, before: &[usize], undo: &mut Vec<Undo>) {
        self.steps += before.len() as u64;
        let changed = before.iter().zip(&self.slots).enumerate().filter(|(_, (before, now))| before != now);
        undo.extend(changed.map(|(slot, (before, _))| Undo::Slot { slot, value: *before }));
    }
}

enum Next {
    Go(usize, usize),
    Matched,
    Fail,
}

fn equal(a: char, b: char, folds: bool) -> bool {
    a == b || (folds && equal_folded(a, b))
}
