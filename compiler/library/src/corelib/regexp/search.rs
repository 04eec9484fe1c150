//! Runs a program over a text: all alternatives in parallel, one step per character (Thompson, Pike).
//!
//! Cost: the program's length times the text's.

use super::fold::cases;
use super::program::{Inst, Instructions};
use crate::corelib::FnError;
use crate::corelib::bytes::chars;
use crate::corelib::work::{STEP, Work};

/// Does the program match anywhere in the text? A byte that is no part of a character counts as
/// U+FFFD.
///
/// Errors: the work is exhausted.
pub(super) fn is_match(program: &Instructions, text: &[u8], work: &Work) -> Result<bool, FnError> {
    let mut now = Places::new(program.code.len());
    let mut next = Places::new(program.code.len());
    let mut todo = Vec::new();
    let mut before = None;
    let mut rest = chars(text).map(|char| u32::from(char.unwrap_or(char::REPLACEMENT_CHARACTER)));
    let mut after = rest.next();
    loop {
        // A match can begin at each place.
        if reach(program, 0, &mut now, &mut todo, before, after) {
            return Ok(true);
        }
        let Some(char) = after else { return Ok(false) };
        (before, after) = (after, rest.next());
        next.clear();
        work.spend(STEP * (1 + now.list.len() as u64))?;
        for place in 0..now.list.len() {
            let at = now.list[place];
            if let Inst::Class(number) = program.code[at as usize] {
                work.spend(program.classes[number as usize].items.len() as u64)?;
            }
            if takes(program, program.code[at as usize], char)
                && reach(program, at + 1, &mut next, &mut todo, before, after)
            {
                return Ok(true);
            }
        }
        std::mem::swap(&mut now, &mut next);
    }
}

/// Adds an instruction and those reachable without a character; `true` at a match.
fn reach(
    program: &Instructions,
    at: u32,
    places: &mut Places,
    todo: &mut Vec<u32>,
    before: Option<u32>,
    after: Option<u32>,
) -> bool {
    todo.push(at);
    while let Some(at) = todo.pop() {
        let Some(inst) = program.code.get(at as usize) else { return true };
        if !places.add(at) {
            continue;
        }
        match *inst {
            Inst::Jump(distance) => todo.push(at.wrapping_add_signed(distance)),
            Inst::Split(distance) => todo.extend([at.wrapping_add_signed(distance), at + 1]),
            Inst::Assert(assertion) => {
                if assertion.holds(before, after) {
                    todo.push(at + 1);
                }
            }
            Inst::Char(_) | Inst::AnyCase(_) | Inst::Any | Inst::AnyButNewline | Inst::Class(_) => {}
        }
    }
    false
}

fn takes(program: &Instructions, inst: Inst, char: u32) -> bool {
    match inst {
        Inst::Char(wanted) => char == wanted,
        Inst::AnyCase(wanted) => cases(char).any(|char| char == wanted),
        Inst::Any => true,
        Inst::AnyButNewline => char != u32::from(b'\n'),
        Inst::Class(number) => program.classes[number as usize].contains(char),
        Inst::Assert(_) | Inst::Split(_) | Inst::Jump(_) => false,
    }
}

/// A set of instructions, in insertion order.
struct Places {
    list: Vec<u32>,
    /// The index of an instruction in the list; valid only if the list agrees.
    index: Vec<u32>,
}

impl Places {
    fn new(n_instructions: usize) -> Places {
        Places { list: Vec::new(), index: vec![0; n_instructions] }
    }

    fn clear(&mut self) {
        self.list.clear();
    }

    /// Whether it is new.
    fn add(&mut self, at: u32) -> bool {
        if self.list.get(self.index[at as usize] as usize) == Some(&at) {
            return false;
        }
        self.index[at as usize] = self.list.len() as u32;
        self.list.push(at);
        true
    }
}
