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
//! A long evaluation is done in slices of counted work. After each slice, the brain asks to be called again
//! immediately. The body first hands in everything else that has happened, and then the `Tick` that continues the
//! evaluation. Other inputs are handled as usual, so repairs, signals and steps continue with the last graph.

mod fence;
mod report;
mod running;
mod weight;

use crate::diag::Diags;
use crate::language::{Deployed, Language, Mcl, language_of};
use crate::protocol::{Cause, Deploy, Input, Machine, Moment, Output, StopMode, Ticket, What, status};
use crate::react::{FactRequest, Outcome, React};
use crate::rgraph::{NextGraph, ResGraph};
use crate::sched::{News, Scheduler};
use crate::source::{MemoryWorld, Sources};
use fence::Fence;
use report::told;
use running::{Failure, Of, Running};
use std::collections::VecDeque;
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
            // Nothing else depends on it.
            Input::Secret(secret) => {
                if let Some(scheduler) = &mut self.scheduler {
                    scheduler.learn_secret(&secret.0);
                }
                return;
            }
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
                        Input::Deploy(_) | Input::Stop(_) | Input::Fact(..) | Input::Secret(_) => {}
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
        let react = self.program.as_ref().and_then(|program| match program.is_at_work() || program.awaits_tick() {
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
        self.program = Some(Running::new(live, sources, deploy.options.clone()));
    }

    fn stop(&mut self, mode: StopMode) {
        match &mut self.scheduler {
            Some(scheduler) => scheduler.stop(self.now, mode),
            None => self.outputs.push_back(Output::Exit { status: status::GOOD }),
        }
    }

    /// Evaluates what changed, or a slice of that, and puts a new graph in effect.
    fn turn(&mut self, is_tick: bool) {
        let now = self.now;
        let Some(program) = &mut self.program else { return };
        // What is under way continues with the tick that was asked for.
        if program.is_over || program.is_at_work() && !is_tick {
            return;
        }
        if is_tick || self.slice_of < now {
            self.slice_of = now;
            program.live.begin_slice();
        }
        if is_tick {
            program.edge_facts.tick();
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
            Outcome::Failed(failures) => self.failed(failures.into_iter().collect(), Of::Values),
            Outcome::Complete { changed } if changed || program.lacks_graph() || program.edges_may_differ() => {
                let (n_tickets, outputs) = (&mut self.n_tickets, &mut self.outputs);
                let graph = program.graph(changed, n_tickets, outputs);
                self.warn();
                let Some(program) = &mut self.program else { return };
                match graph {
                    Ok(Some(graph)) => self.switch(graph),
                    Ok(None) => program.is_waiting = program.is_held,
                    Err(diags) => {
                        program.edge_facts.refuse();
                        self.failed(diags, Of::Graph);
                    }
                }
            }
            Outcome::Complete { .. } if program.failure.is_none() => self.same_again(),
            // The same values and edges would be refused again.
            Outcome::Complete { .. } | Outcome::Waiting | Outcome::Underway => {}
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

    /// A run-time error: the last good graph stays in effect. If there is none and no values are pending, this host
    /// refuses the program.
    fn failed(&mut self, mut diags: Diags, of: Of) {
        let (Some(program), Some(scheduler)) = (&mut self.program, &mut self.scheduler) else { return };
        // A function repeats what it cannot convert.
        diags.iter_mut().for_each(|diag| scheduler.conceal_in(diag));
        let text = told(&program.sources, diags.iter());
        if let Some(failure) = &mut program.failure
            && failure.text == text
        {
            failure.of = of;
            return;
        }
        program.failure = Some(Failure { text: text.clone(), diags, of });
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
        let is_open = program.is_waiting || program.is_at_work() || program.awaits_tick();
        let is_done = program.options.once && !is_open && scheduler.is_done_once();
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
