//! The languages side by side: what each can be asked, and the table of them.
//!
//! The faces ask a [`FrontEnd`] and know no language by name. What the languages share (resource graphs, the brain,
//! the simulated host, the services of an editor) is below and beside this module. A program whose table names one
//! language alone links nothing of the others.

mod asking;
mod facts;
mod inmanta;
mod mcl;
mod testing;

pub use crate::engine_language::{Language, language_of};
pub use facts::Known;
pub use inmanta::Inmanta;
pub use mcl::Mcl;
pub use testing::TESTABLE;

use crate::brain::Brain;
use crate::diag::Diags;
use crate::diag::codes::lint_named;
use crate::editor::Services;
use crate::face::seeking::SeekingWorld;
use crate::lint::Levels;
use crate::rgraph::Passes;
use crate::source::{MemoryWorld, Sources};
use crate::vocab::FactSpec;
use mclive_base::shapes::{Diagnostics, FunctionGraph, ResourceGraph};
use std::sync::Arc;

/// Every language; the first is that of texts whose names tell nothing.
pub static ALL: [&dyn FrontEnd; 2] = [&Mcl, &Inmanta];

/// What an editor needs of a language, beside what the brain asks ([`Language`]).
pub trait Editable: Language {
    /// A file in its canonical layout. Errors: why it does not parse.
    fn format(&self, text: &[u8]) -> Result<Vec<u8>, Diags>;

    /// Every code of its own, ascending.
    fn codes(&self) -> Vec<Code>;

    /// A program to work on; the host's name is for programs that ask for one.
    fn open(&self, world: MemoryWorld, entry: &str, host: &str) -> Box<dyn Opened>;
}

/// A program that is worked on: what an editor asks, and what there is to show.
pub trait Opened {
    fn services(&self) -> &dyn Services;

    fn diagnostics(&self) -> Diagnostics;

    /// What is computed or described, as a graph: the function graph, or the instances of a model. Nothing, where errors keep
    /// it from being made.
    fn picture(&self) -> Option<FunctionGraph>;

    /// The hosts that it tells of; none, where it is for whichever host it runs on.
    fn hosts(&self) -> Vec<String>;

    /// The first resource graph, on a host that is like a new simulated one.
    fn resources(&self, host: &str) -> Option<ResourceGraph>;

    /// The picture in DOT, as `mclive graph` prints it.
    fn picture_dot(&self) -> Option<String>;

    /// The picture as JSON, as `mclive graph` prints it: of a model with all that its instances hold.
    fn picture_json(&self) -> Option<String>;

    /// The first resource graph in DOT, as `mclive graph` prints it.
    fn resources_dot(&self, host: &str) -> Option<String>;
}

/// What a language is asked by faces that are not interactive.
pub trait FrontEnd: Editable {
    /// What keeps a program from running, and what is wrong with its resources on every host; with a host, on that one.
    ///
    /// With what its lints warn of, as loud as these levels say.
    fn check(&self, asked: &Asked<'_>, levels: &Levels) -> Said;

    /// A picture of a program; without a wish, the one that shows most of it. Its resources are those of a simulated
    /// host, or, with facts, of the host that these were read of.
    fn graph(
        &self,
        asked: &Asked<'_>,
        picture: Option<Picture>,
        format: Format,
        facts: Option<Known>,
    ) -> Result<String, Undrawn>;

    /// Reads a program as far as it takes to know which files it wants; the world takes note of them.
    fn seek(&self, world: &SeekingWorld, entry: &str);

    /// What the manual has pages on.
    fn contents(&self) -> Vec<Contents>;

    /// The manual's page on a name, in Markdown.
    fn page(&self, name: &str) -> Option<String>;

    /// The same as JSON.
    fn page_json(&self, name: &str) -> Option<serde_json::Value>;
}

/// A program that something is asked about.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    pub world: &'a Arc<MemoryWorld>,
    /// As on a command line, but in the program's own tree: `/`, `/main.mcl`.
    pub entry: &'a str,
    /// The host that it is for; nothing is meant for all of them.
    pub host: Option<&'a str>,
}

/// What was said about a program.
pub struct Said {
    pub sources: Sources,
    pub diags: Diags,
    /// What it printed as it was compiled, line by line.
    pub printed: Vec<String>,
}

/// A picture of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Picture {
    /// Which values are computed from which.
    Functions,
    /// What was described, and how it relates.
    Model,
    /// What is applied, and in which order.
    Resources,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Text,
    Json,
    Dot,
}

/// Why there is no picture.
pub enum Undrawn {
    /// The program is refused.
    Refused(Box<Said>),
    /// The language has none of this sort; which ones it has.
    Missing(&'static str),
    /// These facts of the host must be known as well.
    Unknown(Vec<FactSpec>),
}

/// A diagnostic's code.
pub struct Code {
    /// `E0301`.
    pub code: String,
    pub title: &'static str,
    /// Markdown.
    pub page: &'static str,
}

/// A part of the manual.
pub struct Contents {
    pub title: &'static str,
    /// The name of the page with all of it.
    pub name: &'static str,
    /// The names of its pages.
    pub pages: Vec<String>,
}

/// The name of a host where none is meant: nothing but values depends on it.
pub const ANY_HOST: &str = "host1";

/// What runs over a resource graph that is only looked at.
const LOOKED_AT: Passes = Passes { autoedge: true, autogroup: true, ask_host: false };

/// The language of a program.
pub fn of(asked: &Asked<'_>) -> &'static dyn FrontEnd {
    language_of(&ALL, &**asked.world, asked.entry).unwrap_or(&Mcl)
}

/// The language of a file, by its name.
pub fn of_file(path: &str) -> &'static dyn FrontEnd {
    ALL.into_iter().find(|language| language.layout().names(path)).unwrap_or(&Mcl)
}

/// A brain that understands every language.
pub fn brain() -> Brain {
    Brain::speaking(all())
}

/// The languages as the brain knows them.
pub fn all() -> Vec<&'static dyn Language> {
    ALL.iter().map(|language| *language as &'static dyn Language).collect()
}

/// The page of a code, by the language that has it.
pub fn explain(code: &str) -> Option<&'static str> {
    let mut codes = ALL.iter().flat_map(|language| language.codes());
    let lint = lint_named(code).map(|lint| lint.page);
    lint.or_else(|| codes.find(|entry| entry.code.eq_ignore_ascii_case(code)).map(|entry| entry.page))
}
