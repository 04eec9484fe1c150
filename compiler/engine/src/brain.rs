//! [`Brain`]: all decisions in one sans-IO state machine.
//!
//! ```text
//! deploy > language: compile, react, interpret > automatic edges, groups > schedule
//!                             ^ facts                   findings, outcomes, events ^
//! ```
//!
//! A body hands it inputs and the time; it answers with outputs until `Idle`. A trace, the list of
//! inputs with their moments, replays to the same outputs.
//!
//! A program that has much to compute does it in slices of counted work. What is left is asked for as a wake-up at once, so
//! a body first hears what else happened, and hands in a `Tick` behind that: the next slice. All other inputs are taken in
//! as ever, so repairs, signals and steps go on meanwhile, with the last graph.

mod fence;
mod weight;

use crate::diag::{Diagnostic, Diags};
use crate::edge_facts::EdgeFacts;
use crate::language::{Deployed, Language, Live, Mcl, language_of};
use crate::protocol::{Cause, Deploy, Event, Input, Machine, Moment, Options, Output, StopMode, Ticket, What, status};
use crate::react::{FactId, FactRequest, Outcome, React};
use crate::rgraph::{AutoEdges, AutoGroups, Changed, NextGraph, ResGraph, asked};
use crate::sched::{News, Scheduler};
use crate::source::{MemoryWorld, Sources};
use fence::Fence;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// The brain of one host.
#[derive(Clone)]
pub struct Brain {
    /// The supported languages; the first is the default for files whose names tell nothing.
    languages: Vec<&'static dyn Language>,
    now: Moment,
    program: Option<Running>,
    scheduler: Option<Scheduler>,
    n_tickets: u64,
    outputs: VecDeque<Output>,
    has_ended: bool,
    /// When the present slice of work began. What is handed in for one moment has one slice together.
    slice_of: Moment,
}

/// A running program.
#[derive(Clone)]
struct Running {
    live: Box<dyn Live>,
    auto_edges: AutoEdges,
    edge_facts: EdgeFacts,
    /// The next graph waits for facts that its automatic edges need.
    is_held: bool,
    auto_groups: AutoGroups,
    sources: Sources,
    options: Options,
    tickets: BTreeMap<FactId, Ticket>,
    facts: BTreeMap<Ticket, FactId>,
    /// The last reported failure.
    failure: Option<Failure>,
    /// Some values are still pending, so the program is not done.
    is_waiting: bool,
    has_graph: bool,
    /// No further graphs follow: only the first was requested.
    is_over: bool,
    fence: Fence,
}

/// Why the current values yield no graph.
#[derive(Clone)]
struct Failure {
    text: String,
    diags: Diags,
}

impl Brain {
    /// A brain with only the language of this crate.
    pub fn new() -> Brain {
        Brain::speaking(vec![&Mcl])
    }

    /// A brain with these languages.
    pub fn speaking(languages: Vec<&'static dyn Language>) -> Brain {
        Brain {
            languages,
            now: Moment::default(),
            program: None,
            scheduler: None,
            n_tickets: 0,
            outputs: VecDeque::new(),
            has_ended: false,
            slice_of: Moment::default(),
        }
    }

    /// Handles one input. Then call [`Brain::poll`] until `Idle`.
    pub fn handle(&mut self, now: Moment, input: Input) {
        if self.has_ended {
            return;
        }
        self.now = self.now.max(now);
        let now = self.now;
        let is_tick = input == Input::Tick;
        match input {
            Input::Deploy(deploy) => self.deploy(&deploy),
            Input::Stop(mode) => self.stop(mode),
            Input::Fact(ticket, value) => {
                if let Some(program) = &mut self.program {
                    program.fence.told(ticket);
                    match program.facts.get(&ticket) {
                        Some(&fact) => program.live.fact(fact, value),
                        None => program.edge_facts.tell(ticket, &value),
                    }
                }
            }
            input => {
                if let (Some(program), Input::Applied(..)) = (&mut self.program, &input) {
                    program.fence.applied();
                }
                if let Some(scheduler) = &mut self.scheduler {
                    match input {
                        Input::Probed(ticket, findings) => scheduler.probed(now, ticket, findings),
                        Input::Applied(ticket, outcomes) => scheduler.applied(now, ticket, outcomes),
                        Input::Fired(ticket, what) => scheduler.fired(now, ticket, what),
                        Input::WatchFailed(ticket, error) => scheduler.watch_failed(now, ticket, &error),
                        Input::Tick => scheduler.tick(now),
                        Input::Deploy(_) | Input::Stop(_) | Input::Fact(..) => {}
                    }
                }
            }
        }
        self.part();
        self.turn(is_tick);
        self.end_once();
    }

