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
    /// The function graph that it starts with.
    pub fn graph(&self) -> FuncGraph {
        fgraph::build(&self.plan, &mut Diags::default())
    }
}

/// Compiles the program that an input path means (`/`, `/main.mcl`; language spec, 7.7).
///
/// Each stage goes on behind the errors of those before it, so that one compilation says all there
/// is to say; only a program without errors gets a graph. Cost: near linear in the program's size.
pub fn compile(world: &dyn World, path: &str, setup: Setup<'_>) -> Compilation {
    let mut sources = Sources::default();
    let mut diags = Diags::default();
    let input = match input::locate(world, path) {
        Ok(input) => input,
        Err(error) => {
            diags.push(Diagnostic::error(codes::NO_INPUT, Stage::Input, error.to_string()));
            return Compilation { sources, diags, program: None };
        }
    };
    let file = sources.add(Source::new(input.path.clone(), input.text.clone()));
    let module = front::read_module(sources.get(file), file, &mut diags);
    let resolution = scope::Setup {
        world,
        hostname: setup.hostname,
        modules_dir: scope::MODULES_DIR,
        limits: scope::Limits::default(),
    };
    let linked = scope::resolve(resolution, &mut sources, module, &input, &mut diags);
    let types = unify::infer(&linked, &mut diags);
    if diags.has_errors() {
        // Later stages may assume a sound program.
        return Compilation { sources, diags, program: None };
    }
    let plan = Arc::new(fgraph::plan(&linked, &types, &mut diags));
    let program = (!diags.has_errors()).then_some(Program { linked, types, plan });
    Compilation { sources, diags, program }
}
