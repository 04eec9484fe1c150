//! The steps of a scenario in turn, and the waiting between them.
//!
//! Claims are checked whenever something has happened, never by a clock: a scenario of a year costs only its events.

use crate::act::act;
use crate::judge::{errors, judge};
use crate::program::Program;
use crate::protocol::Moment;
use crate::shapes::scenario::{Cue, CueWhat, Failure, Tested};
use crate::stage::Stage;
use crate::step::{Claim, End, Event, Expectation, Scenario, Step, What, When};

/// How long nothing must have happened until a host counts as quiet.
const QUIET_MS: u64 = 1_000;
/// How long to wait for that; a host with a clock in its program is never quiet.
const LONGEST_UNREST_MS: u64 = 10_000;
/// The maximum number of events of one scenario.
const MOST_EVENTS: usize = 2_000_000;

/// Plays a scenario to completion or its first failure. Cost: proportional to its events.
pub fn play(name: &str, program: &Program, scenario: &Scenario) -> Tested {
    rehearse(name, program, scenario).0
}

/// The same, with the moment of each step, for a timeline.
pub fn rehearse(name: &str, program: &Program, scenario: &Scenario) -> (Tested, Vec<Cue>) {
    let stage = Stage::new(program, scenario.has_hosts(), scenario.seed);
    let mut play = Play { stage, standing: Vec::new(), n_events: 0, cues: Vec::new() };
    if let Some(host) = scenario.first_host() {
        play.stage.join(host).expect("the first host is welcome");
    }
    let failed = scenario.steps.iter().find_map(|step| play.step(step).err().map(|broken| (step, broken)));
    let failed = failed.or_else(|| play.refused(scenario));
    let failure = failed.map(|(step, broken)| {
        // A broken standing claim is reported at the claim, with the step during which it broke.
        let (at, during) = match broken.of {
            Some(standing) => (standing, Some(step.line)),
            None => (step, None),
        };
        Failure {
            line: at.line,
            step: at.text.clone(),
            during,
            why: broken.why,
            hint: at.hint.clone(),
            log: play.stage.log.clone(),
        }
    });
    let at = play.stage.hosts.now();
    let cue = |line, text: &str, host, what| Cue { at, line, text: text.to_owned(), host, what };
    play.cues.push(match &failure {
        Some(Failure { line, step, why, hint, .. }) => {
            let host = scenario.steps.iter().find(|step| step.line == *line).and_then(|step| step.host.clone());
            cue(*line, step, host, CueWhat::Broke { why: why.clone(), hint: hint.clone() })
        }
        None => cue(scenario.steps.last().map_or(0, |step| step.line), "the scenario ends", None, CueWhat::Ends),
    });
    let tested = Tested {
        name: name.to_owned(),
        title: scenario.title.clone(),
        faults: Vec::new(),
        left_out: String::new(),
        failure,
        virtual_ms: play.stage.hosts.now().0 / 1_000_000,
        n_steps: play.stage.n_steps(),
        covered: play.stage.reached.covered(program),
    };
    (tested, play.cues)
}

struct Play<'a> {
    stage: Stage<'a>,
    /// Claims that must hold until the end, or never.
    standing: Vec<Standing<'a>>,
    n_events: usize,
    /// The steps so far.
    cues: Vec<Cue>,
}

/// A claim that must hold, or not hold, from its step on.
type Standing<'a> = (&'a Step, &'a Claim, When);

/// A failed step, or a standing claim that broke in the meantime.
struct Broken<'a> {
    of: Option<&'a Step>,
    why: String,
}

impl Broken<'_> {
    fn here(why: impl Into<String>) -> Self {
        Broken { of: None, why: why.into() }
    }
}

impl<'a> Play<'a> {
    /// A program that was refused, so that nothing was tested, in a scenario that does not ask for that.
    fn refused(&self, scenario: &'a Scenario) -> Option<(&'a Step, Broken<'a>)> {
        let asks = |step: &Step| match &step.what {
            What::Expect(Expectation { claim, .. }) => match claim {
                Claim::Error { .. } => true,
                Claim::Ended { how } => *how != End::Somehow,
                Claim::Output { count, .. } => !count.holds(0),
                _ => false,
            },
            What::Do(_) | What::Wait(_) => false,
        };
        if scenario.steps.iter().any(asks) {
            return None;
        }
        self.stage.hosts.names().find_map(|name| {
            let host = self.stage.hosts.get(name).filter(|host| host.has_agent && host.sim.exit().is_some())?;
            let error = errors(host, self.stage.program).into_iter().next()?;
            let runs = |step: &&Step| {
                matches!(step.what, What::Do(Event::Run { .. })) && step.host.as_ref().is_none_or(|host| host == name)
            };
            let step = scenario.steps.iter().rfind(runs)?;
            Some((step, Broken::here(format!("the program was refused: {error}"))))
        })
    }

