//! The steps of a scenario in turn, and the waits between them, on the clock of this machine.
//!
//! A simulated host reports when it is quiet. Here a claim that does not hold yet, while nothing seems to happen, gets
//! some more time before it fails, since machines are slow at times.

use super::judge::judge;
use super::stage::Stage;
use super::{act, effort, left_out};
use crate::embed::contract::Program;
use mclive_base::scenario::{Claim, Expectation, Scenario, Step, What, When};
use mclive_base::shapes::scenario::{Failure, Tested};
use std::thread;
use std::time::{Duration, Instant};

/// The time between two checks.
const PAUSE: Duration = Duration::from_millis(3);
/// How long to wait for quiet, and after that for a claim to hold.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often this begins again while the room is at work: on a busy machine it may get little of a processor.
const MOST_TURNS: u32 = 6;
/// How long a claim that must hold longer is watched.
const LONGEST_WATCH: Duration = Duration::from_secs(3);

pub(super) fn play(program: &Program, scenario: &Scenario) -> Tested {
    let began = Instant::now();
    let mut play = Play { stage: Stage::new(), program, standing: Vec::new() };
    let failed = scenario.steps.iter().find_map(|step| play.step(step).err().map(|broken| (step, broken)));
    let log = play.stage.log.clone();
    play.stage.close();
    let left_out = left_out::by_kinds(play.stage.kinds.iter()).unwrap_or_default();
    let failure = failed.filter(|_| left_out.is_empty()).map(|(step, broken)| {
        let (at, during) = match broken.of {
            Some(standing) => (standing, Some(step.line)),
            None => (step, None),
        };
        Failure { line: at.line, step: at.text.clone(), during, why: broken.why, hint: at.hint.clone(), log }
    });
    Tested {
        title: scenario.title.clone(),
        left_out,
        failure,
        virtual_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        n_steps: play.stage.n_steps,
        ..Tested::default()
    }
}

struct Play<'a> {
    stage: Stage,
    program: &'a Program,
    /// Claims that must hold, or must never hold, until the end.
    standing: Vec<(&'a Step, &'a Claim, When)>,
}

/// A step that failed, or a standing claim that was broken.
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
            What::Do(event) => act::act(&mut self.stage, event).map_err(Broken::here),
            What::Wait(ms) => self.until(Duration::from_millis(*ms), |_| false).map(drop),
            What::Expect(expectation) => self.expect(step, expectation),
        }
    }

    fn expect(&mut self, step: &'a Step, expectation: &'a Expectation) -> Result<(), Broken<'a>> {
        let claim = &expectation.claim;
        let lasts = expectation.lasts.map(|ms| Duration::from_millis(ms).min(LONGEST_WATCH));
        if let (Claim::Steps { .. }, When::Quiet, Some(time)) = (claim, expectation.when, lasts) {
            // Steps are counted over a span of time: earlier ones do not belong to it.
            self.until_quiet()?;
            self.stage.steps.clear();
            self.until(time, |_| false)?;
            return self.judge(claim).map_err(Broken::here);
        }
        match expectation.when {
            When::Now => self.judge(claim).map_err(Broken::here)?,
            When::Quiet => {
                self.until_quiet()?;
                self.until_it_holds(claim, PATIENCE)?;
            }
            When::Within(ms) => self.until_it_holds(claim, Duration::from_millis(ms).max(PATIENCE))?,
            When::Always | When::Never => {
                self.until_quiet()?;
                self.standing.push((step, claim, expectation.when));
                self.stand()?;
            }
        }
        let Some(time) = lasts else { return Ok(()) };
        let began = Instant::now();
        let mut broken = None;
        self.until(time, |play| {
            broken = play.judge(claim).err();
            broken.is_some()
        })?;
        let after = began.elapsed().as_secs_f64();
        broken.map_or(Ok(()), |why| {
            Err(Broken::here(format!("it was true at first, but no longer after {after:.1} s: {why}")))
        })
    }

    fn judge(&mut self, claim: &Claim) -> Result<(), String> {
        self.stage.listen();
        judge(&mut self.stage, self.program, claim)
    }

    fn until_it_holds(&mut self, claim: &'a Claim, most: Duration) -> Result<(), Broken<'a>> {
        let (began, mut last) = (Instant::now(), self.judge(claim));
        if last.is_err() {
            self.patiently(most, |play| {
                last = play.judge(claim);
                last.is_ok()
            })?;
        }
        last.map_err(|why| Broken::here(format!("{why}, even after {} s", began.elapsed().as_secs())))
    }

    fn until_quiet(&mut self) -> Result<(), Broken<'a>> {
        self.patiently(PATIENCE, |play| play.stage.is_quiet())
    }

    /// Lets time pass until `enough`, or up to a limit that begins again while the room is at work.
    fn patiently(&mut self, most: Duration, mut enough: impl FnMut(&mut Self) -> bool) -> Result<(), Broken<'a>> {
        for _ in 0..MOST_TURNS {
            let before = effort::used();
            // An agent that only waits uses next to nothing.
            if self.until(most, &mut enough)? || effort::used().saturating_sub(before) < most / 100 {
                break;
            }
        }
        Ok(())
    }

    /// Lets time pass, up to a limit or until `enough`. Returns whether it was enough.
    fn until(&mut self, most: Duration, mut enough: impl FnMut(&mut Self) -> bool) -> Result<bool, Broken<'a>> {
        let end = Instant::now() + most;
        loop {
            self.stage.listen();
            self.stand()?;
            if enough(self) {
                return Ok(true);
            }
            if Instant::now() >= end {
                return Ok(false);
            }
            thread::sleep(PAUSE.min(end.saturating_duration_since(Instant::now())));
        }
    }

    /// Checks every standing claim.
    fn stand(&mut self) -> Result<(), Broken<'a>> {
        for (step, claim, when) in self.standing.clone() {
            match (when, self.judge(claim)) {
                (When::Never, Ok(())) => return Err(Broken { of: Some(step), why: "it was true".into() }),
                (When::Always, Err(why)) => return Err(Broken { of: Some(step), why }),
                _ => {}
            }
        }
        Ok(())
    }
}
