//! [`Mcl`]: a function graph whose changing values yield resource graphs.

use super::{Deployed, Language, Live};
use crate::compile::{Setup, compile};
use crate::corelib::SLICE;
use crate::diag::{Diagnostic, Diags};
use crate::fgraph::Phrases;
use crate::protocol::Cause;
use crate::react::{FactId, FactRequest, Outcome, React};
use crate::rgraph::{Interpreter, NextGraph, ResGraph};
use crate::sched::News;
use crate::source::MemoryWorld;
use crate::vocab::{Datum, HostError};
use mclive_base::layout::{self, Layout};
use std::sync::Arc;

/// MCL, the language of this crate.
pub struct Mcl;

impl Language for Mcl {
    fn layout(&self) -> &'static Layout {
        &layout::MCL
    }

    fn deploy(&self, world: &Arc<MemoryWorld>, entry: &str, hostname: &str) -> Deployed {
        let compiled = compile(&**world, entry, Setup { hostname });
        let live = compiled.program.map(|program| {
            let phrases = Arc::new(Phrases::of(&program.linked, &compiled.sources));
            let mut react = React::new(program.ir, world.clone());
            react.set_slice(SLICE);
            Box::new(Reactive { react, interpreter: Interpreter::on(hostname), phrases }) as Box<dyn Live>
        });
        Deployed { sources: compiled.sources, diags: compiled.diags, printed: Vec::new(), live }
    }
}

#[derive(Clone)]
struct Reactive {
    react: React,
    interpreter: Interpreter,
    phrases: Arc<Phrases>,
}

impl Live for Reactive {
    fn copy(&self) -> Box<dyn Live> {
        Box::new(self.clone())
    }

    fn fact(&mut self, id: FactId, told: Result<Datum, HostError>) {
        self.react.fact(id, told);
    }

    fn take_requests(&mut self) -> Vec<FactRequest> {
        self.react.take_requests()
    }

    fn wake(&self) -> Option<u64> {
        self.react.wake()
    }

    fn run(&mut self, now: u64) -> Outcome {
        self.react.run(now)
    }

    fn begin_slice(&mut self) {
        self.react.begin_slice();
    }

    fn is_under_way(&self) -> bool {
        self.react.is_under_way()
    }

    fn update(&mut self) -> Result<NextGraph, Diags> {
        self.interpreter.update(&mut self.react)
    }

    fn whole(&mut self) -> Result<ResGraph, Diags> {
        self.interpreter.interpret(self.react.table())
    }

    fn news(&mut self, is_first: bool) -> News {
        let news = self.interpreter.take_news();
        if is_first {
            return News { all: vec![Cause::Deployed], ..News::default() };
        }
        let all: Vec<Cause> = self.react.facts_told().take(3).map(|name| Cause::Fact { name }).collect();
        let of = news.into_iter().map(|(stmt, id)| {
            let reason = self.react.why(stmt, &self.phrases);
            let fact = match reason.fact {
                Some(name) => Cause::Fact { name },
                None => Cause::Timer { reason: "time passed".to_string() },
            };
            let vertices = reason.vertices.into_iter().map(|label| Cause::Vertex { label });
            (id, std::iter::once(fact).chain(vertices).collect())
        });
        News { all, of: of.collect() }
    }

    fn is_another_table(&self) -> bool {
        self.react.is_another_table()
    }

    fn react(&self) -> Option<&React> {
        Some(&self.react)
    }

    fn take_warnings(&mut self) -> Vec<Diagnostic> {
        self.interpreter.take_warnings()
    }
}
