//! The compiler on one screen: from program files to the function graph ([`compile()`]), and what `check` adds
//! ([`check_with`]).
//!
//! | stage | from | to |
//! |---|---|---|
//! | [lex](mclive_syntax::lex::lex()) | the text of a file | [`Tokens`](mclive_syntax::lex::Tokens) |
//! | [parse](mclive_syntax::parse::parse()) | `Tokens` | [`Tree`](mclive_syntax::ast::Tree) |
//! | [lower](mclive_syntax::lower::lower()) | `Tree` | [`Module`] |
//! | [resolve](crate::scope::resolve()) | the main file's `Module`, then those of its imports | [`Linked`] |
//! | [infer](unify::infer()) | `Linked` | [`Types`] |
//! | [emit](fgraph::emit()) | `Linked`, `Types` | [`Ir`] |
//! | [build](fgraph::build()) | `Ir` | [`FuncGraph`] |
//! | [lint](lint::lint()) | the `Module`s of a program without errors | warnings |
//! | [foresee](foresee()) | `Ir` | errors of resources that occur on every host |

mod beside;

use crate::diag::{Diagnostic, Diags, codes};
use crate::fgraph::{self, FuncGraph, Ir};
use crate::hir::Module;
use crate::lint::{self, Levels, Subject, Switches};
use crate::release::release;
use crate::rgraph::foresee;
use crate::scope::Linked;
use crate::source::{MemoryWorld, ProgramFiles, Sources};
use crate::span::Span;
use crate::understand::{Resolved, resolve};
use crate::unify::{self, Types};
use std::sync::Arc;

pub use crate::understand::{Reach, Setup, Understood, look_up, understand};

/// The result of a compilation: the files, the diagnostics, and the program unless there are errors.
pub struct Compilation {
    /// The files that were read.
    pub sources: Sources,
    /// All diagnostics.
    pub diags: Diags,
    /// The trees of all files, the main file's first.
    pub modules: Vec<Module>,
    /// The program, if it has no errors.
    pub program: Option<Compiled>,
}

/// A program without errors.
pub struct Compiled {
    /// The linked program.
    pub linked: Linked,
    /// Its types.
    pub types: Types,
    /// The IR from which its function graph is built.
    pub ir: Arc<Ir>,
}

impl Compiled {
    /// Its initial function graph; `Err` if it would be too large.
    pub fn graph(&self) -> Result<FuncGraph, Diags> {
        fgraph::build(&self.ir)
    }
}

/// Compiles a program; only one without errors gets a graph.
pub fn compile(world: &dyn ProgramFiles, path: &str, setup: Setup<'_>) -> Compilation {
    // Each file is lexed, parsed and lowered when an import leads to it, so resolving is what asks for modules.
    let Resolved { sources, mut diags, modules, linked } = resolve(world, path, setup, Reach::Program);
    let types: Types = unify::infer(&linked, &mut diags);
    let ir: Option<Arc<Ir>> = emit(&linked, &types, &mut diags);
    Compilation { sources, diags, modules, program: ir.map(|ir| Compiled { linked, types, ir }) }
}

/// The IR of a program; `None` after errors, so that later stages need not handle them.
pub fn emit(linked: &Linked, types: &Types, diags: &mut Diags) -> Option<Arc<Ir>> {
    if diags.has_errors() {
        return None;
    }
    let ir = fgraph::emit(linked, types, diags);
    (!diags.has_errors()).then(|| Arc::new(ir))
}

/// The result of a check: the files, the diagnostics, and the IR if there are no errors up to the function graph.
pub struct Checked {
    /// The files that were read.
    pub sources: Sources,
    /// All diagnostics.
    pub diags: Diags,
    /// The IR from which the function graph is built.
    pub ir: Option<Arc<Ir>>,
}

/// Compiles a program and also reports the problems of its resources that occur on every host.
pub fn check(world: &MemoryWorld, path: &str, setup: Setup<'_>) -> Checked {
    check_with(world, path, setup, &Levels::default())
}

/// The same with lints at their levels.
///
/// The result of a stage is released as soon as it is not needed any more, so that later stages can use its memory.
pub fn check_with(world: &MemoryWorld, path: &str, setup: Setup<'_>, levels: &Levels) -> Checked {
    let Resolved { sources, mut diags, modules, linked } = resolve(world, path, setup, Reach::Program);
    let types: Types = unify::infer(&linked, &mut diags);
    if diags.has_errors() {
        diags.extend(beside::wrong_values(world, path, setup, &diags, &modules));
        return Checked { sources, diags, ir: None };
    }
    let switches = Switches::of(&modules, &sources);
    let subject = Subject { world, path, setup, sources: &sources, modules: &modules };
    let lints = lint::lint(subject, &switches, levels);
    let n_nodes = linked.nodes.len();
    release(modules, n_nodes);
    let ir = emit(&linked, &types, &mut diags);
    release((linked, types), n_nodes);
    let Some(ir) = ir else { return Checked { sources, diags, ir: None } };
    let foreseen = foresee(ir.clone(), Arc::new(world.clone()));
    diags = lint::filter(join(diags, foreseen), &switches, levels);
    if !diags.has_errors() {
        diags.extend(lints);
    }
    Checked { sources, diags, ir: Some(ir) }
}

/// Joins the diagnostics of compiling and of the first resource graph. Problems found by both are reported once: an
/// invisible character in a literal by the lexer, a duplicate meta parameter by the graph that cannot be built.
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
