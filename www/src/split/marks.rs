//! A module that marks in its memory which of its functions were called.

use super::shape::{Shape, text};
use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{CodeSection, Encode, Instruction, MemoryType, Module};
use wasmparser::FunctionBody;

/// A marking module.
pub(super) struct Marked {
    /// Its bytes.
    pub module: Vec<u8>,
    /// Where in its memory the marks begin: a byte for each function with a body, 1 if it was called.
    pub at: u64,
    /// How many marks there are.
    pub count: usize,
}

/// Units: bytes.
const PAGE: u64 = 1 << 16;

/// Makes the marking module.
///
/// The marks lie behind what the module uses at the start: Rust's allocator asks for its memory by growing it.
pub(super) fn mark(shape: &Shape<'_>, module: &[u8]) -> Result<Marked, String> {
    let (at, count) = (shape.pages * PAGE, shape.bodies.len());
    let mut marking = Marking { next: at, more: (count as u64).div_ceil(PAGE) };
    let mut marked = Module::new();
    marking.parse_core_module(&mut marked, wasmparser::Parser::new(0), module).map_err(|error| error.to_string())?;
    Ok(Marked { module: marked.finish(), at, count })
}

struct Marking {
    /// The place of the next function's mark.
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
        let locals = body.get_locals_reader()?;
        let bytes = body.as_bytes();
        let mut locals = locals;
        for _ in 0..locals.get_count() {
            locals.read()?;
        }
        let (locals, operators) = bytes.split_at(locals.original_position() - body.range().start);
        let mut marked = locals.to_vec();
        let place = u32::try_from(self.next).map_err(|_| Error::UserError("the memory is full".to_owned()))?;
        let byte = wasm_encoder::MemArg { offset: 0, align: 0, memory_index: 0 };
        for one in [Instruction::I32Const(place.cast_signed()), Instruction::I32Const(1), Instruction::I32Store8(byte)]
        {
            one.encode(&mut marked);
        }
        marked.extend_from_slice(operators);
        code.raw(&marked);
        self.next += 1;
        Ok(())
    }
}

/// Checks a module that was made here.
pub(super) fn validate(module: &[u8]) -> Result<(), String> {
    wasmparser::Validator::new().validate_all(module).map(drop).map_err(text)
}
