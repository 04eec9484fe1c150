//! A pattern as instructions. Jumps are relative, so that a part can be copied and moved.
//!
//! A match follows the last instruction.

use super::class::Class;
use std::sync::Arc;

/// The maximum number of instructions of a pattern, as in RE2.
pub(super) const MAX_INSTRUCTIONS: usize = (128 << 20) / 40;

#[derive(Debug, Default)]
pub(super) struct Instructions {
    pub(super) code: Vec<Inst>,
    pub(super) classes: Vec<Arc<Class>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Inst {
    Char(u32),
    /// The character in any case.
    AnyCase(u32),
    Any,
    AnyButNewline,
    /// By its number.
    Class(u32),
    Assert(Assertion),
    /// Continue with the next one and with the one at this distance.
    Split(i32),
    Jump(i32),
}

/// A condition between two characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Assertion {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    WordBoundary,
    NoWordBoundary,
}

impl Assertion {
    /// Whether it holds between these characters.
    pub(super) fn holds(self, before: Option<u32>, after: Option<u32>) -> bool {
        let is_word = |char: Option<u32>| {
            let char = char.and_then(|char| u8::try_from(char).ok());
            char.is_some_and(|char| char.is_ascii_alphanumeric() || char == b'_')
        };
        let is_newline = |char: Option<u32>| char.is_none_or(|char| char == u32::from(b'\n'));
        match self {
            Assertion::TextStart => before.is_none(),
            Assertion::TextEnd => after.is_none(),
            Assertion::LineStart => is_newline(before),
            Assertion::LineEnd => is_newline(after),
            Assertion::WordBoundary => is_word(before) != is_word(after),
            Assertion::NoWordBoundary => is_word(before) == is_word(after),
        }
    }
}
