//! The languages: their common interfaces, and the table of all of them.
//!
//! The faces use a [`FrontEnd`] and name no language. The common parts (resource graphs, the brain, the simulated host,
//! editor services) are below and next to this module. A program whose table has a single language links nothing of the
//! others.

mod asking;
mod facts;
mod inmanta;
mod mcl;
mod ordered;
mod testing;

pub use crate::engine_language::{Language, language_of};
pub use facts::HostFacts;
pub use inmanta::Inmanta;
pub use mcl::Mcl;
pub use testing::TESTABLE;

use crate::brain::Brain;
use crate::diag::Diags;
use crate::diag::codes::lint_named;
use crate::diag::render_text::Shown;
use crate::editor::Services;
use crate::face::graphs::InWords;
use crate::face::seeking::SeekingWorld;
use crate::lint::Levels;
use crate::rgraph::Passes;
use crate::source::{MemoryWorld, Sources};
use crate::span::Span;
use crate::vocab::FactSpec;
use mclive_base::shapes::{Diagnostics, FunctionGraph, Reads, ResourceGraph};
use std::sync::Arc;

/// Every language; the first is the default for text without a known extension.
pub static ALL: [&dyn FrontEnd; 2] = [&Mcl, &Inmanta];

/// The interface of a language to editors, in addition to that of the brain ([`Language`]).
pub trait Editable: Language {
    /// Formats a file. Errors: why it does not parse.
    fn format(&self, text: &[u8]) -> Result<Vec<u8>, Diags>;

    /// All its diagnostic codes, ascending.
    fn codes(&self) -> Vec<Code>;

    /// Opens a program; the host's name is for programs that use it.
    fn open(&self, world: MemoryWorld, entry: &str, host: &str) -> Box<dyn Opened>;
}

/// An opened program: editor services and views.
pub trait Opened {
    /// The editor services.
    fn services(&self) -> &dyn Services;

    /// All diagnostics.
    fn diagnostics(&self) -> Diagnostics;

    /// The view of the program as a graph: the function graph, or the instances of a model. `None` if errors prevent
    /// it.
    fn picture(&self) -> Option<FunctionGraph>;

    /// The same in the program's own words.
    fn picture_in_words(&self) -> Option<InWords> {
        Some(InWords { graph: self.picture()?, number_of: Vec::new(), reads: self.reads() })
    }

    /// What the statements for resources read, for [`Opened::picture`]; empty if its vertices are the statements.
    fn reads(&self) -> Vec<Reads> {
        Vec::new()
    }

    /// The hosts it declares; empty if it runs on any host.
    fn hosts(&self) -> Vec<String>;

    /// The first resource graph, on a fresh simulated host.
    fn resources(&self, host: &str) -> Option<ResourceGraph>;

    /// The view in DOT, as `mclive graph` prints it.
    fn picture_dot(&self) -> Option<String>;

    /// The view as JSON, as `mclive graph` prints it; for a model with all attributes of its instances.
    fn picture_json(&self) -> Option<String>;

    /// The first resource graph in DOT, as `mclive graph` prints it.
    fn resources_dot(&self, host: &str) -> Option<String>;
}

