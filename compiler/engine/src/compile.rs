//! The front half in one call: program files in, a typed function graph out.

use crate::diag::Diags;
use crate::fgraph::{self, FuncGraph, Plan};
use crate::scope::Linked;
use crate::source::{Sources, World};
use crate::unify::Types;
use std::sync::Arc;

pub use crate::understand::{Reach, Setup, Understood, understand};

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

/// The plan of a program; `None` with errors, which later stages need not cope with.
pub fn plan(understood: &mut Understood) -> Option<Arc<Plan>> {
    if understood.diags.has_errors() {
        return None;
    }
    let plan = fgraph::plan(&understood.linked, &understood.types, &mut understood.diags);
    (!understood.diags.has_errors()).then(|| Arc::new(plan))
}

/// Compiles a program; only one without errors gets a graph.
pub fn compile(world: &dyn World, path: &str, setup: Setup<'_>) -> Compilation {
    let mut understood = understand(world, path, setup, Reach::Program);
    let plan = plan(&mut understood);
    let Understood { sources, diags, linked, types } = understood;
    Compilation { sources, diags, program: plan.map(|plan| Program { linked, types, plan }) }
}
