//! The front half in one call: program files in, a typed function graph out.

use crate::diag::{Diagnostic, Diags, codes};
use crate::fgraph::{self, FuncGraph, Plan};
use crate::hir::Module;
use crate::lint::{self, Levels, Subject, Switches};
use crate::rgraph::foresee;
use crate::scope::Linked;
use crate::source::{MemoryWorld, ProgramFiles, Sources};
use crate::span::Span;
use crate::unify::Types;
use std::sync::Arc;

pub use crate::understand::{Reach, Setup, Understood, understand};

/// What came of one compilation: what was read, what was said, and the program unless an error was.
pub struct Compilation {
    pub sources: Sources,
    pub diags: Diags,
    /// The trees of all files, the main file's first.
    pub modules: Vec<Module>,
    pub program: Option<Compiled>,
}

/// A sound program.
pub struct Compiled {
    pub linked: Linked,
    pub types: Types,
    pub plan: Arc<Plan>,
}

impl Compiled {
    /// The function graph that it starts with; `Err` says that it would be too large.
    pub fn graph(&self) -> Result<FuncGraph, Diags> {
        fgraph::build(&self.plan)
    }
}

/// The plan of a program; `None` with errors, which later stages need not cope with.
pub fn plan(understood: &mut Understood) -> Option<Arc<Plan>> {
    if understood.diags.has_errors() {
        return None;
    }
    let plan = fgraph::plan(&understood.linked, &understood.types, &mut understood.diags);
    (!understood.diags.has_errors()).then(|| Arc::new(plan))
}

/// Compiles a program; only one without errors gets a graph.
pub fn compile(world: &dyn ProgramFiles, path: &str, setup: Setup<'_>) -> Compilation {
    let mut understood = understand(world, path, setup, Reach::Program);
    let plan = plan(&mut understood);
    let Understood { sources, diags, modules, linked, types } = understood;
    Compilation { sources, diags, modules, program: plan.map(|plan| Compiled { linked, types, plan }) }
}

/// Compiles a program and says on top what is wrong with its resources on every host.
pub fn check(world: &MemoryWorld, path: &str, setup: Setup<'_>) -> Compilation {
    check_with(world, path, setup, &Levels::default())
}

/// The same with lints as loud as they should be.
pub fn check_with(world: &MemoryWorld, path: &str, setup: Setup<'_>, levels: &Levels) -> Compilation {
    let mut compiled = compile(world, path, setup);
    let Some(program) = &compiled.program else { return compiled };
    let modules = std::mem::take(&mut compiled.modules);
    let switches = Switches::of(&modules, &compiled.sources);
    let subject = Subject { world, path, setup, sources: &compiled.sources, modules: &modules };
    let lints = lint::lint(subject, &switches, levels);
    // The graph is large as well.
    drop(modules);
    let foreseen = foresee(program.plan.clone(), Arc::new(world.clone()));
    compiled.diags = join(compiled.diags, foreseen);
    compiled.diags = lint::filter(compiled.diags, &switches, levels);
    if !compiled.diags.has_errors() {
        compiled.diags.extend(lints);
    }
    compiled
}

/// What compiling said, and what the first resource graph shows on top. What both tell of is told once: a hidden
/// character in a literal by the lexer, a meta parameter that is set twice by the graph that cannot be built.
pub fn join(said: Diags, found: Diags) -> Diags {
    let mut joined = Diags::default();
    for diagnostic in said.iter() {
        let is_built = |error: &Diagnostic| {
            let places = error.primary.iter().chain(&error.secondary);
            error.code == codes::META_TWICE
                && places.map(|label| label.span).any(|place| Some(place) == span(diagnostic))
        };
        if diagnostic.code != codes::DUPLICATE_META_LATER || !found.iter().any(is_built) {
            joined.push(diagnostic.clone());
        }
    }
    for diagnostic in found.into_vec() {
        let is_told = diagnostic.code == codes::HIDDEN_CHARACTER
            && said.iter().any(|told| {
                let (Some(told), Some(place)) = (span(told), span(&diagnostic)) else { return false };
                told.file == place.file && place.start <= told.start && told.end <= place.end
            });
        if !is_told {
            joined.push(diagnostic);
        }
    }
    joined
}

fn span(diagnostic: &Diagnostic) -> Option<Span> {
    diagnostic.primary.as_ref().map(|label| label.span)
}
