//! [`Language`]: the brain's interface to a language; [`Live`]: a running program.
//!
//! ```text
//! files > Language::deploy > Live: facts and time in, resource graphs out > automatic edges, groups > schedule
//! ```
//!
//! Everything after the resource graph is the same for all languages. A language whose values change implements
//! [`Live`]; one whose programs yield a single graph uses [`Fixed`].

mod fixed;
mod mcl;

pub use fixed::Fixed;
pub use mcl::Mcl;

use crate::diag::{Diagnostic, Diags};
use crate::react::{FactId, FactRequest, Outcome, React};
use crate::rgraph::{NextGraph, ResGraph};
use crate::sched::News;
use crate::source::{MemoryWorld, ProgramFiles, Sources};
use crate::vocab::{Datum, HostError};
use mclive_base::layout::Layout;
use std::sync::Arc;

/// The brain's interface to a language.
pub trait Language: Sync {
    /// The names of its files.
    fn layout(&self) -> &'static Layout;

    /// Compiles a program from files, for the host of this name.
    fn deploy(&self, world: &Arc<MemoryWorld>, entry: &str, hostname: &str) -> Deployed;
}

/// The result of a deploy.
pub struct Deployed {
    /// The files that were read.
    pub sources: Sources,
    /// All diagnostics.
    pub diags: Diags,
    /// Lines that the program printed while it was compiled.
    pub printed: Vec<String>,
    /// The program, unless it has errors.
    pub live: Option<Box<dyn Live>>,
}

/// A running program, the source of resource graphs.
pub trait Live {
    /// The same program at the same point: both continue alike.
    fn copy(&self) -> Box<dyn Live>;

    /// Handles a fact from the host.
    fn fact(&mut self, id: FactId, told: Result<Datum, HostError>);

    /// Facts to subscribe to and to unsubscribe from, since the last call.
    fn take_requests(&mut self) -> Vec<FactRequest>;

    /// When [`Live::run`] wants to be called again. Units: nanoseconds since the engine started.
    fn wake(&self) -> Option<u64>;

    /// Evaluates what has changed, or continues an evaluation.
    fn run(&mut self, now: u64) -> Outcome;

    /// The runs up to the next call of this may take a slice of work together ([`Outcome::Underway`]).
    fn begin_slice(&mut self) {}

    /// Whether [`Live::run`] has something to do, whatever happens.
    fn is_under_way(&self) -> bool {
        false
    }

    /// The resource graph of the present values, before automatic edges and groups: all of it, or what few
    /// resources became since the last one.
    fn update(&mut self) -> Result<NextGraph, Diags>;

    /// The whole graph, after [`Live::update`] returned a few changes.
    fn whole(&mut self) -> Result<ResGraph, Diags>;

    /// Why the graph just returned differs from the one before; the first one has the deploy as its cause.
    fn news(&mut self, is_first: bool) -> News;

    /// Whether a new complete table of values followed another one, even if no resource changed.
    fn is_another_table(&self) -> bool;

    /// The function graph with its values, if there is one.
    fn react(&self) -> Option<&React>;

    /// Lines that the program printed since it was deployed.
    fn take_printed(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Warnings about what graphs leave out, since the last call.
    fn take_warnings(&mut self) -> Vec<Diagnostic> {
        Vec::new()
    }
}

impl Clone for Box<dyn Live> {
    fn clone(&self) -> Box<dyn Live> {
        (**self).copy()
    }
}

/// The language of a program, by the name of its main file. For a directory, the language whose main file it contains;
/// the first language by default.
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
