//! A module that marks in its memory which places in its code were reached.

use super::shape::{Shape, text};
use std::collections::BTreeSet;
use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{CodeSection, Encode, Instruction, MemoryType, Module};
use wasmparser::{FunctionBody, Operator};

/// A marking module.
pub(super) struct Marked {
    /// Its bytes.
    pub module: Vec<u8>,
    /// Where in its memory the marks begin: a byte for each place, 1 if it was reached.
    pub at: u64,
    /// How many marks there are.
    pub count: usize,
    /// The first mark of each function with a body.
    starts: Vec<usize>,
}

/// Which places were reached.
pub(super) struct Profile {
    reached: Vec<bool>,
    starts: Vec<usize>,
}

/// Units: bytes.
const PAGE: u64 = 1 << 16;

/// Whether there is a mark after an instruction: control gets there in another way than to the instruction. A function
/// also has a mark at its start.
pub(super) fn leads(operator: &Operator<'_>) -> bool {
    matches!(operator, Operator::If { .. } | Operator::Else | Operator::End | Operator::BrIf { .. })
}

/// Makes the marking module.
///
/// The marks are after what the module uses at the start: Rust's allocator asks for its memory by growing it.
pub(super) fn mark(shape: &Shape<'_>, module: &[u8]) -> Result<Marked, String> {
    let (mut starts, mut count) = (Vec::new(), 0);
    for body in &shape.bodies {
        starts.push(count);
        let mut operators = body.get_operators_reader().map_err(text)?;
        count += 1;
        while !operators.eof() {
            count += usize::from(leads(&operators.read().map_err(text)?));
        }
        // Nothing is behind the last `end`.
        count -= 1;
    }
    let at = shape.pages * PAGE;
    let mut marking = Marking { next: at, more: (count as u64).div_ceil(PAGE) };
    let mut marked = Module::new();
    marking.parse_core_module(&mut marked, wasmparser::Parser::new(0), module).map_err(|error| error.to_string())?;
    Ok(Marked { module: marked.finish(), at, count, starts })
}

impl Marked {
    /// The first mark of each function with a body.
    #[cfg(test)]
    pub(super) fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// What these marks tell.
    ///
    /// Errors: they are not the marks of this module.
    pub(super) fn profile(&self, marks: &[u8]) -> Result<Profile, String> {
        if marks.len() != self.count || marks.iter().any(|mark| *mark > 1) {
            return Err("something else is where the marks should be".to_owned());
        }
        Ok(Profile { reached: marks.iter().map(|mark| *mark == 1).collect(), starts: self.starts.clone() })
    }
}

impl Profile {
    /// The places that this one reached, or another one of the same module.
    pub(super) fn or(mut self, other: &Profile) -> Profile {
        for (place, reached) in self.reached.iter_mut().zip(&other.reached) {
            *place |= reached;
        }
        self
    }

    /// The marks of a function, counted from the first one with a body.
    pub(super) fn of(&self, body: u32) -> &[bool] {
        let body = body as usize;
        let end = self.starts.get(body + 1).copied().unwrap_or(self.reached.len());
        &self.reached[self.starts[body]..end]
    }

    /// The functions that were called.
    pub(super) fn called(&self, shape: &Shape<'_>) -> BTreeSet<u32> {
        shape.own().filter(|function| self.of(function - shape.imported)[0]).collect()
    }
}

struct Marking {
    /// The place of the next mark.
    next: u64,
    /// More pages of memory.
    more: u64,
}

impl Reencode for Marking {
    type Error = String;

    fn memory_type(&mut self, memory: wasmparser::MemoryType) -> Result<MemoryType, Error<String>> {
        let memory = utils::memory_type(self, memory);
        Ok(MemoryType { minimum: memory.minimum + self.more, ..memory })
    }

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Result<(), Error<String>> {
        let bytes = body.as_bytes();
        let mut operators = body.get_operators_reader()?;
        let (start, mut copied) = (body.range().start, 0);
        let (mut marked, mut leads_here) = (Vec::new(), true);
        while !operators.eof() {
            if leads_here {
                let at = operators.original_position() - start;
                marked.extend_from_slice(&bytes[copied..at]);
                self.mark(&mut marked)?;
                copied = at;
            }
            leads_here = leads(&operators.read()?);
        }
        marked.extend_from_slice(&bytes[copied..]);
        code.raw(&marked);
        Ok(())
    }
}

impl Marking {
    /// Writes the next mark.
    fn mark(&mut self, code: &mut Vec<u8>) -> Result<(), Error<String>> {
        let place = u32::try_from(self.next).map_err(|_| Error::UserError("the memory is full".to_owned()))?;
        let byte = wasm_encoder::MemArg { offset: 0, align: 0, memory_index: 0 };
        for one in [Instruction::I32Const(place.cast_signed()), Instruction::I32Const(1), Instruction::I32Store8(byte)]
        {
            one.encode(code);
        }
        self.next += 1;
        Ok(())
    }
}
