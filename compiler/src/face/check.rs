//! One compilation as it crosses: what it said, and both graphs.

use super::dto::{Diagnostics, FunctionGraph, ResourceGraph, VERSION};
use crate::compile::{Setup, compile};
use crate::diag::Diags;
use crate::protocol::Moment;
use crate::rgraph::{Passes, first_graph};
use crate::sim::SimHost;
use crate::source::MemoryWorld;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The outcome of one compilation.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
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
    let mut world = MemoryWorld::default();
    for (path, bytes) in files {
        world.insert(path, bytes);
    }
    let compiled = compile(&world, entry, Setup { hostname });
    let mut diags = compiled.diags;
    let mut checked = Checked { version: VERSION, ..Checked::default() };
    if let Some(program) = compiled.program {
        checked.functions = Some(FunctionGraph::of(&program.graph(), &compiled.sources));
        match first_resources(program.plan, world, hostname) {
            Ok(graph) => checked.resources = Some(ResourceGraph::of(&graph, &compiled.sources)),
            Err(said) => diags.extend(said),
        }
    }
    checked.diagnostics = Diagnostics::of(&compiled.sources, &diags);
    checked
}

fn first_resources(
    plan: Arc<crate::fgraph::Plan>,
    world: MemoryWorld,
    hostname: &str,
) -> Result<crate::rgraph::ResGraph, Diags> {
    let mut host = SimHost::new(hostname);
    let passes = Passes { autoedge: true, autogroup: true };
    let mut answer = |spec: &_, now: u64| Some(host.read_fact(Moment(now), spec));
    first_graph(plan, Arc::new(world), &mut answer, passes)
}
