//! Decides what to do with the newest deploy: it is fetched and checked if it is new and for this host.

use super::super::replace::Problem;
use super::Take;
use crate::deploy::{Contents, Filed, Head, Record, Sum};
use crate::embed::contract::Report;
use crate::host::{Chosen, Unfetched};
use crate::output;
use crate::program::{self, Loaded, Unusable};
use crate::utc;
use std::time::{Duration, Instant};

/// What there is to do about the newest deploy.
pub(super) enum Found {
    /// It was dealt with before.
    Nothing,
    /// It is the one that runs, or there is none.
    Runs,
    /// It is not for this host, and neither is any other that is new.
    Elsewhere(Head),
    Fresh(Box<Fresh>),
    /// The newest deploy, and the number of the one for this host.
    Refused(Head, u64, Problem),
    /// It is spread over a time, and this host applies it at this moment.
    Later(Instant),
    /// It cannot be fetched now.
    Unfetched(Unfetched),
}

/// A valid deploy.
pub(super) struct Fresh {
    /// The newest one, which may be for other hosts.
    pub(super) head: Head,
    pub(super) record: Record,
    pub(super) loaded: Loaded,
    pub(super) report: Report,
}

impl Take {
    /// Fetches and checks the newest deploy for this host.
    pub(super) fn newest(&mut self) -> Found {
        let head = match self.store.head() {
            Ok(None) => return Found::Runs,
            Ok(Some(head)) if self.settled == Some(head.sha256) => return Found::Nothing,
            Ok(Some(head)) if self.runs_already(head.sha256) => return Found::Runs,
            Ok(Some(head)) => head,
            Err(why) => return Found::Unfetched(why),
        };
        let ours = match self.choose(head) {
            Ok(Some(ours)) => ours,
            Ok(None) => {
                self.known = Some((head.id, head.sha256));
                return Found::Elsewhere(head);
            }
            Err(why) => return Found::Unfetched(why),
        };
        if let Some(at) = self.waits(&ours, Instant::now()) {
            return Found::Later(at);
        }
        let (record, contents) = match self.fetch(ours) {
            Ok(fetched) => fetched,
            Err(why) => return Found::Unfetched(why),
        };
        self.known = Some((head.id, head.sha256));
        self.judged = Some(record.sum());
        match self.assemble(&record, contents) {
            Ok((loaded, report)) => Found::Fresh(Box::new(Fresh { head, record, loaded, report })),
            Err(problem) => Found::Refused(head, record.id, problem),
        }
    }

    /// Until when this host waits with a deploy that is spread over a time; `None`: not any more. A run that takes no further
    /// deploys does not wait.
    fn waits(&mut self, record: &Record, now: Instant) -> Option<Instant> {
        let delay = record.delay(&self.replacement.options.hostname, utc::now());
        if !self.goes_on {
            return None;
        }
        let sum = record.sum();
        let (is_known, earlier) = (self.turn.is_some_and(|(of, _)| of == sum), self.turn.map(|(_, at)| at));
        let at = earlier.filter(|_| is_known).unwrap_or_else(|| turn(earlier, now, delay));
        self.turn = Some((sum, at));
        if at <= now {
            return None;
        }
        if !is_known {
            let (id, seconds) = (record.id, record.spread.unwrap_or_default());
            let left = at.saturating_duration_since(now).as_secs_f64();
            output::tell(&format!("mclive: deploy {id} is spread over {seconds} s; applying it in {left:.0} s"));
        }
        Some(at)
    }

    fn runs_already(&self, sum: Sum) -> bool {
        self.trial.record().is_some_and(|record| record.sum() == sum)
    }

    /// The newest deploy for this host, if there is one that was not dealt with.
    fn choose(&self, head: Head) -> Result<Option<Record>, Unfetched> {
        let known = self.known.filter(|_| !self.orders.accepts_older);
        if let Some((id, _)) = known.filter(|(id, sum)| head.id <= *id && head.sha256 != *sum) {
            let why = format!(
                "the newest deploy of the shared store is {}, but this host has already taken deploy {id}; if the store was \
                 restored from a backup, use --accept-older",
                head.id
            );
            return Err(Unfetched::Wrong(why));
        }
        let known = known.filter(|(_, sum)| *sum != head.sha256);
        let Chosen { newest, ours } = self.store.fetch_chosen(&self.network, known, head)?;
        // Before anything else of them is used: others may have written them.
        let judge = |record: &Record| self.orders.trust.judge(record).map_err(Unfetched::Wrong);
        judge(&newest)?;
        let Some(ours) = ours.filter(|ours| ours.id == newest.id || !self.is_dealt_with(ours.sum())) else {
            return Ok(None);
        };
        judge(&ours)?;
        Ok(Some(ours))
    }

    /// Whether a deploy before the newest one was judged or runs: only the newest one is tried again.
    fn is_dealt_with(&self, sum: Sum) -> bool {
        self.judged == Some(sum) || self.runs_already(sum)
    }

    /// The contents of a deploy: from the disk, otherwise from the store.
    fn fetch(&self, record: Record) -> Result<(Record, Contents), Unfetched> {
        let here = |error: mclive_base::vocab::HostError| Unfetched::Later(error.message);
        let mut contents = self.shelf.contents(&record.files).map_err(here)?;
        let is_missing = |sum: &Sum| !contents.contains_key(sum);
        let missing: Vec<_> = record.files.iter().filter(|file| is_missing(&file.sha256)).cloned().collect();
        let fetched = self.store.fetch_contents(&self.network, missing)?;
        let running = [self.trial.record(), self.trial.before()].into_iter().flatten();
        let needed: Vec<&Record> = running.chain([&record]).collect();
        if let Err(error) = self.shelf.keep(&fetched, &needed) {
            output::tell(&format!("mclive: warning: cannot keep deploy {} on this host: {error}", record.id));
        }
        contents.extend(fetched);
        Ok((record, contents))
    }

    /// The program of a deploy, if it is valid here.
    pub(super) fn assemble(&self, record: &Record, contents: Contents) -> Result<(Loaded, Report), Problem> {
        let file = |filed: &Filed| Some((filed.path.clone(), contents.get(&filed.sha256)?.clone()));
        let Some(files) = record.files.iter().map(file).collect::<Option<Vec<_>>>() else {
            let why = format!("the files of deploy {} are not on this host", record.id);
            return Err(Problem::Unreadable(Unusable(why).into()));
        };
        let mut loaded = program::deployed(&record.entry, files);
        loaded.program.environment.clone_from(&self.replacement.environment);
        let report = self.replacement.judge(&loaded)?;
        Ok((loaded, report))
    }
}

/// When a host applies a deploy. If it still waits for an earlier one, it does not wait longer: otherwise, deploys that follow
/// one another could put it off forever.
fn turn(earlier: Option<Instant>, now: Instant, delay: Duration) -> Instant {
    let at = now + delay;
    earlier.filter(|earlier| *earlier > now).map_or(at, |earlier| earlier.min(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_does_not_wait_longer_because_of_a_later_deploy() {
        let (now, second) = (Instant::now(), Duration::from_secs(1));
        assert_eq!(turn(None, now, 9 * second), now + 9 * second);
        assert_eq!(turn(Some(now + 5 * second), now + second, 9 * second), now + 5 * second);
        assert_eq!(turn(Some(now + 5 * second), now + second, Duration::ZERO), now + second);
        // It has applied the earlier one.
        assert_eq!(turn(Some(now), now + second, 9 * second), now + 10 * second);
    }
}
