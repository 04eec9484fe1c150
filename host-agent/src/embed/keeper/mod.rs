//! [`Keeper`]: a brain that survives its own traps.
//!
//! A trap makes the instance unusable but does not change the host. The keeper then cancels everything that the old
//! instance had requested, waits for a time that doubles with each trap, starts a new instance and gives it the same
//! program. The host keeps its own state: state directory, undo lists, running commands.
//!
//! A value that arrived with the fatal step is the suspect: the new instance gets the last good value instead, so it
//! returns to the last good graph and continues with repairs. The suspect is tried again when it has changed. A step
//! counts as successful only when the brain no longer asks to be called again immediately, since it still computes
//! until then.

#[cfg(test)]
mod tests;

use crate::embed::contract::{Report, Shown};
use crate::embed::tickets::{Tickets, ticket_of_answer, ticket_of_request};
use crate::embed::{Brain, Sandbox, Trap};
use mclive_base::protocol::{Deploy, Event, Input, Moment, Output, ResourceId, StopMode, Ticket, What, status};
use mclive_base::vocab::password::Secret;
use mclive_base::vocab::{Datum, FactSpec, HostError};
use std::collections::{BTreeMap, BTreeSet};

/// The number of successive traps that ends the agent.
const MOST_TRAPS: u32 = 10;
/// The first pause before a restart, and the longest. Units: nanoseconds.
const FIRST_PAUSE: u64 = SECOND;
const LONGEST_PAUSE: u64 = 64 * SECOND;
/// After this long without a trap the count starts again.
const PEACE: u64 = 600 * SECOND;
const SECOND: u64 = 1_000_000_000;

type Told = Result<Datum, HostError>;

pub(crate) struct Keeper {
    start: Box<dyn FnMut() -> Result<Sandbox, Trap>>,
    /// The last program that worked.
    deploy: Option<Deploy>,
    /// `None` between a trap and the restart.
    brain: Option<Brain>,
    tickets: Tickets,
    /// The subscriptions of the running instance, by the host's ticket.
    facts: BTreeMap<Ticket, FactSpec>,
    watches: BTreeSet<Ticket>,
    /// Probes and applies in progress on the host, including those of earlier instances.
    jobs: BTreeMap<Ticket, ResourceId>,
    /// Requests for a resource that is still in use by an earlier instance's job, in order.
    held: BTreeMap<ResourceId, Vec<Output>>,
    /// The last values that worked.
    good: BTreeMap<FactSpec, Told>,
    /// Values passed in with a step that trapped.
    suspects: BTreeMap<FactSpec, Told>,
    /// Newer values of suspects, kept for the end of the pause.
    late: BTreeMap<FactSpec, (Ticket, Told)>,
    /// What was handed in, and is still computed with.
    on_trial: Trial,
    /// What the host has called secrets; it limits them.
    secrets: Vec<Secret>,
    n_traps: u32,
    last_trap: Moment,
    starts_at: Moment,
    /// From then on suspects may be tried with other values.
    tries_at: Moment,
}

/// What the brain computes with: if that traps, this was why.
#[derive(Default)]
struct Trial {
    deploy: Option<Deploy>,
    /// The latest value of each fact.
    facts: BTreeMap<Ticket, Told>,
}

impl Trial {
    fn add(&mut self, input: Input) {
        match input {
            Input::Fact(ticket, told) => drop(self.facts.insert(ticket, told)),
            Input::Deploy(deploy) => self.deploy = Some(deploy),
            Input::Probed(..)
            | Input::Applied(..)
            | Input::Fired(..)
            | Input::WatchFailed(..)
            | Input::Tick
            | Input::Stop(_)
            | Input::Secret(_) => {}
        }
    }
}

impl Keeper {
    /// `start` makes each new instance.
    pub(crate) fn new(first: Sandbox, start: impl FnMut() -> Result<Sandbox, Trap> + 'static) -> Result<Keeper, Trap> {
        Ok(Keeper {
            start: Box::new(start),
            deploy: None,
            brain: Some(Brain::new(first)?),
            tickets: Tickets::default(),
            facts: BTreeMap::new(),
            watches: BTreeSet::new(),
            jobs: BTreeMap::new(),
            held: BTreeMap::new(),
            good: BTreeMap::new(),
            suspects: BTreeMap::new(),
            late: BTreeMap::new(),
            on_trial: Trial::default(),
            secrets: Vec::new(),
            n_traps: 0,
            last_trap: Moment(0),
            starts_at: Moment(0),
            tries_at: Moment(0),
        })
    }

    /// Whether there was a trap. The inputs since then cannot be replayed.
    pub(crate) fn was_restarted(&self) -> bool {
        self.last_trap > Moment(0)
    }

