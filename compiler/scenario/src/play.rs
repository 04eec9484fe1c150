//! The steps of a scenario in turn, and the waiting between them.
//!
//! A claim is looked at whenever something has happened, never by a clock: a scenario of a year costs what happens in it.

use crate::act::act;
use crate::judge::judge;
use crate::protocol::Moment;
use crate::read::Scenario;
use crate::shapes::scenario::{Failure, Tested};
use crate::stage::Stage;
use crate::step::{Claim, Expectation, Step, What, When};

/// So long nothing has happened when a host counts as quiet.
const QUIET_MS: u64 = 1_000;
/// So long it is waited for that; a host with a clock in it is never quiet.
const LONGEST_UNREST_MS: u64 = 10_000;
/// So much may happen in one scenario.
const MOST_EVENTS: usize = 2_000_000;

/// The files of a program by absolute path in its own tree, as `/main.mcl`.
pub struct Program {
    pub files: Vec<(String, Vec<u8>)>,
}

/// Plays a scenario to its end or its first failure. Cost: what happens in it.
pub fn play(name: &str, program: &Program, scenario: &Scenario) -> Tested {
    let mut play = Play { stage: Stage::new(), program, standing: Vec::new(), n_events: 0 };
    let failed = scenario.steps.iter().find_map(|step| play.step(step).err().map(|broken| (step, broken)));
    let failure = failed.map(|(step, broken)| {
        // What a standing claim says is told at the claim, with the step at which it broke.
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
    Tested {
        name: name.to_owned(),
        title: scenario.title.clone(),
        faults: Vec::new(),
        failure,
        virtual_ms: play.stage.sim.now().0 / 1_000_000,
        n_steps: play.stage.n_steps,
        covered: play.stage.reached.covered(&program.files),
    }
}

struct Play<'a> {
    stage: Stage,
    program: &'a Program,
    /// Claims that are to hold up to the end, or at no moment up to then.
    standing: Vec<(&'a Step, &'a Claim, When)>,
    n_events: usize,
}

/// A step that failed, or a standing claim that broke meanwhile.
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
    fn step(&mut self, step: &'a Step) -> Result<(), Broken<'a>> {
        match &step.what {
            What::Do(event) => act(&mut self.stage, self.program, event).map_err(Broken::here),
            What::Wait(ms) => self.pass(self.after(*ms), |_| None).map(drop),
            What::Expect(expectation) => self.expect(step, expectation),
        }
    }

    fn expect(&mut self, step: &'a Step, expectation: &'a Expectation) -> Result<(), Broken<'a>> {
        let claim = &expectation.claim;
        if let (Claim::Steps { .. }, When::Quiet, Some(ms)) = (claim, expectation.when, expectation.lasts) {
            return self.steps_in(claim, ms);
        }
        match expectation.when {
            When::Now => self.judge(claim).map_err(Broken::here)?,
            When::Quiet => {
                self.until_quiet()?;
                self.judge(claim).map_err(Broken::here)?;
            }
            When::Within(ms) => {
                let mut last = self.judge(claim);
                if last.is_err() {
                    let program = self.program;
                    self.pass(self.after(ms), |stage| {
                        last = judge(stage, program, claim);
                        last.is_ok().then_some(())
                    })?;
                    last = self.judge(claim);
                }
                last.map_err(|why| Broken::here(format!("{why}, even after that time")))?;
            }
            When::Always | When::Never => {
                self.until_quiet()?;
                self.standing.push((step, claim, expectation.when));
                self.stand()?;
            }
        }
        let Some(ms) = expectation.lasts else { return Ok(()) };
        let (program, began) = (self.program, self.stage.sim.now());
        let mut broken = None;
        self.pass(self.after(ms), |stage| {
            let why = judge(stage, program, claim).err()?;
            let after = (stage.sim.now().0 - began.0) as f64 / 1e9;
            broken = Some(format!("it held, and after {after} s no longer: {why}"));
            Some(())
        })?;
        broken.map_or(Ok(()), |why| Err(Broken::here(why)))
    }

    /// Steps are counted over a length of time: what was done before it is no part of it.
    fn steps_in(&mut self, claim: &Claim, ms: u64) -> Result<(), Broken<'a>> {
        self.until_quiet()?;
        self.stage.steps.clear();
        self.pass(self.after(ms), |_| None)?;
        self.judge(claim).map_err(Broken::here)
    }

    fn judge(&self, claim: &Claim) -> Result<(), String> {
        judge(&self.stage, self.program, claim)
    }

    fn after(&self, ms: u64) -> Moment {
        self.stage.sim.now().plus_ms(ms)
    }

    /// Lets time pass until nothing happens for a while.
    fn until_quiet(&mut self) -> Result<(), Broken<'a>> {
        let end = self.after(LONGEST_UNREST_MS);
        loop {
            let pause = self.after(QUIET_MS).min(end);
            let happened = self.pass(pause, |_| Some(()))?;
            if !happened || self.stage.sim.now() >= end {
                return Ok(());
            }
        }
    }

    /// Lets time pass, up to a moment or until `enough` says so after something has happened. `true`: it said so.
    fn pass(&mut self, until: Moment, mut enough: impl FnMut(&Stage) -> Option<()>) -> Result<bool, Broken<'a>> {
        while self.stage.step(until) {
            self.n_events += 1;
            if self.n_events > MOST_EVENTS {
                return Err(Broken::here(format!("more than {MOST_EVENTS} things happened in this scenario")));
            }
            self.stand()?;
            if enough(&self.stage).is_some() {
                return Ok(true);
            }
        }
        self.stage.sim.advance(until, 1);
        Ok(false)
    }

    /// Looks at every standing claim.
    fn stand(&self) -> Result<(), Broken<'a>> {
        for &(step, claim, when) in &self.standing {
            match (when, self.judge(claim)) {
                (When::Never, Ok(())) => return Err(Broken { of: Some(step), why: "it was so".into() }),
                (When::Always, Err(why)) => return Err(Broken { of: Some(step), why }),
                _ => {}
            }
        }
        Ok(())
    }
}
