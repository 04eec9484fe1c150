//! The result of one compilation in its transfer shape: diagnostics, and both graphs.

use super::graphs::{self, InWords};
use crate::compile::{Setup, compile, join};
use crate::diag::Diags;
use crate::editor::Analysis;
use crate::fgraph::{self, Ir};
use crate::hir::Module;
use crate::lint::{self, Levels, Subject, Switches};
use crate::protocol::Moment;
use crate::rgraph::{self, Passes, ResGraph, first_graph};
use crate::scope::Linked;
use crate::sim::SimHost;
use crate::source::{MemoryWorld, Sources};
use mclive_base::shapes::{Diagnostics, FunctionGraph, Reads, ResourceGraph, VERSION};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The result of one compilation.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Checked {
    /// The version of the shapes.
    pub version: u32,
    /// All diagnostics.
    pub diagnostics: Diagnostics,
    /// `None` if errors prevent it.
    pub functions: Option<FunctionGraph>,
    /// The first resource graph on a fresh simulated host; `None` if errors prevent it.
    pub resources: Option<ResourceGraph>,
}

/// Compiles program files (paths in the program's own tree) and predicts the first resource graph. Nothing is applied.
pub fn check<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>, entry: &str, hostname: &str) -> Checked {
    let world = MemoryWorld::of(files);
    let compiled = compile(&world, entry, Setup { hostname });
    let ir = compiled.program.map(|program| program.ir);
    Findings::of(compiled.sources, compiled.diags, &compiled.modules, ir, &world, hostname).checked()
}

/// The result of a compilation, before conversion to its transfer shape.
pub struct Findings {
    sources: Sources,
    diags: Diags,
    ir: Option<Arc<Ir>>,
    resources: Option<ResGraph>,
}

impl Findings {
    /// The result of an analysis, with the diagnostics of the first resource graph.
    pub fn of_analysis(analysis: &Analysis, hostname: &str) -> Findings {
        let (sources, diags) = (analysis.sources().clone(), analysis.diags().clone());
        Findings::of(sources, diags, analysis.modules(), analysis.ir().cloned(), analysis.world(), hostname)
    }

    fn of(
        sources: Sources,
        mut diags: Diags,
        modules: &[Module],
        ir: Option<Arc<Ir>>,
        world: &MemoryWorld,
        hostname: &str,
    ) -> Findings {
        let mut resources = None;
        if let Some(ir) = &ir {
            match first_resources(ir.clone(), world.clone(), hostname) {
                Ok(graph) => {
                    let path = sources.iter().next().map_or("/main.mcl", |(_, main)| &main.path);
                    let subject = Subject { world, path, setup: Setup { hostname }, sources: &sources, modules };
                    let switches = Switches::of(modules, &sources);
                    diags.extend(lint::lint(subject, &switches, &Levels::default()));
                    resources = Some(graph);
                }
                Err(said) => diags = join(diags, said),
            }
        }
        Findings { sources, diags, ir, resources }
    }

    /// The diagnostics.
    pub fn diagnostics(&self) -> Diagnostics {
        Diagnostics::of(&self.sources, &self.diags)
    }

    /// The function graph, unless there are errors.
    pub fn functions(&self) -> Option<FunctionGraph> {
        let graph = fgraph::build(self.ir.as_ref()?).ok()?;
        Some(graphs::functions(&graph, &self.sources))
    }

    /// What the statements read, for [`Findings::functions`].
    pub fn reads(&self) -> Option<Vec<Reads>> {
        let graph = fgraph::build(self.ir.as_ref()?).ok()?;
        Some(graphs::reads(&graph, &self.sources))
    }

    /// The function graph in the program's words.
    pub fn functions_in_words(&self, linked: &Linked) -> Option<InWords> {
        let graph = fgraph::build(self.ir.as_ref()?).ok()?;
        Some(graphs::functions_in_words(&graph, linked, &self.sources))
    }

    /// The first resource graph, unless there are errors.
    pub fn resources(&self) -> Option<ResourceGraph> {
        Some(graphs::resources(self.resources.as_ref()?, &self.sources))
    }

    /// The function graph in DOT.
    pub fn functions_dot(&self) -> Option<String> {
        Some(fgraph::dot(&fgraph::build(self.ir.as_ref()?).ok()?))
    }

    /// The first resource graph in DOT.
    pub fn resources_dot(&self) -> Option<String> {
        self.resources.as_ref().map(rgraph::dot)
    }

    fn checked(&self) -> Checked {
        let (diagnostics, functions, resources) = (self.diagnostics(), self.functions(), self.resources());
        Checked { version: VERSION, diagnostics, functions, resources }
    }
}

fn first_resources(ir: Arc<Ir>, world: MemoryWorld, hostname: &str) -> Result<ResGraph, Diags> {
    let mut host = SimHost::new(hostname);
    let passes = Passes { autoedge: true, autogroup: true, ask_host: false };
    let mut answer = |spec: &_, now: u64| Some(host.read_fact(Moment(now), spec));
    first_graph(ir, Arc::new(world), &mut answer, passes)
}
