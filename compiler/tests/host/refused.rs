//! A graph that is refused is computed again once values differ, and not with each input.

use mclive_base::layout::{self, Layout};
use mclive_compiler::brain::Brain;
use mclive_compiler::diag::{Diagnostic, Diags, Stage, codes};
use mclive_compiler::protocol::{Deploy, Event, Input, Moment, Options, Output, Ticket, What};
use mclive_compiler::react::{FactId, FactRequest, Outcome, React};
use mclive_compiler::rgraph::{NextGraph, ResGraph};
use mclive_compiler::sched::News;
use mclive_compiler::source::{MemoryWorld, Sources};
use mclive_compiler::vocab::{Datum, FactSpec, HostError, program};
use mclive_engine::language::{Deployed, Language, Live};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A language whose programs have no resources, and whose graphs are refused unless a variable of the host is `good`.
struct Picky {
    n_graphs: AtomicUsize,
}

static PICKY: Picky = Picky { n_graphs: AtomicUsize::new(0) };

impl Language for Picky {
    fn layout(&self) -> &'static Layout {
        &layout::MCL
    }

    fn deploy(&self, _: &Arc<MemoryWorld>, _: &str, _: &str) -> Deployed {
        let live = PickyLive { value: None, is_new: false, was_asked: false };
        let (sources, diags) = (Sources::default(), Diags::default());
        Deployed { sources, diags, printed: Vec::new(), live: Some(Box::new(live)) }
    }
}

#[derive(Clone)]
struct PickyLive {
    value: Option<Datum>,
    is_new: bool,
    was_asked: bool,
}

impl Live for PickyLive {
    fn copy(&self) -> Box<dyn Live> {
        Box::new(self.clone())
    }

    fn fact(&mut self, _: FactId, told: Result<Datum, HostError>) {
        (self.value, self.is_new) = (told.ok(), true);
    }

    fn take_requests(&mut self) -> Vec<FactRequest> {
        if std::mem::replace(&mut self.was_asked, true) {
            return Vec::new();
        }
        let spec: FactSpec = program::Fact::Env { name: "PICKY".to_owned() }.into();
        vec![FactRequest::Subscribe(FactId(0), spec)]
    }

    fn wake(&self) -> Option<u64> {
        None
    }

    fn run(&mut self, _: u64) -> Outcome {
        match self.value {
            Some(_) => Outcome::Complete { changed: std::mem::take(&mut self.is_new) },
            None => Outcome::Waiting,
        }
    }

    fn update(&mut self) -> Result<NextGraph, Diags> {
        PICKY.n_graphs.fetch_add(1, Ordering::Relaxed);
        if self.value == Some(Datum::text("good")) {
            return Ok(NextGraph::Whole(ResGraph::default()));
        }
        Err([Diagnostic::error(codes::NOT_VALID, Stage::Validate, "it is not good")].into_iter().collect())
    }

    fn whole(&mut self) -> Result<ResGraph, Diags> {
        Ok(ResGraph::default())
    }

    fn news(&mut self, _: bool) -> News {
        News::default()
    }

    fn is_another_table(&self) -> bool {
        false
    }

    fn react(&self) -> Option<&React> {
        None
    }
}

struct Talk {
    brain: Brain,
    now: Moment,
    asked: Option<Ticket>,
}

impl Talk {
    /// Returns what is notified of the program, and how many graphs were computed.
    fn tell(&mut self, input: Input) -> (Vec<String>, usize) {
        let before = PICKY.n_graphs.load(Ordering::Relaxed);
        self.now = self.now.plus_ms(1);
        self.brain.handle(self.now, input);
        let mut told = Vec::new();
        loop {
            match self.brain.poll() {
                Output::Subscribe(ticket, FactSpec::Program(_)) => self.asked = Some(ticket),
                Output::Report(Event { what: What::Stream { text }, .. }) => told.push(text),
                Output::Exit { status } => panic!("it has ended with {status}"),
                Output::Idle { .. } => return (told, PICKY.n_graphs.load(Ordering::Relaxed) - before),
                _ => {}
            }
        }
    }

    fn fact(&mut self, value: &str) -> (Vec<String>, usize) {
        let ticket = self.asked.expect("the variable is asked for");
        self.tell(Input::Fact(ticket, Ok(Datum::text(value))))
    }
}

#[test]
fn a_refused_graph_is_tried_again_when_values_differ_and_not_before() {
    let mut talk = Talk { brain: Brain::speaking(vec![&PICKY]), now: Moment(1), asked: None };
    let files = vec![("/main.mcl".to_owned(), Vec::new())];
    let nothing = (Vec::new(), 0);
    let deploy = Deploy { files, entry: "/main.mcl".into(), options: Options::default() };
    assert_eq!(talk.tell(Input::Deploy(deploy)), nothing);

    let (told, n_graphs) = talk.fact("bad");
    assert!(told.len() == 1 && told[0].ends_with("it is not good"), "{told:?}");
    assert_eq!(n_graphs, 1);
    for _ in 0..3 {
        assert_eq!(talk.tell(Input::Tick), nothing);
    }
    assert_eq!(talk.fact("worse"), (Vec::new(), 1), "another value is another attempt, with the same result");

    let (told, n_graphs) = talk.fact("good");
    assert!(told.len() == 1 && told[0].contains("recovered"), "{told:?}");
    assert_eq!(n_graphs, 1);
    assert_eq!(talk.tell(Input::Tick), nothing);
    // Afterwards everything is as before.
    assert_eq!(talk.fact("bad").1, 1);
    assert_eq!(talk.tell(Input::Tick), nothing);
    assert_eq!(talk.fact("good").1, 1);
}
