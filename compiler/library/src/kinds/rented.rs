//! [`Rented`]: a cloud machine, and how all cloud kinds check and change it.

use super::Decision;
use super::walk::{Walk, cannot_tell};
use crate::vocab;
use crate::vocab::cloud::{Action, Finding, Found, Machine, Probe, Stand, Step, Wait};

/// How many transitional states may follow each other before it is reported.
const PASSES: usize = 4;

pub(super) struct Rented<'a, 'w> {
    walk: &'w mut Walk<'a>,
    machine: Machine,
    wait: Wait,
    pub(super) now: Option<&'a Found>,
    changed: bool,
}

impl<'a, 'w> Rented<'a, 'w> {
    /// Its state after any transition.
    pub(super) fn look(walk: &'w mut Walk<'a>, machine: Machine, wait: Wait) -> Result<Rented<'a, 'w>, Decision> {
        let mut rented = Rented { walk, machine, wait, now: None, changed: false };
        rented.look_again()?;
        Ok(rented)
    }

    fn look_again(&mut self) -> Result<(), Decision> {
        for _ in 0..PASSES {
            self.now = match &self.walk.look(vec![Probe::Machine(self.machine.clone()).into()])?[0] {
                vocab::Finding::Cloud(Finding::Machine(now)) => now.as_ref(),
                other => return Err(cannot_tell(other)),
            };
            match self.now {
                Some(Found { state: Stand::Passing, .. }) => self.act(vec![Action::Settle])?,
                _ => return Ok(()),
            }
        }
        let word = self.now.map_or("gone", |now| &now.word);
        Err(Decision::CannotTell(format!("{} has not reached a final state: it is {word}", self.machine.name)))
    }

    /// Whether machines can be made from an image.
    pub(super) fn has_image(&mut self, image: &str) -> Result<bool, Decision> {
        let probe = Probe::Image { cloud: self.machine.cloud.clone(), image: image.to_owned() };
        match &self.walk.look(vec![probe.into()])?[0] {
            vocab::Finding::Cloud(Finding::Image(is_there)) => Ok(*is_there),
            other => Err(cannot_tell(other)),
        }
    }

    /// The first of these that the cloud does not have, in words.
    pub(super) fn missing(&mut self, asked: Vec<(Probe, String)>) -> Result<Option<String>, Decision> {
        let (probes, words): (Vec<vocab::Probe>, Vec<String>) =
            asked.into_iter().map(|(probe, words)| (probe.into(), words)).unzip();
        for (found, words) in self.walk.look(probes)?.iter().zip(words) {
            match found {
                vocab::Finding::Cloud(Finding::Image(true) | Finding::Offered(true)) => {}
                vocab::Finding::Cloud(Finding::Image(false) | Finding::Offered(false)) => return Ok(Some(words)),
                other => return Err(cannot_tell(other)),
            }
        }
        Ok(None)
    }

    /// Performs the actions in order, starting from state `now`.
    fn act(&mut self, actions: Vec<Action>) -> Result<(), Decision> {
        let (machine, wait) = (&self.machine, self.wait);
        let step = |action| Step { machine: machine.clone(), now: self.now.cloned(), action, wait }.into();
        self.walk.act(actions.into_iter().map(step).collect())?;
        self.changed = true;
        Ok(())
    }

    /// Changes it, and looks at the result.
    pub(super) fn change(&mut self, actions: Vec<Action>) -> Result<(), Decision> {
        self.act(actions)?;
        self.look_again()
    }

    pub(super) fn is(&self, state: Stand) -> bool {
        self.now.is_some_and(|now| now.state == state)
    }

    pub(super) fn over(self) -> Decision {
        if self.changed { Decision::Mended(Vec::new()) } else { Decision::InState(Vec::new()) }
    }
}
