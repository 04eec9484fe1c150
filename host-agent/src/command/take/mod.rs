//! [`Take`]: `run --world` without a program takes the newest deploy of its cluster. World specification, 17.
//!
//! ```text
//! deploy/head changes > records, a chain > contents, on disk > check > the brain > a graph > 60 s: the last good one
//!                             |            wrong or refused: what runs stays <-+         +-> no graph: what ran before, again
//!                             +-> none for this host: what runs stays
//! ```
//!
//! If a deploy is spread over a period, a host waits for its turn before it fetches the contents.
//!
//! A host starts with its last good deploy, so neither an unreachable store nor a bad newest deploy leaves it
//! unmanaged; a newer one follows immediately. Its deploy number never decreases automatically.

mod find;
mod tell;
mod trial;
mod trust;

pub(super) use trust::Trust;

use super::replace::{Problem, Replacement};
use crate::deploy::{Contents, Head, Record, Standing, Sum};
use crate::embed::STACK;
use crate::embed::contract::Report;
use crate::host::watch::Watcher;
use crate::host::{SharedStore, Shelf, Unfetched};
use crate::network::{Network, Task};
use crate::output;
use crate::program::{self, Failure, Loaded, Unusable};
use crate::show::Heard;
use find::{Found, Fresh};
use mclive_base::unicode::visible;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};
use tell::Tell;
use trial::Trial;

/// When to fetch again what could not be fetched, and what was wrong.
const AGAIN: Duration = Duration::from_secs(5);
const LATER: Duration = Duration::from_secs(30);
/// How long the first program may take to its first graph before a newer deploy is taken.
const FIRST: Duration = Duration::from_secs(10);
/// How long to wait for the rest of a change of the list of operators.
const PAUSE: Duration = Duration::from_millis(500);

/// How a run takes deploys.
pub(super) struct Orders {
    pub(super) accepts_older: bool,
    pub(super) trust: Trust,
    pub(super) sender: Sender<Heard>,
    pub(super) heard: Receiver<Heard>,
}

pub(super) struct Take {
    replacement: Replacement,
    orders: Orders,
    store: Arc<SharedStore>,
    network: Network,
    shelf: Shelf,
    /// Newer deploys are taken while the agent runs.
    goes_on: bool,
    /// The last deploy of the chain that this host has read, whatever the result.
    known: Option<(u64, Sum)>,
    /// The newest deploy, if there is nothing more to do about it.
    settled: Option<Sum>,
    /// The last deploy for this host that was judged, whatever the result.
    judged: Option<Sum>,
    /// The last deploy for this host, and when it applies it.
    turn: Option<(Sum, Instant)>,
    /// The last reported problem.
    problem: Option<String>,
    /// The last deploy that had no graph, and why.
    failure: Option<(Sum, String)>,
    /// Why the running deploy would not be taken any more, if that was reported.
    doubt: Option<String>,
    /// The deploy on disk.
    good: Option<Record>,
    trial: Trial,
    tell: Tell,
    /// When to look at the store again.
    looks_at: Option<Instant>,
}

impl Take {
    pub(super) fn new(
        replacement: Replacement,
        orders: Orders,
        store: Arc<SharedStore>,
        network: Network,
        shelf: Shelf,
        goes_on: bool,
    ) -> Take {
        let (known, settled, judged, turn, problem, failure, doubt, good, looks_at) = Default::default();
        let (trial, tell) = (Trial::of(None), Tell::new(store.clone()));
        Take {
            replacement,
            orders,
            store,
            network,
            shelf,
            goes_on,
            known,
            settled,
            judged,
            turn,
            problem,
            failure,
            doubt,
            good,
            trial,
            tell,
            looks_at,
        }
    }

    /// The first program: the last good deploy, or nothing; in a run that takes no further ones the newest. `None`:
    /// there is none, which has been reported.
    pub(super) fn first(mut self, good: Option<(Record, Contents)>) -> Result<Option<(Take, Loaded)>, Failure> {
        let good = good.filter(|(record, _)| self.is_ours(record));
        self.known = good.as_ref().map(|(record, _)| (record.id, record.sum()));
        let good = good.filter(|(record, _)| self.admits(record));
        self.good = good.as_ref().map(|(record, _)| record.clone());
        if !self.goes_on {
            match self.newest() {
                Found::Fresh(fresh) => {
                    let Fresh { record, loaded, report, head: _ } = *fresh;
                    return Ok(Some(self.begins(record, loaded, &report)));
                }
                Found::Nothing | Found::Runs | Found::Later(_) => {}
                Found::Elsewhere(head) => self.says_elsewhere(head, good.as_ref().map(|(record, _)| record.id)),
                Found::Refused(_, _, problem) => self.reject(&problem),
                Found::Unfetched(why) => self.warn(&why),
            }
        }
        if let Some((record, contents)) = good {
            match self.assemble(&record, contents) {
                Ok((loaded, report)) => return Ok(Some(self.begins(record, loaded, &report))),
                Err(problem) => self.reject(&problem),
            }
        }
        if self.goes_on {
            if self.store.head().is_ok_and(|head| head.is_none()) {
                output::tell("mclive: there is no deploy yet; waiting for the first one");
            }
            return Ok(Some((self, program::nothing())));
        }
        if self.problem.is_none() {
            output::tell(
                "mclive: error: the shared store has no deploy for this host; create one with `mclive deploy`",
            );
        }
        Ok(None)
    }

