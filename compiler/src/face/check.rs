//! One compilation as it crosses: what it said, and both graphs.

use super::graphs;
use crate::compile::{Setup, compile, join};
use crate::diag::Diags;
use crate::editor::Analysis;
use crate::fgraph::{self, Plan};
use crate::hir::Module;
use crate::lint::{self, Levels, Subject, Switches};
use crate::protocol::Moment;
use crate::rgraph::{self, Passes, ResGraph, first_graph};
use crate::sim::SimHost;
use crate::source::{MemoryWorld, Sources};
use mclive_base::shapes::{Diagnostics, FunctionGraph, ResourceGraph, VERSION};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The outcome of one compilation.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Checked {
    pub version: u32,
    pub diagnostics: Diagnostics,
    /// `None` when errors keep it from being made.
    pub functions: Option<FunctionGraph>,
    /// The first one, on a host that is like a new simulated one; likewise.
    pub resources: Option<ResourceGraph>,
}

/// Compiles program files (paths in the program's own tree) and foresees the first resource graph.
/// Nothing is applied.
pub fn check<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>, entry: &str, hostname: &str) -> Checked {
    let world = MemoryWorld::of(files);
    let compiled = compile(&world, entry, Setup { hostname });
    let plan = compiled.program.map(|program| program.plan);
    Findings::of(compiled.sources, compiled.diags, &compiled.modules, plan, &world, hostname).checked()
}

/// What a compilation has found, before any of it is put into its crossing shape.
pub struct Findings {
    sources: Sources,
    diags: Diags,
    plan: Option<Arc<Plan>>,
    resources: Option<ResGraph>,
}

impl Findings {
    /// What an analysis has found, and what the first resource graph says on top.
    pub fn of_analysis(analysis: &Analysis, hostname: &str) -> Findings {
        let (sources, diags) = (analysis.sources().clone(), analysis.diags().clone());
        Findings::of(sources, diags, analysis.modules(), analysis.plan().cloned(), analysis.world(), hostname)
    }

    fn of(
        sources: Sources,
        mut diags: Diags,
        modules: &[Module],
        plan: Option<Arc<Plan>>,
        world: &MemoryWorld,
        hostname: &str,
    ) -> Findings {
        let mut resources = None;
        if let Some(plan) = &plan {
            match first_resources(plan.clone(), world.clone(), hostname) {
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
        Findings { sources, diags, plan, resources }
    }

    pub fn diagnostics(&self) -> Diagnostics {
        Diagnostics::of(&self.sources, &self.diags)
    }

    pub fn functions(&self) -> Option<FunctionGraph> {
        let graph = fgraph::build(self.plan.as_ref()?).ok()?;
        Some(graphs::functions(&graph, &self.sources))
    }

    pub fn resources(&self) -> Option<ResourceGraph> {
        Some(graphs::resources(self.resources.as_ref()?, &self.sources))
    }

    pub fn functions_dot(&self) -> Option<String> {
        Some(fgraph::dot(&fgraph::build(self.plan.as_ref()?).ok()?))
    }

    pub fn resources_dot(&self) -> Option<String> {
        self.resources.as_ref().map(rgraph::dot)
    }

    fn checked(&self) -> Checked {
        let (diagnostics, functions, resources) = (self.diagnostics(), self.functions(), self.resources());
        Checked { version: VERSION, diagnostics, functions, resources }
    }
}

fn first_resources(plan: Arc<Plan>, world: MemoryWorld, hostname: &str) -> Result<ResGraph, Diags> {
    let mut host = SimHost::new(hostname);
    let passes = Passes { autoedge: true, autogroup: true, ask_host: false };
    let mut answer = |spec: &_, now: u64| Some(host.read_fact(Moment(now), spec));
    first_graph(plan, Arc::new(world), &mut answer, passes)
}