    /// Takes resources that cannot be applied out of their groups.
    fn part(&mut self) {
        let (Some(program), Some(scheduler)) = (&mut self.program, &mut self.scheduler) else { return };
        let apart = scheduler.take_apart();
        if apart.is_empty() {
            return;
        }
        // The same graph with fewer groups has no cycle.
        if let Ok(Some(graph)) = program.auto_groups.part(apart) {
            let news = News { all: vec![Cause::Deployed], ..News::default() };
            scheduler.switch(self.now, Arc::new(graph), news);
        }
    }

    /// The next output for the body; `Idle` when there are no more.
    pub fn poll(&mut self) -> Output {
        if let Some(output) = self.next_output() {
            self.has_ended |= matches!(output, Output::Exit { .. });
            return output;
        }
        let scheduler = self.scheduler.as_ref().and_then(Scheduler::wake);
        let react = self.program.as_ref().and_then(|program| match program.is_at_work() {
            true => Some(self.now),
            false => program.live.wake().filter(|_| !program.is_over).map(Moment),
        });
        let wake = if self.has_ended { None } else { [scheduler, react].into_iter().flatten().min() };
        Output::Idle { wake }
    }

    fn next_output(&mut self) -> Option<Output> {
        if self.has_ended {
            return None;
        }
        self.outputs.pop_front().or_else(|| self.scheduler.as_mut()?.take_output())
    }

    /// The running resource graph, with received values stored.
    pub fn graph(&self) -> ResGraph {
        self.scheduler.as_ref().map(Scheduler::graph).unwrap_or_default()
    }

    /// The running function graph with its values, if the language has one.
    pub fn react(&self) -> Option<&React> {
        self.program.as_ref()?.live.react()
    }

    /// Why the running program has no graph for its current values, with its files.
    pub fn failure(&self) -> Option<(&Sources, &Diags)> {
        let program = self.program.as_ref()?;
        program.failure.as_ref().map(|failure| (&program.sources, &failure.diags))
    }

    /// The files of the running program, for the spans of its graphs.
    pub fn sources(&self) -> Option<&Sources> {
        self.program.as_ref().map(|program| &program.sources)
    }

    fn report(&mut self, mut what: What) {
        if let (Some(scheduler), What::Log { text } | What::Stream { text }) = (&self.scheduler, &mut what) {
            *text = scheduler.conceal(std::mem::take(text));
        }
        self.outputs.push_back(Output::Report(Event::new(self.now, what, Vec::new())));
    }

    /// A refused program changes nothing; if it is the first one, the run ends.
    fn deploy(&mut self, deploy: &Deploy) {
        let mut world = MemoryWorld::default();
        for (path, bytes) in &deploy.files {
            world.insert(path, bytes.clone());
        }
        let world = Arc::new(world);
        let Some(language) = language_of(&self.languages, &*world, &deploy.entry) else { return };
        let Deployed { sources, diags, printed, live } =
            language.deploy(&world, &deploy.entry, &deploy.options.hostname);
        for text in printed {
            self.report(What::Log { text });
        }
        let Some(live) = live else {
            self.report(What::Refused { text: told(&sources, diags.iter()) });
            if self.program.is_none() {
                self.outputs.push_back(Output::Exit { status: status::ERROR });
            }
            return;
        };
        if let Some(mut before) = self.program.take() {
            let leave = before.tickets.into_values().map(Output::Unsubscribe);
            self.outputs.extend(leave);
            self.outputs.extend(before.edge_facts.leave());
        }
        match &mut self.scheduler {
            Some(scheduler) => scheduler.set_options(deploy.options.clone()),
            None => self.scheduler = Some(Scheduler::new(deploy.options.clone(), self.now)),
        }
        if let Some(scheduler) = &mut self.scheduler {
            scheduler.set_program(self.now, world);
        }
        self.program = Some(Running {
            live,
            auto_edges: AutoEdges::running(),
            edge_facts: EdgeFacts::default(),
            is_held: false,
            auto_groups: AutoGroups::default(),
            sources,
            options: deploy.options.clone(),
            tickets: BTreeMap::new(),
            facts: BTreeMap::new(),
            failure: None,
            is_waiting: true,
            has_graph: false,
            is_over: false,
            fence: Fence::default(),
        });
    }

    fn stop(&mut self, mode: StopMode) {
        match &mut self.scheduler {
            Some(scheduler) => scheduler.stop(self.now, mode),
            None => self.outputs.push_back(Output::Exit { status: status::GOOD }),
        }
    }