    /// Whether the last good deploy is for this host, which may have another name now, or be a copy of another one.
    fn is_ours(&self, record: &Record) -> bool {
        let is_ours = record.is_for(&self.replacement.options.hostname);
        if !is_ours {
            let id = record.id;
            output::tell(&format!(
                "mclive: warning: the last deploy in the state directory, {id}, is not for this host"
            ));
        }
        is_ours
    }

    /// Whether the last good deploy may be applied; reports why not.
    fn admits(&mut self, record: &Record) -> bool {
        let Err(why) = self.orders.trust.judge(record) else { return true };
        output::tell(&format!("mclive: warning: the last deploy of this host is not applied: {}", visible(&why)));
        self.tell.becomes(record.id, Standing::Refused, &why);
        self.problem = Some(why);
        false
    }

    fn begins(mut self, record: Record, loaded: Loaded, report: &Report) -> (Take, Loaded) {
        output::tell_text(&report.rendered);
        self.trial = Trial::of(Some(record));
        (self, loaded)
    }

    /// Starts the thread that takes deploys.
    pub(super) fn start(self) -> std::io::Result<()> {
        let sender = self.orders.sender.clone();
        let heads = self.store.tell_heads(&self.network, move || {
            // This fails only at the end of the run.
            let _ = sender.send(Heard::Store);
        })?;
        let list = self.orders.trust.watch(self.orders.sender.clone())?;
        let run = move || self.follow(&heads, list.as_ref());
        std::thread::Builder::new().name("deploys".into()).stack_size(STACK).spawn(run)?;
        Ok(())
    }