    /// What prevents a resource graph with the program's present values.
    ///
    /// A trap here is a trap of an unusable instance: its next step reports it.
    pub(crate) fn failure(&mut self, shown: &Shown) -> Option<Report> {
        self.brain.as_mut()?.failure(shown).ok().flatten()
    }

    /// Passes in inputs and passes on outputs; the last is `Idle` or `Exit`.
    ///
    /// Errors: the first step trapped, or there were too many traps in a row.
    pub(crate) fn step(&mut self, now: Moment, inputs: Vec<Input>, mut wants: impl FnMut(Output)) -> Result<(), Trap> {
        self.note_secrets(&inputs);
        if self.brain.is_none() {
            self.settle_jobs(&inputs);
            if inputs.iter().any(|input| matches!(input, Input::Stop(_))) {
                self.forward(Output::Exit { status: status::GOOD }, &mut wants);
                return Ok(());
            }
            if now < self.starts_at {
                wants(Output::Idle { wake: Some(self.starts_at) });
                return Ok(());
            }
            self.brain = Some(Brain::new((self.start)()?)?);
            let deploy = self.deploy.clone().map(Input::Deploy);
            let secrets = self.secrets.iter().cloned().map(Input::Secret);
            let again = deploy.into_iter().chain(secrets).collect();
            return self.attempt(now, again, wants);
        }
        let mut handed: Vec<Input> = Vec::with_capacity(inputs.len());
        if now >= self.tries_at {
            for (ticket, told) in std::mem::take(&mut self.late).into_values() {
                handed.extend(self.tickets.inward(Input::Fact(ticket, told)));
            }
        }
        for output in self.settle_jobs(&inputs) {
            self.forward(output, &mut wants);
        }
        for input in inputs {
            let input = match input {
                Input::Fact(ticket, told) => self.fact(now, ticket, told),
                input => Some(input),
            };
            handed.extend(input.and_then(|input| self.tickets.inward(input)));
        }
        self.attempt(now, handed, wants)
    }

    /// The next instance gets them before it can tell of them.
    fn note_secrets(&mut self, inputs: &[Input]) {
        for input in inputs {
            if let Input::Secret(secret) = input
                && !self.secrets.contains(secret)
            {
                self.secrets.push(secret.clone());
            }
        }
    }

    /// The value of a fact, or its substitute.
    fn fact(&mut self, now: Moment, ticket: Ticket, told: Told) -> Option<Input> {
        let spec = self.facts.get(&ticket)?;
        let Some(suspect) = self.suspects.get(spec) else { return Some(Input::Fact(ticket, told)) };
        if *suspect != told {
            if now >= self.tries_at {
                return Some(Input::Fact(ticket, told));
            }
            self.late.insert(spec.clone(), (ticket, told));
        } else {
            self.late.remove(spec);
        }
        self.good.get(spec).map(|good| Input::Fact(ticket, good.clone()))
    }

    /// Passes inputs in; a trap ends this instance.
    fn attempt(&mut self, now: Moment, inputs: Vec<Input>, mut wants: impl FnMut(Output)) -> Result<(), Trap> {
        let Some(mut brain) = self.brain.take() else { return Ok(()) };
        let mut is_at_work = false;
        let stepped = brain.step(now, &inputs, |output| {
            is_at_work = matches!(output, Output::Idle { wake: Some(at) } if at <= now);
            let output = self.tickets.outward(output);
            self.want(output, &mut wants);
        });
        inputs.into_iter().for_each(|input| self.on_trial.add(input));
        match stepped {
            Ok(()) => {
                self.brain = Some(brain);
                if !is_at_work {
                    self.went_well();
                }
                Ok(())
            }
            Err(trap) => {
                drop(brain);
                self.trapped(now, trap, wants)
            }
        }
    }

    fn went_well(&mut self) {
        let Trial { deploy, facts } = std::mem::take(&mut self.on_trial);
        self.deploy = deploy.or(self.deploy.take());
        for (ticket, told) in facts {
            let Some(spec) = self.facts.get(&self.tickets.of_host(ticket)) else { continue };
            if self.suspects.get(spec).is_some_and(|_| self.good.get(spec) != Some(&told)) {
                self.suspects.remove(spec);
            }
            self.good.insert(spec.clone(), told);
        }
    }