    /// Evaluates what changed, or a slice of that, and puts a new graph in force.
    fn turn(&mut self, is_tick: bool) {
        let now = self.now;
        let Some(program) = &mut self.program else { return };
        // What is under way goes on with the tick that was asked for.
        if program.is_over || program.is_at_work() && !is_tick {
            return;
        }
        if is_tick || self.slice_of < now {
            self.slice_of = now;
            program.live.begin_slice();
        }
        let outcome = program.live.run(now.0);
        for request in program.live.take_requests() {
            match request {
                FactRequest::Subscribe(fact, spec) => {
                    // Even numbers: the scheduler uses the odd ones.
                    self.n_tickets += 2;
                    let ticket = Ticket(self.n_tickets);
                    program.tickets.insert(fact, ticket);
                    program.facts.insert(ticket, fact);
                    program.fence.subscribed(fact, &spec);
                    self.outputs.push_back(Output::Subscribe(ticket, spec));
                }
                FactRequest::Unsubscribe(fact) => {
                    if let Some(ticket) = program.tickets.remove(&fact) {
                        program.facts.remove(&ticket);
                        program.fence.unsubscribed(fact, ticket);
                        self.outputs.push_back(Output::Unsubscribe(ticket));
                    }
                }
            }
        }
        program.is_waiting = outcome == Outcome::Waiting;
        let printed = program.live.take_printed();
        printed.into_iter().for_each(|text| self.report(What::Log { text }));
        let Some(program) = &mut self.program else { return };
        match outcome {
            Outcome::Waiting | Outcome::Underway => {}
            Outcome::Failed(failures) => self.failed(failures.into_iter().collect()),
            Outcome::Complete { changed }
                if changed || !program.has_graph || program.failure.is_some() || program.edge_facts.has_news() =>
            {
                let (n_tickets, outputs) = (&mut self.n_tickets, &mut self.outputs);
                match program.graph(changed, n_tickets, outputs) {
                    Ok(Some(graph)) => self.switch(graph),
                    Ok(None) => program.is_waiting = program.is_held,
                    Err(diags) => self.failed(diags),
                }
            }
            Outcome::Complete { .. } => self.same_again(),
        }
        if let (Some(program), Some(scheduler)) = (&self.program, &mut self.scheduler) {
            scheduler.set_program_at_work(now, program.is_at_work());
        }
    }

    /// Values changed but the resources did not. This still counts as a switch for resources that wait for one.
    fn same_again(&mut self) {
        let (Some(program), Some(scheduler)) = (&mut self.program, &mut self.scheduler) else { return };
        if scheduler.gains_by_a_switch() && program.live.is_another_table() {
            let news = program.live.news(false);
            scheduler.exchange(self.now, Vec::new(), news);
        }
    }

    fn switch(&mut self, graph: NextGraph) {
        let (Some(program), Some(scheduler)) = (&mut self.program, &mut self.scheduler) else { return };
        let mut news = program.live.news(!program.has_graph);
        let of_edges = program.edge_facts.take_news();
        if program.has_graph {
            news.all.extend(of_edges.into_iter().take(3).map(|spec| Cause::Fact { name: spec.to_string() }));
        }
        program.has_graph = true;
        let was_bad = program.failure.take().is_some();
        if was_bad {
            scheduler.set_program_failed(self.now, false);
        }
        match graph {
            NextGraph::Whole(graph) => scheduler.switch(self.now, Arc::new(graph), news),
            NextGraph::Few(changes) => scheduler.exchange(self.now, changes, news),
        }
        if program.options.no_stream_watch {
            program.is_over = true;
            program.fence = Fence::default();
            let leave = std::mem::take(&mut program.tickets).into_values().map(Output::Unsubscribe);
            self.outputs.extend(leave);
            self.outputs.extend(program.edge_facts.leave());
        }
        if was_bad {
            self.report(What::Stream { text: "the program has recovered: all values are valid again".to_string() });
        }
    }

    /// A run-time error: the last good graph stays in force. If there is none and no values are pending, this host
    /// refuses the program.
    fn failed(&mut self, diags: Diags) {
        let (Some(program), Some(scheduler)) = (&mut self.program, &mut self.scheduler) else { return };
        let text = told(&program.sources, diags.iter());
        if program.failure.as_ref().is_some_and(|failure| failure.text == text) {
            return;
        }
        program.failure = Some(Failure { text: text.clone(), diags });
        scheduler.set_program_failed(self.now, true);
        let is_final = program.options.once || !program.may_change();
        if is_final && !scheduler.has_graph() {
            scheduler.exit(self.now, status::ERROR);
            self.report(What::Refused { text });
        } else {
            self.report(What::Stream { text });
        }
    }

