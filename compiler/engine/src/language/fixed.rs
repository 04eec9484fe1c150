//! [`Fixed`]: a program with a single resource graph, which stays until another program is deployed.

use super::Live;
use crate::diag::Diags;
use crate::protocol::Cause;
use crate::react::{FactId, FactRequest, Outcome, React};
use crate::rgraph::{NextGraph, ResGraph};
use crate::sched::News;
use crate::vocab::{Datum, HostError};

/// A program with a single resource graph.
#[derive(Clone)]
pub struct Fixed {
    graph: ResGraph,
    was_told: bool,
}

impl Fixed {
    /// A program with this graph.
    pub fn new(graph: ResGraph) -> Fixed {
        Fixed { graph, was_told: false }
    }
}

impl Live for Fixed {
    fn copy(&self) -> Box<dyn Live> {
        Box::new(self.clone())
    }

    fn fact(&mut self, _: FactId, _: Result<Datum, HostError>) {}

    fn take_requests(&mut self) -> Vec<FactRequest> {
        Vec::new()
    }

    fn wake(&self) -> Option<u64> {
        None
    }

    fn run(&mut self, _: u64) -> Outcome {
        Outcome::Complete { changed: !std::mem::replace(&mut self.was_told, true) }
    }

    fn update(&mut self) -> Result<NextGraph, Diags> {
        Ok(NextGraph::Whole(self.graph.clone()))
    }

    fn whole(&mut self) -> Result<ResGraph, Diags> {
        Ok(self.graph.clone())
    }

    fn news(&mut self, _: bool) -> News {
        News { all: vec![Cause::Deployed], ..News::default() }
    }

    fn is_another_table(&self) -> bool {
        false
    }

    fn react(&self) -> Option<&React> {
        None
    }
}
