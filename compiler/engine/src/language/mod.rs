//! [`Language`]: what the brain must know of a language; [`Live`]: a program of one at work.
//!
//! ```text
//! files > Language::deploy > Live: facts and time in, resource graphs out > automatic edges, groups > schedule
//! ```
//!
//! Everything behind a resource graph is the same for all languages. A language whose values change brings a
//! [`Live`] of its own; one whose programs come to a single graph uses [`Fixed`].

mod fixed;
mod mcl;

pub use fixed::Fixed;
pub use mcl::Mcl;

use crate::diag::Diags;
use crate::react::{FactId, FactRequest, Outcome, React};
use crate::rgraph::{NextGraph, ResGraph};
use crate::sched::News;
use crate::source::{MemoryWorld, ProgramFiles, Sources};
use crate::vocab::{Datum, HostError};
use mclive_base::layout::Layout;
use std::sync::Arc;

/// A language, as far as the brain knows one.
pub trait Language: Sync {
    /// What its files are called.
    fn layout(&self) -> &'static Layout;

    /// Makes a program of files, for the host of this name.
    fn deploy(&self, world: &Arc<MemoryWorld>, entry: &str, hostname: &str) -> Deployed;
}

/// What came of files.
pub struct Deployed {
    pub sources: Sources,
    pub diags: Diags,
    /// What the program printed as it was compiled, line by line.
    pub printed: Vec<String>,
    /// The program, unless errors keep it from running.
    pub live: Option<Box<dyn Live>>,
}

/// A program at work: where resource graphs come from.
pub trait Live {
    /// The host tells a fact.
    fn fact(&mut self, id: FactId, told: Result<Datum, HostError>);

    /// What to subscribe to, and what no longer, since the last call.
    fn take_requests(&mut self) -> Vec<FactRequest>;

    /// When [`Live::run`] wants to be called again. Units: nanoseconds since the engine started.
    fn wake(&self) -> Option<u64>;

    /// Evaluates what changed, or goes on with that.
    fn run(&mut self, now: u64) -> Outcome;

    /// The runs up to the next call of this may take a slice of work together ([`Outcome::Underway`]).
    fn begin_slice(&mut self) {}

    /// Does [`Live::run`] have something to do, whatever happens?
    fn is_under_way(&self) -> bool {
        false
    }

    /// The resource graph of the present values, before automatic edges and groups: all of it, or what few
    /// resources became since the last one.
    fn update(&mut self) -> Result<NextGraph, Diags>;

    /// All of it, after [`Live::update`] told of few.
    fn whole(&mut self) -> Result<ResGraph, Diags>;

    /// Why the graph that was just made is another one; the first is there because the program was deployed.
    fn news(&mut self, is_first: bool) -> News;

    /// A complete table of values followed another one, whatever became of the resources.
    fn is_another_table(&self) -> bool;

    /// The function graph with its values, where there is one.
    fn react(&self) -> Option<&React>;

    /// What the program printed since it was deployed, line by line.
    fn take_printed(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// The language of a program, by the name of the file that it begins with. A directory begins with the file
/// `main` of its language; what names none is of the first language.
pub fn language_of<'a, L: Language + ?Sized>(
    languages: &[&'a L],
    world: &dyn ProgramFiles,
    entry: &str,
) -> Option<&'a L> {
    let speaks = |language: &&&'a L| match entry.ends_with('/') {
        true => world.read(&format!("{entry}{}", language.layout().main)).is_some(),
        false => language.layout().names(entry),
    };
    languages.iter().find(speaks).or(languages.first()).copied()
}
