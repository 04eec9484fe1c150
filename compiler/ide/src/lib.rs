//! What an editor asks about a program: colours, hover, completion, signatures, definitions, uses,
//! renaming, symbols. One file a service, each pure, over one [`Analysis`].
//!
//! In: an analysis and a place, which may be any byte offset, also one inside of a character or behind
//! the end. Out: plain data with byte spans. Invariants: nothing here panics on any text; a broken line
//! leaves the services of all others at work; no service but [`rename`](Analysis::rename), which checks
//! its result, makes an analysis of its own.
//!
//! Documentation is read from the very definitions that `mclive docs` prints.

use mclive_analysis::{scope, understand, unify};
use mclive_base::{diag, ident, source, span, types};
use mclive_engine::{compile, fgraph};
use mclive_library::{corelib, kinds};
use mclive_syntax::{ast, lex, lower, parse};

mod analysis;
mod blocks;
mod complete;
mod context;
mod hover;
mod manual;
mod marks;
mod navigate;
mod rename;
mod resolve;
mod signature;
mod symbols;
mod tokens;
mod words;

pub use analysis::Analysis;
pub use complete::{Candidate, CandidateKind, Completion};
pub use hover::Hover;
pub use rename::{Refused, TextEdit};
pub use signature::SignatureHelp;
pub use symbols::{Symbol, SymbolKind};
pub use tokens::{Colour, ColouredToken};

use crate::span::{FileId, Span};

/// The services that every front end has: what an editor needs to be of use at all.
pub trait FrontEnd {
    /// The tokens of a byte range with what they are, in order.
    fn tokens(&self, range: Span) -> Vec<ColouredToken>;
    /// What there is to say about the thing at a place.
    fn hover(&self, at: Position) -> Option<Hover>;
    /// What could be typed at a place.
    fn complete(&self, at: Position) -> Completion;
}

/// A place in a file. Units: bytes; any number will do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    pub file: FileId,
    pub offset: u32,
}

impl FrontEnd for Analysis {
    fn tokens(&self, range: Span) -> Vec<ColouredToken> {
        tokens::of(self, range)
    }

    fn hover(&self, at: Position) -> Option<Hover> {
        hover::at(self, at)
    }

    fn complete(&self, at: Position) -> Completion {
        complete::at(self, at)
    }
}

impl Analysis {
    /// The parameters of the call that a place is in.
    pub fn signature(&self, at: Position) -> Option<SignatureHelp> {
        signature::at(self, at)
    }

    /// Where the thing at a place is defined.
    pub fn definition(&self, at: Position) -> Option<Span> {
        navigate::definition(self, at)
    }

    /// Every place that means the thing at a place, its definition first.
    pub fn uses(&self, at: Position) -> Vec<Span> {
        navigate::uses(self, at)
    }

    /// The name at a place that could be another one, with its own place.
    pub fn renamable(&self, at: Position) -> Option<(Span, String)> {
        rename::renamable(self, at)
    }

    /// The edits that give the thing at a place another name, in all files; or why that cannot be.
    pub fn rename(&self, at: Position, name: &str) -> Result<Vec<TextEdit>, Refused> {
        rename::rename(self, at, name)
    }

    /// What a file defines and declares, nested as it is.
    pub fn symbols(&self, file: FileId) -> Vec<Symbol> {
        symbols::of(self, file)
    }
}

#[cfg(test)]
mod tests;
