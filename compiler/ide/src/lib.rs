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
pub use signature::{Form, SignatureHelp};
pub use symbols::{Symbol, SymbolKind};
pub use tokens::{Colour, ColouredToken};

use crate::source::Sources;
use crate::span::{FileId, Span};

/// What an editor asks about a program, whatever its language. A language that lacks a service says so by
/// finding nothing.
pub trait Services {
    /// The files that were read.
    fn sources(&self) -> &Sources;
    /// The tokens of a byte range with what they are, in order.
    fn tokens(&self, range: Span) -> Vec<ColouredToken>;
    /// What there is to say about the thing at a place.
    fn hover(&self, at: Position) -> Option<Hover>;
    /// What could be typed at a place.
    fn complete(&self, at: Position) -> Completion;
    /// The parameters of the call that a place is in.
    fn signature(&self, at: Position) -> Option<SignatureHelp>;
    /// Where the thing at a place is defined.
    fn definition(&self, at: Position) -> Option<Span>;
    /// Every place that means the thing at a place, its definition first.
    fn uses(&self, at: Position) -> Vec<Span>;
    /// The name at a place that could be another one, with its own place.
    fn renamable(&self, at: Position) -> Option<(Span, String)>;
    /// The edits that give the thing at a place another name, in all files; or why that cannot be.
    fn rename(&self, at: Position, name: &str) -> Result<Vec<TextEdit>, Refused>;
    /// What a file defines and declares, nested as it is.
    fn symbols(&self, file: FileId) -> Vec<Symbol>;

    /// The file of a path in the program's tree, if it was read.
    fn file(&self, path: &str) -> Option<FileId> {
        self.sources().iter().find(|(_, source)| source.path == path).map(|(file, _)| file)
    }
}

/// A place in a file. Units: bytes; any number will do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    pub file: FileId,
    pub offset: u32,
}

impl Services for Analysis {
    fn sources(&self) -> &Sources {
        Analysis::sources(self)
    }

    fn tokens(&self, range: Span) -> Vec<ColouredToken> {
        tokens::of(self, range)
    }

    fn hover(&self, at: Position) -> Option<Hover> {
        hover::at(self, at)
    }

    fn complete(&self, at: Position) -> Completion {
        complete::at(self, at)
    }

    fn signature(&self, at: Position) -> Option<SignatureHelp> {
        signature::at(self, at)
    }

    fn definition(&self, at: Position) -> Option<Span> {
        navigate::definition(self, at)
    }

    fn uses(&self, at: Position) -> Vec<Span> {
        navigate::uses(self, at)
    }

    fn renamable(&self, at: Position) -> Option<(Span, String)> {
        rename::renamable(self, at)
    }

    fn rename(&self, at: Position, name: &str) -> Result<Vec<TextEdit>, Refused> {
        rename::rename(self, at, name)
    }

    fn symbols(&self, file: FileId) -> Vec<Symbol> {
        symbols::of(self, file)
    }
}

#[cfg(test)]
mod tests;