    /// With `once`: ends when all is done, and nothing more follows from it.
    fn end_once(&mut self) {
        let (Some(program), Some(scheduler)) = (&mut self.program, &mut self.scheduler) else { return };
        let is_done = program.options.once && !program.is_waiting && !program.is_at_work() && scheduler.is_done_once();
        if !is_done {
            return;
        }
        match program.fence.next() {
            fence::Next::Wait => {}
            fence::Next::End => scheduler.end_once(self.now),
            fence::Next::Endless => {
                scheduler.exit(self.now, status::FAILED);
                let text =
                    "each change leads to another one: the program reads what it changes, and its values do not settle";
                self.report(What::Stream { text: text.to_owned() });
            }
            fence::Next::Read(facts) => {
                for (fact, spec) in facts {
                    self.n_tickets += 2;
                    let ticket = Ticket(self.n_tickets);
                    if let Some(before) = program.tickets.insert(fact, ticket) {
                        program.facts.remove(&before);
                        self.outputs.push_back(Output::Unsubscribe(before));
                    }
                    program.facts.insert(ticket, fact);
                    program.fence.awaits(ticket);
                    self.outputs.push_back(Output::Subscribe(ticket, spec));
                }
            }
        }
    }
}

impl Running {
    /// It has something to compute, whatever happens.
    fn is_at_work(&self) -> bool {
        !self.is_over && self.live.is_under_way()
    }

    /// A fact, the time or an edge may yet become another.
    fn may_change(&self) -> bool {
        !self.tickets.is_empty() || !self.edge_facts.is_empty() || self.live.wake().is_some()
    }

    /// The next graph; `None`: it waits for its host, or only the host changed and the edges are unchanged.
    fn graph(
        &mut self,
        changed: bool,
        n_tickets: &mut u64,
        outputs: &mut VecDeque<Output>,
    ) -> Result<Option<NextGraph>, Diags> {
        if self.is_held && !changed && self.edge_facts.is_waiting() {
            return Ok(None);
        }
        let is_new = changed || !self.has_graph || self.is_held || self.failure.is_some();
        let edges_may_differ = self.is_held || self.edge_facts.has_news();
        let mut graph = match self.live.update()? {
            NextGraph::Whole(graph) => graph,
            NextGraph::Few(changes) => match self.few(changes).filter(|_| !edges_may_differ) {
                Some(changes) => return Ok(Some(NextGraph::Few(changes))),
                None => self.live.whole()?,
            },
        };
        let refused = |diagnostic: Diagnostic| {
            let mut diags = Diags::default();
            diags.push(diagnostic);
            diags
        };
        if !self.options.no_autoedges {
            let ticket = || {
                *n_tickets += 2;
                Ticket(*n_tickets)
            };
            outputs.extend(self.edge_facts.ask(&asked(&graph), ticket));
            self.is_held = self.edge_facts.is_waiting();
            if self.is_held {
                return Ok(None);
            }
            let before =
                self.edge_facts.has_news().then(|| std::mem::replace(&mut self.auto_edges, AutoEdges::running()));
            self.auto_edges.update(&mut graph, &|spec| self.edge_facts.known(spec));
            if before.is_some_and(|before| !is_new && before.are_those_of(&self.auto_edges)) {
                self.edge_facts.take_news();
                return Ok(None);
            }
        }
        if !self.options.no_autogroup {
            self.auto_groups.update(&mut graph).map_err(|error| refused(*error))?;
        } else if let Some(cycle) = graph.cycle() {
            let names: Vec<String> = cycle.iter().map(|&vertex| graph.resources[vertex].id.to_string()).collect();
            let message = format!("circular dependency between resources: {}", names.join(" -> "));
            let code = crate::diag::codes::NOT_VALID;
            return Err(refused(Diagnostic::error(code, crate::diag::Stage::Validate, message)));
        }
        Ok(Some(NextGraph::Whole(graph)))
    }

    /// The same changes after automatic edges and groups; `None` if those may differ.
    fn few(&mut self, changes: Vec<Changed>) -> Option<Vec<Changed>> {
        if !self.options.no_autoedges && !self.auto_edges.keeps(&changes) {
            return None;
        }
        if self.options.no_autogroup { Some(changes) } else { self.auto_groups.keeps(&changes) }
    }
}

/// Diagnostics as text: what is wrong, and where.
fn told<'a>(sources: &Sources, diags: impl Iterator<Item = &'a Diagnostic>) -> String {
    let lines = diags.map(|diag| {
        let place = diag.primary.as_ref().map(|label| format!(": {}", sources.byline(label.span)));
        format!("{}: {}{}", diag.code, diag.message, place.unwrap_or_default())
    });
    lines.collect::<Vec<_>>().join("\n")
}

impl Default for Brain {
    fn default() -> Brain {
        Brain::new()
    }
}

impl Machine for Brain {
    fn handle(&mut self, now: Moment, input: Input) {
        Brain::handle(self, now, input);
    }

    fn poll(&mut self) -> Output {
        Brain::poll(self)
    }
}