    fn follow(mut self, _heads: &Task, _list: Option<&Watcher>) {
        let begins = Instant::now();
        self.looks_at = Some(begins + FIRST);
        loop {
            let now = Instant::now();
            // The first program is not cut short, so that what is heard is about the program that runs.
            let is_free = self.trial.has_graph() || now >= begins + FIRST;
            if self.goes_on && is_free && self.looks_at.is_some_and(|at| at <= now) && !self.trial.is_on_its_way() {
                self.looks_at = None;
                self.look();
                self.doubts();
            }
            if self.trial.is_proved(now) {
                self.keep();
            }
            let runs = self.trial.record().map_or(0, |record| record.id);
            let tells_at = self.tell.write(runs, now);
            self.replacement.show.applies(runs, self.tell.standing());
            match self.hear(tells_at) {
                Ok(Heard::Store) => self.looks_at = Some(now),
                Ok(Heard::Operators) => self.looks_at = Some(Instant::now() + PAUSE),
                Ok(Heard::HandedOver) => self.trial.handed_over(),
                Ok(Heard::Graph) if self.trial.graph(Instant::now()) => self.in_force(),
                Ok(Heard::Failed(why)) if self.trial.is_open() => self.failed(&why),
                Ok(Heard::Converged(is_converged)) => self.tell.converged(is_converged),
                Ok(Heard::Failing(which)) => self.tell.failing(which),
                Ok(Heard::Graph | Heard::Failed(_)) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Waits for news, or until something is due.
    fn hear(&self, tells_at: Option<Instant>) -> Result<Heard, RecvTimeoutError> {
        let due = self.looks_at.into_iter().chain(self.trial.due()).chain(tells_at).min();
        match due {
            Some(at) => {
                // What is due but held back is looked at with the next news.
                let least = Duration::from_millis(200);
                self.orders.heard.recv_timeout(at.saturating_duration_since(Instant::now()).max(least))
            }
            None => self.orders.heard.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    /// Takes the newest deploy if it is new and valid.
    fn look(&mut self) {
        let found = self.newest();
        if !matches!(found, Found::Unfetched(_)) && self.tell.ends_trouble() {
            // The next time it is reported again.
            self.problem = None;
        }
        match found {
            Found::Nothing => {}
            Found::Later(at) => self.looks_at = Some(at),
            Found::Runs => {
                self.tell.skips(None);
                self.runs();
            }
            Found::Elsewhere(head) => {
                self.settled = Some(head.sha256);
                self.tell.skips(Some(head.id));
                self.says_elsewhere(head, self.trial.record().map(|record| record.id));
            }
            Found::Fresh(fresh) => {
                let Fresh { head, record, loaded, report } = *fresh;
                let note = if record.note.is_empty() { String::new() } else { format!(": {}", visible(&record.note)) };
                let words = format!("applying deploy {} by {}{note}", record.id, visible(&record.by));
                (self.settled, self.problem) = (Some(head.sha256), None);
                self.tell.skips((head.id != record.id).then_some(head.id));
                self.tell.becomes(record.id, Standing::Starting, "");
                self.trial.replace(record);
                self.replacement.put(loaded, &report, words);
            }
            Found::Refused(head, id, problem) => {
                self.settled = Some(head.sha256);
                self.tell.skips((head.id != id).then_some(head.id));
                self.tell.becomes(id, Standing::Refused, &problem.summary());
                self.reject(&problem);
            }
            Found::Unfetched(why) => {
                let pause = if matches!(why, Unfetched::Later(_)) { AGAIN } else { LATER };
                self.looks_at = Some(Instant::now() + pause);
                if let Unfetched::Wrong(text) = &why {
                    let id = self.store.head().ok().flatten().map(|head| head.id);
                    self.tell.begins_trouble(id, text);
                }
                self.warn(&why);
            }
        }
    }

    /// The newest deploy is the running one, perhaps again, after one that was refused.
    fn runs(&mut self) {
        let Some((id, sum)) = self.trial.record().map(|record| (record.id, record.sum())) else {
            return self.settled = None;
        };
        self.settled = Some(sum);
        match &self.failure {
            Some((of, why)) if *of == sum => self.tell.becomes(id, Standing::Failed, why),
            _ if self.trial.has_graph() => self.tell.becomes(id, Standing::Ok, ""),
            _ => self.tell.becomes(id, Standing::Starting, ""),
        }
    }

    /// Reports that the newest deploy is not for this host. `runs`: the one that it applies.
    fn says_elsewhere(&self, head: Head, runs: Option<u64>) {
        let then = match runs {
            Some(runs) => format!("applying deploy {runs}"),
            None if self.goes_on => "waiting for another one".to_owned(),
            // The error that follows says so.
            None => return,
        };
        output::tell(&format!("mclive: deploy {} is not for this host; {then}", head.id));
    }

    /// Reports once that the running deploy would not be taken any more.
    fn doubts(&mut self) {
        let doubt = self.trial.record().and_then(|record| self.orders.trust.judge(record).err());
        if let Some(why) = doubt.as_ref().filter(|_| doubt != self.doubt) {
            let until = "its program keeps running until a newer deploy is applied or the agent is restarted";
            output::tell(&format!("mclive: warning: {}; {until}", visible(why)));
        }
        self.doubt = doubt;
    }

    /// Reports a problem once.
    fn reject(&mut self, problem: &Problem) {
        let text = problem.text();
        if self.problem.as_ref() != Some(&text) {
            self.replacement.reject(problem, &text);
            self.problem = Some(text);
        }
    }

    /// Reports once that a deploy cannot be fetched. The session reports a store that is away.
    fn warn(&mut self, why: &Unfetched) {
        let text = match why {
            Unfetched::Wrong(text) => text,
            Unfetched::Later(text) if !self.goes_on => text,
            Unfetched::Later(_) => return,
        };
        if self.problem.as_ref() != Some(text) {
            output::tell(&format!("mclive: warning: cannot apply the newest deploy: {}", visible(text)));
            self.problem = Some(text.clone());
        }
    }

    /// The first graph of a deploy is in effect.
    fn in_force(&mut self) {
        self.tell.in_force(self.trial.record().map_or(0, |record| record.id));
        self.failure = None;
        // One that may still fail is better than none.
        if self.good.is_none() {
            self.keep();
        }
        self.looks_at = Some(Instant::now());
    }

    /// Keeps the running deploy as the last good one.
    pub(super) fn keep(&mut self) {
        let Some(record) = self.trial.record().cloned() else { return };
        if self.good.as_ref() != Some(&record) {
            let needed: Vec<&Record> = self.trial.before().into_iter().collect();
            if let Err(error) = self.shelf.set_good(&record, &needed) {
                output::tell(&format!("mclive: warning: cannot keep deploy {} on this host: {error}", record.id));
            }
            self.good = Some(record);
        }
    }

    /// The running deploy has no graph: the one before runs again.
    fn failed(&mut self, why: &str) {
        let failed = self.trial.record().map_or(0, |record| record.id);
        self.tell.becomes(failed, Standing::Failed, why);
        self.failure = self.trial.record().map(|record| (record.sum(), why.to_owned()));
        let is_fit = |before: &&Record| before.id != failed && self.orders.trust.judge(before).is_ok();
        let before = [self.trial.before(), self.good.as_ref()].into_iter().flatten().find(is_fit).cloned();
        let Some(before) = before else { return self.trial.stays() };
        let again = self.shelf.contents(&before.files).map_err(|error| Unusable(error.message));
        let again = again.map_err(|why| Problem::Unreadable(why.into()));
        match again.and_then(|contents| self.assemble(&before, contents)) {
            Ok((loaded, report)) => {
                let id = before.id;
                self.trial.goes_back(before);
                self.replacement.put(loaded, &report, format!("deploy {failed} failed; applying deploy {id} again"));
            }
            Err(problem) => {
                self.trial.stays();
                self.reject(&problem);
            }
        }
        self.problem = Some(why.to_owned());
    }
}
