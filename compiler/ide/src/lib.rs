//! Editor services: highlighting, hover, completion, signatures, definitions, uses, renaming, symbols. One file per
//! service, each pure, based on an [`Analysis`].
//!
//! In: an analysis and a position, which may be any byte offset, even inside a character or past the end. Out: plain
//! data with byte spans. Invariants: nothing here panics on any text; services work on all lines except broken ones;
//! only [`rename`](Analysis::rename), which checks its result, makes another analysis.
//!
//! Documentation comes from the same definitions that `mclive docs` prints.

use mclive_analysis::{scope, understand, unify};
use mclive_base::{diag, gather, ident, sort, source, span, types};
use mclive_engine::{compile, fgraph};
use mclive_library::{corelib, kinds};
use mclive_syntax::{ast, lex, lower, parse};

mod analysis;
mod blocks;
mod complete;
mod context;
mod hover;
mod inlay;
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
pub use inlay::Hint;
pub use rename::{Refused, TextEdit};
pub use signature::{Form, SignatureHelp};
pub use symbols::{Symbol, SymbolKind};
pub use tokens::{Colour, ColouredToken};

use crate::source::Sources;
use crate::span::{FileId, Span};

/// The editor services of a program, whatever its language. A language without a service returns nothing.
pub trait Services {
    /// The files that were read.
    fn sources(&self) -> &Sources;
    /// The classified tokens of a byte range, in order.
    fn tokens(&self, range: Span) -> Vec<ColouredToken>;
    /// Information about the thing at a position.
    fn hover(&self, at: Position) -> Option<Hover>;
    /// Completions at a position.
    fn complete(&self, at: Position) -> Completion;
    /// The parameters of the call around a position.
    fn signature(&self, at: Position) -> Option<SignatureHelp>;
    /// The definition of the thing at a position.
    fn definition(&self, at: Position) -> Option<Span>;
    /// Every use of the thing at a position, its definition first.
    fn uses(&self, at: Position) -> Vec<Span>;
    /// The name at a position, if it can be renamed, with its span.
    fn renamable(&self, at: Position) -> Option<(Span, String)>;
    /// The edits that rename the thing at a position, in all files; or why it cannot be renamed.
    fn rename(&self, at: Position, name: &str) -> Result<Vec<TextEdit>, Refused>;
    /// The definitions and declarations of a file, nested.
    fn symbols(&self, file: FileId) -> Vec<Symbol>;

    /// The hints in a byte range, in order.
    fn hints(&self, _range: Span) -> Vec<Hint> {
        Vec::new()
    }

    /// The file of a path in the program's tree, if it was read.
    fn file(&self, path: &str) -> Option<FileId> {
        self.sources().iter().find(|(_, source)| source.path == path).map(|(file, _)| file)
    }
}

/// A position in a file. Units: bytes; any number is accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The file.
    pub file: FileId,
    /// The offset.
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

    fn hints(&self, range: Span) -> Vec<Hint> {
        inlay::of(self, range)
    }
}

#[cfg(test)]
mod tests;
