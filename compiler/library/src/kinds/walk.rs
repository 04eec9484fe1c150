//! [`Walk`]: a decision written sequentially, as if looking and changing took no time.
//!
//! Each request to the host either has its answer in the findings so far, or ends the walk with the decision that makes
//! the request; the engine calls again with the answer, and the walk restarts. So it must make the same requests in the
//! same order each time.

use super::kind::{Decision, Seen};
use crate::vocab::{CommandOutcome, Finding, Outcome, Probe, Step};

pub(super) struct Walk<'a> {
    seen: &'a Seen<'a>,
    n_findings: usize,
    n_outcomes: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(seen: &'a Seen<'a>) -> Walk<'a> {
        Walk { seen, n_findings: 0, n_outcomes: 0 }
    }

    /// The findings of these probes, in order.
    pub(super) fn look(&mut self, probes: Vec<Probe>) -> Result<&'a [Finding], Decision> {
        let end = self.n_findings + probes.len();
        match self.seen.findings.get(self.n_findings..end) {
            Some(findings) => {
                self.n_findings = end;
                Ok(findings)
            }
            None => Err(Decision::LookFurther(probes)),
        }
    }

    /// The outcomes of these steps, all successful. If nothing may be changed the walk ends here.
    pub(super) fn act(&mut self, steps: Vec<Step>) -> Result<&'a [Outcome], Decision> {
        let end = self.n_outcomes + steps.len();
        let done = &self.seen.outcomes[self.n_outcomes.min(self.seen.outcomes.len())..];
        let failed = done.iter().take(steps.len()).find_map(|outcome| match outcome {
            Outcome::Failed(error) => Some(error),
            Outcome::Done | Outcome::Command(_) => None,
        });
        if let Some(error) = failed {
            return Err(Decision::CannotTell(error.message.clone()));
        }
        if done.len() < steps.len() || !self.seen.apply {
            return Err(Decision::Drifted(steps));
        }
        self.n_outcomes = end;
        Ok(&done[..steps.len()])
    }

    /// The end of a walk: up to date without steps, otherwise repaired by them.
    pub(super) fn mend(&mut self, steps: Vec<Step>) -> Result<Decision, Decision> {
        if steps.is_empty() {
            return Ok(Decision::InState(Vec::new()));
        }
        self.act(steps)?;
        Ok(Decision::Mended(Vec::new()))
    }
}

/// Ends a walk because of an unexpected kind of finding, or a failure.
pub(super) fn cannot_tell(finding: &Finding) -> Decision {
    Decision::CannotTell(match finding {
        Finding::Failed(error) => error.message.clone(),
        other => unexpected(other),
    })
}

/// Reports an unexpected kind of finding by its subject: its content can be long, and the code to print every finding
/// would make a module for the browser bigger.
pub(super) fn unexpected(finding: &Finding) -> String {
    format!("unexpected answer from the host (about `{}`)", finding.subject())
}

/// A command that exited with zero, or why it did not.
pub(super) fn succeeded(name: &str, outcome: &CommandOutcome) -> Result<(), Decision> {
    match (outcome.status, &outcome.signal) {
        (Some(0), _) => Ok(()),
        (Some(status), _) => Err(Decision::CannotTell(format!("{name} error: exit status {status}"))),
        (None, signal) => Err(killed(name, signal.as_deref())),
    }
}

pub(super) fn killed(name: &str, signal: Option<&str>) -> Decision {
    Decision::CannotTell(format!("{name} was killed by signal: {}", signal.unwrap_or("unknown")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::link;

    #[test]
    fn an_unexpected_answer_names_its_subject() {
        let Decision::CannotTell(why) = cannot_tell(&link::Finding::Manager(true).into()) else { panic!("it fails") };
        assert_eq!(why, "unexpected answer from the host (about `link`)");
    }
}
