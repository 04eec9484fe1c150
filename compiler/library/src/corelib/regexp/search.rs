//! Runs a program over a text: all alternatives in parallel, one step per character (Thompson, Pike).
//!
//! Cost: the program's length times the text's. It can stop after each character, and continue later.

use super::fold::cases;
use super::program::{Inst, Instructions};
use crate::corelib::FnError;
use crate::corelib::bytes::chars;
use crate::corelib::work::{STEP, Work};
use std::sync::Arc;

/// A search under way.
#[derive(Clone)]
pub(super) struct Search {
    program: Arc<Instructions>,
    text: Arc<[u8]>,
    /// Where in the text it is, and the character before.
    at: usize,
    before: Option<u32>,
    now: Places,
    next: Places,
    todo: Vec<u32>,
}

impl Search {
    pub(super) fn new(program: Instructions, text: Arc<[u8]>) -> Search {
        let places = || Places::new(program.code.len());
        let (now, next) = (places(), places());
        Search { program: Arc::new(program), text, at: 0, before: None, now, next, todo: Vec::new() }
    }

    /// Whether the program matches anywhere in the text. A byte that is not part of a character counts as U+FFFD.
    /// `None`: the work is due, and the next call continues.
    ///
    /// Errors: the work is exhausted.
    pub(super) fn search(&mut self, work: &Work) -> Result<Option<bool>, FnError> {
        let Search { program, text, at, before, now, next, todo } = self;
        let text = text.clone();
        let mut rest = chars(&text[*at..]).map(|char| match char {
            Ok(char) => (u32::from(char), char.len_utf8()),
            Err(_) => (u32::from(char::REPLACEMENT_CHARACTER), 1),
        });
        let mut ahead = rest.next();
        loop {
            // A match can begin at each place.
            if reach(program, 0, now, todo, *before, ahead.map(|(char, _)| char)) {
                return Ok(Some(true));
            }
            let Some((char, width)) = ahead else { return Ok(Some(false)) };
            *at += width;
            *before = Some(char);
            ahead = rest.next();
            let after = ahead.map(|(char, _)| char);
            next.clear();
            work.spend(STEP * (1 + now.list.len() as u64))?;
            for place in 0..now.list.len() {
                let at = now.list[place];
                if let Inst::Class(number) = program.code[at as usize] {
                    work.spend(program.classes[number as usize].items.len() as u64)?;
                }
                if takes(program, program.code[at as usize], char) && reach(program, at + 1, next, todo, *before, after)
                {
                    return Ok(Some(true));
                }
            }
            std::mem::swap(now, next);
            if work.is_due() {
                return Ok(None);
            }
        }
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
#[derive(Clone)]
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
