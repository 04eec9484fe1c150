//! Looking again within a check, after an answer that was inconsistent or a change that failed.

use super::{Run, Stage};
use crate::vocab::{Finding, Outcome};

/// The maximum number of looks of one check: a world that never settles is a failure.
const MOST_LOOKS: usize = 10;

/// A look whose answers were inconsistent, or whose change failed.
#[derive(Clone)]
pub(super) struct Earlier {
    findings: Vec<Finding>,
    error: String,
    /// The error of the last step that failed.
    failed_step: Option<String>,
    /// The number of looks.
    n_looks: usize,
    /// Whether one of them changed something before it failed.
    changed: bool,
}

impl Run {
    /// Whether it may be repeated: a command may not run twice if one run was asked for.
    pub(crate) fn is_repeatable(&self) -> bool {
        let has_asked = !self.asked.is_empty() || matches!(self.stage, Stage::ExportLook | Stage::ExportWrite);
        has_asked && !self.did_once
    }

    /// Whether an earlier look of this check changed something.
    pub(crate) fn changed_before(&self) -> bool {
        self.earlier.as_ref().is_some_and(|earlier| earlier.changed)
    }

    /// The earlier failure, if everything seen is the same as before it, with nothing changed since. Ages are
    /// ignored: if a look takes seconds, they would never be the same twice.
    pub(crate) fn failure_seen_again(&self) -> Option<&str> {
        let earlier = self.earlier.as_ref()?;
        (self.outcomes.is_empty() && are_same(&earlier.findings, &self.findings)).then_some(&earlier.error)
    }

    /// The error of an earlier step, if this check failed at a look that followed.
    pub(crate) fn failed_step(&self) -> Option<&str> {
        let earlier = self.earlier.as_ref()?;
        earlier.failed_step.as_deref().filter(|_| self.goes_well())
    }

    /// Discards its findings to look again after this error; `Err` is the error if it stands.
    pub(crate) fn begin_again(&mut self, error: String) -> Result<(), String> {
        let n_looks = self.earlier.as_ref().map_or(0, |earlier| earlier.n_looks) + 1;
        let may_look = n_looks <= MOST_LOOKS && self.cancelled.is_none() && self.is_repeatable() && !self.is_refused;
        if !may_look || self.failure_seen_again().is_some() {
            return Err(error);
        }
        let changed = self.changed_before() || self.outcomes.iter().any(|outcome| matches!(outcome, Outcome::Done));
        let before = self.earlier.take().and_then(|earlier| earlier.failed_step);
        let failed_step = if self.goes_well() { before } else { Some(error.clone()) };
        let findings = std::mem::take(&mut self.findings);
        self.earlier = Some(Earlier { findings, error, failed_step, n_looks, changed });
        self.asked.clear();
        self.outcomes.clear();
        Ok(())
    }
}

/// Whether two looks show the same state.
fn are_same(one: &[Finding], other: &[Finding]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_same(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Moment;
    use crate::vocab::{Probe, package};

    /// A run that fails, looks again, and finds lists of this age and package.
    fn looks_again(age_s: u64, name: &str) -> Run {
        let mut run = Run::new(Moment(0), false, Vec::new().into());
        let look = |run: &mut Run, age_s: u64, name: &str| {
            let packages = vec![package::Package { name: name.to_owned(), ..package::Package::default() }];
            run.look(&[Probe::from(package::Probe::Packages { names: vec!["a".to_owned()], offers: true })]);
            run.found(vec![package::Finding::of(packages, Some(age_s), Vec::new()).into()]);
        };
        look(&mut run, 100, "a");
        assert_eq!(run.begin_again("held".to_owned()), Ok(()));
        look(&mut run, age_s, name);
        run
    }

    #[test]
    fn a_failure_counts_although_time_has_passed() {
        let mut run = looks_again(103, "a");
        assert_eq!(run.failure_seen_again(), Some("held"));
        assert_eq!(run.begin_again("held".to_owned()), Err("held".to_owned()));
        let mut run = looks_again(100, "b");
        assert_eq!(run.failure_seen_again(), None);
        assert_eq!(run.begin_again("held".to_owned()), Ok(()));
    }
}