    fn step(&mut self, step: &'a Step) -> Result<(), Broken<'a>> {
        match &step.what {
            What::Do(event) => {
                act(&mut self.stage, step.host.as_deref(), event).map_err(Broken::here)?;
                self.note(step, CueWhat::Happens(event.clone()));
            }
            What::Wait(ms) => self.pass(self.after(*ms), |_| None).map(drop)?,
            What::Expect(expectation) => {
                self.expect(step, expectation)?;
                self.note(step, CueWhat::Held);
            }
        }
        Ok(())
    }

    fn note(&mut self, step: &Step, what: CueWhat) {
        let at = self.stage.hosts.now();
        self.cues.push(Cue { at, line: step.line, text: step.text.clone(), host: step.host.clone(), what });
    }

    fn expect(&mut self, step: &'a Step, expectation: &'a Expectation) -> Result<(), Broken<'a>> {
        let (claim, on) = (&expectation.claim, step.host.as_deref());
        if let (Claim::Steps { .. }, When::Quiet, Some(ms)) = (claim, expectation.when, expectation.lasts) {
            return self.steps_in(on, claim, ms);
        }
        match expectation.when {
            When::Now => self.judge(on, claim).map_err(Broken::here)?,
            When::Quiet => {
                self.until_quiet()?;
                self.judge(on, claim).map_err(Broken::here)?;
            }
            When::Within(ms) => {
                let mut last = self.judge(on, claim);
                if last.is_err() {
                    self.pass(self.after(ms), |stage| {
                        last = judge(stage, on, claim);
                        last.is_ok().then_some(())
                    })?;
                    last = self.judge(on, claim);
                }
                last.map_err(|why| Broken::here(format!("{why}, even after the time limit")))?;
            }
            When::Always | When::Never => {
                self.until_quiet()?;
                let standing = (step, claim, expectation.when);
                // The others were checked after the last event.
                self.hold(&standing)?;
                self.standing.push(standing);
            }
        }
        let Some(ms) = expectation.lasts else { return Ok(()) };
        let began = self.stage.hosts.now();
        let mut broken = None;
        self.pass(self.after(ms), |stage| {
            let why = judge(stage, on, claim).err()?;
            let after = (stage.hosts.now().0 - began.0) as f64 / 1e9;
            broken = Some(format!("it was true at first, but no longer after {after} s: {why}"));
            Some(())
        })?;
        broken.map_or(Ok(()), |why| Err(Broken::here(why)))
    }

    /// Counts steps during a time span, without earlier ones.
    fn steps_in(&mut self, on: Option<&str>, claim: &Claim, ms: u64) -> Result<(), Broken<'a>> {
        self.until_quiet()?;
        self.stage.forget_steps();
        self.pass(self.after(ms), |_| None)?;
        self.judge(on, claim).map_err(Broken::here)
    }

    fn judge(&self, on: Option<&str>, claim: &Claim) -> Result<(), String> {
        judge(&self.stage, on, claim)
    }

    fn after(&self, ms: u64) -> Moment {
        self.stage.hosts.now().plus_ms(ms)
    }

    /// Lets time pass until nothing happens for a while.
    fn until_quiet(&mut self) -> Result<(), Broken<'a>> {
        let end = self.after(LONGEST_UNREST_MS);
        loop {
            let pause = self.after(QUIET_MS).min(end);
            let happened = self.pass(pause, |_| Some(()))?;
            if !happened || self.stage.hosts.now() >= end {
                return Ok(());
            }
        }
    }

    /// Lets time pass, up to a moment or until `enough` returns true after an event. `true`: it did.
    fn pass(&mut self, until: Moment, mut enough: impl FnMut(&Stage<'_>) -> Option<()>) -> Result<bool, Broken<'a>> {
        while self.stage.step(until) {
            self.n_events += 1;
            if self.n_events > MOST_EVENTS {
                return Err(Broken::here(format!("the scenario caused more than {MOST_EVENTS} events")));
            }
            self.stand()?;
            if enough(&self.stage).is_some() {
                return Ok(true);
            }
        }
        self.stage.hosts.skip(until);
        Ok(false)
    }

    /// Checks every standing claim.
    fn stand(&self) -> Result<(), Broken<'a>> {
        self.standing.iter().try_for_each(|standing| self.hold(standing))
    }

    fn hold(&self, &(step, claim, when): &Standing<'a>) -> Result<(), Broken<'a>> {
        match (when, self.judge(step.host.as_deref(), claim)) {
            (When::Never, Ok(())) => Err(Broken { of: Some(step), why: "it was true".into() }),
            (When::Always, Err(why)) => Err(Broken { of: Some(step), why }),
            _ => Ok(()),
        }
    }
}
