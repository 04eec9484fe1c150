//! The front half in one call: program files in, a typed function graph out.

use crate::diag::{Diagnostic, Diags, Stage, codes};
use crate::fgraph::{self, FuncGraph, Plan};
use crate::front;
use crate::scope::{self, Linked, input};
use crate::source::{Source, Sources, World};
use crate::unify::{self, Types};
use std::sync::Arc;

/// What a program is compiled with.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The value of `$hostname`.
    pub hostname: &'a str,
}

/// What came of one compilation: what was read, what was said, and the program unless an error was.
pub struct Compilation {
    pub sources: Sources,
    pub diags: Diags,
    pub program: Option<Program>,
}

/// A sound program.
pub struct Program {
    pub linked: Linked,
    pub types: Types,
    pub plan: Arc<Plan>,
}

impl Program {
    /// The function graph that it starts with; `Err` says that it would be too large.
    pub fn graph(&self) -> Result<FuncGraph, Diags> {
        fgraph::build(&self.plan)
    }
}

/// A program as far as it could be understood.
pub struct Understood {
    pub sources: Sources,
    pub diags: Diags,
    /// Empty where there is no input.
    pub linked: Linked,
    pub types: Types,
}

/// How much of a program is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// What its statements reach.
    Program,
    /// Also classes that nothing includes: for editors.
    Everything,
}

/// The stages up to inference, for the program that an input path means (`/`, `/main.mcl`; language
/// spec, 7.7). Each goes on behind the errors of those before it, so that one compilation says all
/// there is to say. Cost: near linear in the program's size.
pub fn understand(world: &dyn World, path: &str, setup: Setup<'_>, reach: Reach) -> Understood {
    let mut sources = Sources::default();
    let mut diags = Diags::default();
    let linked = match input::locate(world, path) {
        Ok(input) => {
            let file = sources.add(Source::new(input.path.clone(), input.text.clone()));
            let module = front::read_module(sources.get(file), file, &mut diags);
            let resolution = scope::Setup {
                world,
                hostname: setup.hostname,
                modules_dir: scope::MODULES_DIR,
                limits: scope::Limits::default(),
                aside: reach == Reach::Everything,
            };
            scope::resolve(resolution, &mut sources, module, &input, &mut diags)
        }
        Err(error) => {
            diags.push(Diagnostic::error(codes::NO_INPUT, Stage::Input, error.to_string()));
            Linked::default()
        }
    };
    let types = unify::infer(&linked, &mut diags);
    Understood { sources, diags, linked, types }
}

impl Understood {
    /// The program's plan; `None` with errors, which later stages need not cope with.
    pub fn plan(&mut self) -> Option<Arc<Plan>> {
        if self.diags.has_errors() {
            return None;
        }
        let plan = fgraph::plan(&self.linked, &self.types, &mut self.diags);
        (!self.diags.has_errors()).then(|| Arc::new(plan))
    }
}

/// Compiles a program; only one without errors gets a graph.
pub fn compile(world: &dyn World, path: &str, setup: Setup<'_>) -> Compilation {
    let mut understood = understand(world, path, setup, Reach::Program);
    let plan = understood.plan();
    let Understood { sources, diags, linked, types } = understood;
    Compilation { sources, diags, program: plan.map(|plan| Program { linked, types, plan }) }
}
