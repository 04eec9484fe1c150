//! The body of a function in memory: its instructions, the blocks that they form, and what is on the stack.

use crate::split::marks::leads;
use crate::split::shape::{Shape, text};
use wasmparser::{
    BlockType, FrameKind, FuncToValidate, FuncValidator, FuncValidatorAllocations, FunctionBody, Operator, ValType,
    ValidatorResources,
};

/// A body.
pub(super) struct Body<'a> {
    /// All of it as it is written, with the declarations of the locals.
    pub bytes: &'a [u8],
    /// Its instructions. The last is its `end`.
    pub steps: Vec<Step<'a>>,
    /// Its blocks, the outer one first: the function itself.
    pub blocks: Vec<Block>,
    /// Its locals, parameters first.
    pub locals: Vec<ValType>,
}

/// An instruction.
pub(super) struct Step<'a> {
    /// What it does.
    pub operator: Operator<'a>,
    /// Where it begins in the bytes of the body.
    pub at: usize,
    /// The block that contains it. An `end` or `else` belongs to the one that it closes.
    pub block: usize,
    /// The block that it opens.
    pub opens: Option<usize>,
    /// The mark before it, counted in this function, if there is one.
    pub mark: Option<usize>,
    /// What its block has on the stack before it. `None`: it is never reached.
    pub stack: Option<Vec<ValType>>,
}

/// A block: the inside of a function, `block`, `loop`, or of an arm of an `if`.
pub(super) struct Block {
    /// The block around it.
    pub outer: Option<usize>,
    /// Whether a branch to it goes to its start.
    pub is_loop: bool,
    /// The other arm of an `if`, for the first one.
    pub other_arm: Option<usize>,
    /// The instruction that closes it.
    pub closes: usize,
    /// What it takes from the stack.
    pub takes: Vec<ValType>,
    /// What it leaves on the stack.
    pub gives: Vec<ValType>,
}

impl<'a> Body<'a> {
    /// Reads a body.
    pub(super) fn read(
        shape: &Shape<'_>,
        function: FuncToValidate<ValidatorResources>,
        body: &FunctionBody<'a>,
    ) -> Result<Body<'a>, String> {
        let mut state = function.into_validator(FuncValidatorAllocations::default());
        let mut reader = body.get_operators_reader().map_err(text)?;
        state.read_locals(&mut body.get_binary_reader()).map_err(text)?;
        let locals = (0..state.len_locals()).filter_map(|local| state.get_local_type(local)).collect();
        let mut read = Body { bytes: body.as_bytes(), steps: Vec::new(), blocks: Vec::new(), locals };
        let mut current = read.open(shape, &state, None)?;
        let (mut marks, mut marked) = (0, true);
        while !reader.eof() {
            let at = reader.original_position();
            let operator = reader.read().map_err(text)?;
            let mark = marked.then_some(marks);
            marks += usize::from(marked);
            marked = leads(&operator);
            let stack = stack(&state);
            state.op(at, &operator).map_err(text)?;
            let step = read.steps.len();
            let mut opens = None;
            let block = current;
            match operator {
                Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => {
                    current = read.open(shape, &state, Some(block))?;
                    opens = Some(current);
                }
                Operator::Else => {
                    read.blocks[block].closes = step;
                    current = read.open(shape, &state, read.blocks[block].outer)?;
                    read.blocks[block].other_arm = Some(current);
                    opens = Some(current);
                }
                Operator::End => {
                    read.blocks[block].closes = step;
                    current = read.blocks[block].outer.unwrap_or(0);
                }
                // These leave blocks in ways that are not followed here. The features of the site do not have them.
                Operator::Try { .. }
                | Operator::TryTable { .. }
                | Operator::ReturnCall { .. }
                | Operator::ReturnCallIndirect { .. }
                | Operator::ReturnCallRef { .. }
                | Operator::BrOnNull { .. }
                | Operator::BrOnNonNull { .. }
                | Operator::BrOnCast { .. }
                | Operator::BrOnCastFail { .. } => return Err(format!("an instruction is not expected: {operator:?}")),
                _ => {}
            }
            read.steps.push(Step { operator, at: at - body.range().start, block, opens, mark, stack });
        }
        Ok(read)
    }

    /// Opens the block that the validator has just entered.
    fn open(
        &mut self,
        shape: &Shape<'_>,
        state: &FuncValidator<ValidatorResources>,
        outer: Option<usize>,
    ) -> Result<usize, String> {
        let frame = state.get_control_frame(0).ok_or_else(|| "a body has no block".to_owned())?;
        let (takes, gives) = match frame.block_type {
            BlockType::Empty => (Vec::new(), Vec::new()),
            BlockType::Type(ty) => (Vec::new(), vec![ty]),
            BlockType::FuncType(ty) => {
                let ty = shape
                    .types
                    .get(ty as usize)
                    .and_then(Option::as_ref)
                    .ok_or_else(|| "a block has no type".to_owned())?;
                // What a function takes is in its locals.
                (if outer.is_some() { ty.params().to_vec() } else { Vec::new() }, ty.results().to_vec())
            }
        };
        let is_loop = frame.kind == FrameKind::Loop;
        self.blocks.push(Block { outer, is_loop, other_arm: None, closes: 0, takes, gives });
        Ok(self.blocks.len() - 1)
    }

    /// The block that is `depth` blocks around this one.
    pub(super) fn around(&self, block: usize, depth: u32) -> usize {
        (0..depth).fold(block, |block, _| self.blocks[block].outer.unwrap_or(0))
    }

    /// How many blocks are around this one.
    pub(super) fn depth(&self, block: usize) -> u32 {
        std::iter::successors(self.blocks[block].outer, |&outer| self.blocks[outer].outer).fold(0, |depth, _| depth + 1)
    }

    /// The types of the values that a branch to this block takes.
    pub(super) fn label(&self, block: usize) -> &[ValType] {
        let block = &self.blocks[block];
        if block.is_loop { &block.takes } else { &block.gives }
    }

    /// Whether the instruction is the first of its block or has a mark.
    pub(super) fn is_start(&self, step: usize) -> bool {
        self.steps[step].mark.is_some() || step > 0 && self.steps[step - 1].opens.is_some()
    }

    /// An instruction as it is written.
    pub(super) fn written(&self, step: usize) -> &'a [u8] {
        let end = self.steps.get(step + 1).map_or(self.bytes.len(), |next| next.at);
        &self.bytes[self.steps[step].at..end]
    }
}

/// What the current block has on the stack, unless nothing gets here.
fn stack(state: &FuncValidator<ValidatorResources>) -> Option<Vec<ValType>> {
    let frame = state.get_control_frame(0)?;
    if frame.unreachable {
        return None;
    }
    let values = state.operand_stack_height() as usize - frame.height;
    (0..values).rev().map(|depth| state.get_operand_type(depth).flatten()).collect()
}
