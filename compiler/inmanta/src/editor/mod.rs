//! Editor services for models: one [`Analysis`] per text, one file per service.
//!
//! Lines that do not parse are left out of the model used for lookups, so that services work on all other lines.
//! Nothing here panics on any text.

mod colours;
mod complete;
mod hover;
mod names;
mod regions;
mod rename;
mod symbols;

use crate::ast::FileTree;
use crate::compile::Compilation;
use crate::lex::{self, Lexed, escape::Reading};
use crate::understand::{Hosts, Understood, main_file, understand};
use mclive_base::ident::Interner;
use mclive_base::source::{MemoryWorld, ProgramFiles, Sources};
use mclive_base::span::{FileId, Span};
use mclive_ide::{ColouredToken, Completion, Hover, Position, Refused, Services, SignatureHelp, Symbol, TextEdit};
use names::Marks;

/// An analysed model.
pub struct Analysis {
    world: MemoryWorld,
    entry: String,
    /// The diagnostics of the text as it is, and the graphs of all hosts.
    pub understood: Understood,
    /// The model without the lines that do not parse, if there are any.
    mended: Option<Compilation>,
    files: Vec<Option<Own>>,
    marks: Marks,
}

/// One of the model's own files.
struct Own {
    text: String,
    lexed: Lexed,
    tree: FileTree,
    nodes: crate::ast::Tree,
}

/// The most lines left out.
const MAX_LEFT_OUT: usize = 8;

impl Analysis {
    /// Analyses a model.
    pub fn new(world: MemoryWorld, entry: &str) -> Analysis {
        let understood = understand(&world, entry, Hosts::All);
        let mended = mended(&world, &main_file(entry), &understood);
        let compilation = mended.as_ref().unwrap_or(&understood.compilation);
        let files: Vec<Option<Own>> =
            compilation.sources.iter().map(|(file, source)| own(&world, file, &source.path)).collect();
        let marks = Marks::of(compilation, &files);
        Analysis { world, entry: entry.to_owned(), understood, mended, files, marks }
    }

    /// The model used for lookups.
    fn model(&self) -> &Compilation {
        self.mended.as_ref().unwrap_or(&self.understood.compilation)
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

/// The model without the lines that do not parse; `None` if all do.
fn mended(world: &MemoryWorld, main: &str, understood: &Understood) -> Option<Compilation> {
    let is_syntax = |compilation: &Compilation| compilation.is_torn || compilation.program.namespaces.is_empty();
    if !is_syntax(&understood.compilation) {
        return None;
    }
    let mut world = world.clone();
    let mut sources = understood.compilation.sources.clone();
    let mut places: Vec<Span> =
        understood.compilation.faults.iter().filter_map(|fault| Some(fault.place?.span())).collect();
    let mut last = None;
    for _ in 0..MAX_LEFT_OUT {
        let place = places.first()?;
        let source = sources.get(place.file);
        let line = source.line_of(place.start.min(place.end));
        let mut text = world.read(&source.path)?.to_vec();
        let end: usize = (1..=line).map(|line| source.line(line).len() + 1).sum();
        let start = end - source.line(line).len() - 1;
        let end = (end - 1).min(text.len());
        text.get_mut(start..end)?.fill(b' ');
        world.insert(&source.path.clone(), text);
        let compilation = crate::compile::compile(&world, main, &crate::compile::Setup::default());
        places = compilation.faults.iter().filter_map(|fault| Some(fault.place?.span())).collect();
        sources = compilation.sources.clone();
        let is_done = !is_syntax(&compilation);
        last = Some(compilation);
        if is_done {
            break;
        }
    }
    last
}

impl Services for Analysis {
    fn sources(&self) -> &Sources {
        &self.model().sources
    }

    fn tokens(&self, range: Span) -> Vec<ColouredToken> {
        colours::of(self, range)
    }

    fn hover(&self, at: Position) -> Option<Hover> {
        hover::at(self, at)
    }

    fn complete(&self, at: Position) -> Completion {
        complete::at(self, at)
    }

    fn signature(&self, at: Position) -> Option<SignatureHelp> {
        hover::signature(self, at)
    }

    fn definition(&self, at: Position) -> Option<Span> {
        let mark = self.marks.at(at)?;
        let span = names::definition(self.model(), &mark.target)?;
        self.own(span.file).map(|_| span)
    }

    fn uses(&self, at: Position) -> Vec<Span> {
        self.marks.at(at).map_or_else(Vec::new, |mark| self.marks.uses(&mark.target))
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