    /// Records a request of an instance, and passes it on unless it has to wait.
    fn want(&mut self, output: Output, wants: &mut impl FnMut(Output)) {
        match &output {
            Output::Subscribe(ticket, spec) => {
                self.facts.insert(*ticket, spec.clone());
            }
            Output::Unsubscribe(ticket) => {
                if let Some(spec) = self.facts.remove(ticket)
                    && !self.facts.values().any(|other| *other == spec)
                {
                    self.good.remove(&spec);
                    self.late.remove(&spec);
                }
            }
            Output::Watch(ticket, _) => {
                self.watches.insert(*ticket);
            }
            Output::Unwatch(ticket) => {
                self.watches.remove(ticket);
            }
            Output::Probe(_, id, _) | Output::Apply(_, id, _) => {
                if self.jobs.iter().any(|(ticket, of)| of == id && self.tickets.is_stale(*ticket)) {
                    self.held.entry(id.clone()).or_default().push(output);
                    return;
                }
            }
            Output::Cancel(ticket, _) => {
                let waits = |held: &&mut Vec<Output>| held.iter().any(|held| ticket_of_request(held) == Some(*ticket));
                if let Some(held) = self.held.values_mut().find(waits) {
                    held.push(output);
                    return;
                }
            }
            Output::Report(_) | Output::Idle { .. } | Output::Exit { .. } => {}
        }
        self.forward(output, wants);
    }

    fn forward(&mut self, output: Output, wants: &mut impl FnMut(Output)) {
        match &output {
            Output::Probe(ticket, id, _) | Output::Apply(ticket, id, _) => {
                self.jobs.insert(*ticket, id.clone());
            }
            // Jobs of an earlier instance do not outlive the agent.
            Output::Exit { .. } => {
                for ticket in self.jobs.keys().filter(|ticket| self.tickets.is_stale(**ticket)) {
                    wants(Output::Cancel(*ticket, StopMode::Soft));
                }
            }
            Output::Subscribe(..)
            | Output::Unsubscribe(_)
            | Output::Cancel(..)
            | Output::Watch(..)
            | Output::Unwatch(_)
            | Output::Report(_)
            | Output::Idle { .. } => {}
        }
        let tries_at = (!self.late.is_empty()).then_some(self.tries_at);
        wants(match output {
            Output::Idle { wake } => Output::Idle { wake: wake.into_iter().chain(tries_at).min() },
            output => output,
        });
    }

    /// Removes finished jobs. Returns the requests that waited for the last job of an earlier instance on a resource.
    fn settle_jobs(&mut self, inputs: &[Input]) -> Vec<Output> {
        let mut free = Vec::new();
        for ticket in inputs.iter().filter_map(ticket_of_answer) {
            let Some(id) = self.jobs.remove(&ticket) else { continue };
            if self.tickets.is_stale(ticket)
                && !self.jobs.iter().any(|(other, of)| *of == id && self.tickets.is_stale(*other))
            {
                free.extend(self.held.remove(&id).into_iter().flatten());
            }
        }
        free
    }

    fn trapped(&mut self, now: Moment, trap: Trap, mut wants: impl FnMut(Output)) -> Result<(), Trap> {
        let tried = std::mem::take(&mut self.on_trial);
        // A program that traps when it is given has no last good graph, and one that ends by itself needs none.
        if self.deploy.as_ref().is_none_or(|deploy| deploy.options.once) {
            return Err(trap);
        }
        self.n_traps = if now.0.saturating_sub(self.last_trap.0) > PEACE { 1 } else { self.n_traps + 1 };
        self.last_trap = now;
        if self.n_traps >= MOST_TRAPS {
            return Err(Trap::Fault(format!("{} ({MOST_TRAPS} times in a row; giving up)", trap.what())));
        }
        let mut suspects = BTreeSet::new();
        for (ticket, told) in tried.facts {
            if let Some(spec) = self.facts.get(&self.tickets.of_host(ticket)) {
                suspects.insert(spec.to_string());
                self.suspects.insert(spec.clone(), told);
            }
        }
        let pause = (FIRST_PAUSE << (self.n_traps - 1)).min(LONGEST_PAUSE);
        self.starts_at = Moment(now.0.saturating_add(pause));
        self.tries_at = Moment(now.0.saturating_add(3 * pause));
        let reason = match suspects.len() {
            0 => String::new(),
            _ => format!(
                ", after a new value of {}; using the last good value until it changes",
                suspects.into_iter().collect::<Vec<_>>().join(", ")
            ),
        };
        let seconds = pause / SECOND;
        let text =
            format!("the compiler crashed: {}{reason}; restarting in {seconds} s with the same program", trap.what());
        wants(Output::Report(Event::new(now, What::Log { text }, Vec::new())));
        for ticket in std::mem::take(&mut self.facts).into_keys() {
            wants(Output::Unsubscribe(ticket));
        }
        for ticket in std::mem::take(&mut self.watches) {
            wants(Output::Unwatch(ticket));
        }
        self.late.clear();
        self.held.clear();
        self.tickets.renew();
        wants(Output::Idle { wake: Some(self.starts_at) });
        Ok(())
    }
}