/// The interface of a language to non-interactive faces.
pub trait FrontEnd: Editable {
    /// Errors of a program, and of its resources on every host; with a host, on that one.
    ///
    /// Includes lints at these levels.
    fn check(&self, asked: &Asked<'_>, levels: &Levels) -> Said;

    /// A graph of a program; the most detailed one by default. Its resources are those of a simulated host or, with
    /// facts, of the host they were read from. Of a program with a part from elsewhere, the places are shown in this way.
    fn graph(
        &self,
        asked: &Asked<'_>,
        picture: Option<Picture>,
        format: Format,
        facts: Option<HostFacts>,
        shown: Shown<'_>,
    ) -> Result<String, Undrawn>;

    /// Where it describes a resource, `kind[name]`, of the asked host: lines from the inside out, each with its place.
    fn origin(&self, asked: &Asked<'_>, resource: &str) -> (Sources, Vec<(String, Span)>);

    /// The partial exports without which a model is the same on every host, by their places in its list.
    fn replaced_parts(&self, asked: &Asked<'_>) -> Vec<usize>;

    /// Begins the search for the files that the program at this entry needs.
    fn seek(&self, entry: &str) -> Box<dyn Seek>;

    /// The parts of the manual.
    fn contents(&self) -> Vec<Contents>;

    /// The manual page of a name, in Markdown.
    fn page(&self, name: &str) -> Option<String>;

    /// The same as JSON.
    fn page_json(&self, name: &str) -> Option<serde_json::Value>;
}

/// The search for the files of a program.
pub trait Seek {
    /// Reads the program as far as its files are there, to find those that it needs; the world records them.
    fn step(&mut self, world: &SeekingWorld);
}

/// A program to compile.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// Its files.
    pub world: &'a Arc<MemoryWorld>,
    /// As on a command line, but in the program's own tree: `/`, `/main.mcl`.
    pub entry: &'a str,
    /// The host it is for; `None`: all hosts.
    pub host: Option<&'a str>,
    /// The variables of the environment, unless they are facts of a host.
    pub environment: &'a [(String, String)],
}

/// The diagnostics of a program.
pub struct Said {
    /// The files that were read.
    pub sources: Sources,
    /// All diagnostics.
    pub diags: Diags,
    /// Lines it printed while it was compiled.
    pub printed: Vec<String>,
}

/// A kind of graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Picture {
    /// The function graph: dependencies of values.
    Functions,
    /// The model: instances and their relations.
    Model,
    /// The resource graph: resources in the order they are applied.
    Resources,
    /// The function graph in the program's own words: variables and expressions in place of operations.
    Words,
}

/// A format of graphs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Plain text.
    Text,
    /// JSON.
    Json,
    /// DOT, for Graphviz.
    Dot,
}

/// Why there is no graph.
pub enum Undrawn {
    /// The program is refused.
    Refused(Box<Said>),
    /// The language has no graph of this kind; the available ones.
    Missing(&'static str),
    /// These facts of the host are needed as well.
    Unknown(Vec<FactSpec>),
}

/// A diagnostic code.
pub struct Code {
    /// `E0301`.
    pub code: String,
    /// Its title.
    pub title: &'static str,
    /// Its page, in Markdown.
    pub page: &'static str,
}

/// A part of the manual.
pub struct Contents {
    /// The title.
    pub title: &'static str,
    /// The name of the page with all of it.
    pub name: &'static str,
    /// The names of its pages.
    pub pages: Vec<String>,
}

/// The host name if none is given: only values depend on it.
pub const ANY_HOST: &str = "host1";

/// The passes over a resource graph that is only displayed.
const LOOKED_AT: Passes = Passes { autoedge: true, autogroup: true, ask_host: false };

/// The language of a program.
pub fn of(asked: &Asked<'_>) -> &'static dyn FrontEnd {
    at(asked.world, asked.entry)
}

/// The language of the program at an entry.
pub fn at(world: &MemoryWorld, entry: &str) -> &'static dyn FrontEnd {
    language_of(&ALL, world, entry).unwrap_or(&Mcl)
}

/// The language of a file, by its name.
pub fn of_file(path: &str) -> &'static dyn FrontEnd {
    ALL.into_iter().find(|language| language.layout().names(path)).unwrap_or(&Mcl)
}

/// A brain with every language.
pub fn brain() -> Brain {
    Brain::speaking(all())
}

/// The languages in the brain's form.
pub fn all() -> Vec<&'static dyn Language> {
    ALL.iter().map(|language| *language as &'static dyn Language).collect()
}

/// The page of a code, from the language that has it.
pub fn explain(code: &str) -> Option<&'static str> {
    let mut codes = ALL.iter().flat_map(|language| language.codes());
    let lint = lint_named(code).map(|lint| lint.page);
    // `401` is E0401, and `w7` W0007.
    let parts = |text: &str| {
        let letters = text.trim_end_matches(|char: char| char.is_ascii_digit());
        (letters.to_ascii_uppercase(), text[letters.len()..].trim_start_matches('0').to_owned())
    };
    let (letters, number) = parts(code);
    let letters = if letters.is_empty() { "E".to_owned() } else { letters };
    let is = |entry: &str| !number.is_empty() && parts(entry) == (letters.clone(), number.clone());
    lint.or_else(|| codes.find(|entry| is(&entry.code)).map(|entry| entry.page))
}
