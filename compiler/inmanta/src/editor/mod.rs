//! Editor services for models: one [`Analysis`] per text, one file per service. A program with partial exports has several
//! models (`models`), each with its own files; the diagnostics are those of all of them together.
//!
//! Lines that do not parse are left out of the model used for lookups, so that services work on all other lines.
//! Nothing here panics on any text.

mod colours;
mod complete;
mod hover;
mod models;
mod names;
mod regions;
mod rename;
mod symbols;

use crate::ast::FileTree;
use crate::lex::{self, Lexed, escape::Reading};
use crate::understand::{Hosts, Understood, main_file, understand};
use mclive_base::ident::Interner;
use mclive_base::source::{MemoryWorld, ProgramFiles, Sources};
use mclive_base::span::{FileId, Span};
use mclive_ide::{ColouredToken, Completion, Hover, Position, Refused, Services, SignatureHelp, Symbol, TextEdit};
use models::LookupModel;

/// An analysed program.
pub struct Analysis {
    world: MemoryWorld,
    entry: String,
    /// The diagnostics of the text as it is, and the graphs of all hosts.
    pub understood: Understood,
    /// The whole model, and those of its partial exports.
    models: Vec<LookupModel>,
    files: Vec<Option<Own>>,
}

/// One of the program's own files.
struct Own {
    text: String,
    lexed: Lexed,
    tree: FileTree,
    nodes: crate::ast::Tree,
}

impl Analysis {
    /// Analyses a program.
    pub fn new(world: MemoryWorld, entry: &str) -> Analysis {
        let understood = understand(&world, entry, Hosts::All);
        let (models, files) = models::known(&world, &main_file(entry), &understood);
        Analysis { world, entry: entry.to_owned(), understood, models, files }
    }

    fn own(&self, file: FileId) -> Option<&Own> {
        self.files.get(file.0 as usize)?.as_ref()
    }
}

/// A file of the program, not one that is built in.
fn own(world: &MemoryWorld, file: FileId, path: &str) -> Option<Own> {
    let bytes = world.read(path)?;
    let text = lex::normalize(&String::from_utf8_lossy(&bytes));
    let (mut nodes, mut names) = (crate::ast::Tree::default(), Interner::default());
    let tree = crate::parse::parse(file, &text, Reading::default(), &mut nodes, &mut names).tree;
    let lexed = lex::lex(file, &text, &mut names);
    Some(Own { text, lexed, tree, nodes })
}

impl Services for Analysis {
    fn sources(&self) -> &Sources {
        // Those of the last model are those of all.
        &self.compilation(self.models.len() - 1).sources
    }

    fn tokens(&self, range: Span) -> Vec<ColouredToken> {
        colours::of(self.around(range.file), range)
    }

    fn hover(&self, at: Position) -> Option<Hover> {
        hover::at(self.around(at.file), at)
    }

    fn complete(&self, at: Position) -> Completion {
        complete::at(self.around(at.file), at)
    }

    fn signature(&self, at: Position) -> Option<SignatureHelp> {
        hover::signature(self.around(at.file), at)
    }

    fn definition(&self, at: Position) -> Option<Span> {
        let lookup = self.around(at.file);
        let mark = lookup.marks.at(at)?;
        let span = names::definition(lookup.model(), &mark.target)?;
        self.own(span.file).map(|_| span)
    }

    fn uses(&self, at: Position) -> Vec<Span> {
        let marks = self.around(at.file).marks;
        marks.at(at).map_or_else(Vec::new, |mark| marks.uses(&mark.target))
    }

    fn renamable(&self, at: Position) -> Option<(Span, String)> {
        rename::renamable(self, at)
    }

    fn rename(&self, at: Position, name: &str) -> Result<Vec<TextEdit>, Refused> {
        rename::rename(self, at, name)
    }

    fn symbols(&self, file: FileId) -> Vec<Symbol> {
        self.own(file).map_or_else(Vec::new, symbols::of)
    }
}

#[cfg(test)]
mod tests;
