//! Parallel suites. Most of them wait more than they compute: for booting machines, for a browser, for events. So two
//! run at a time, and the one that took longest last time starts first, with everything that waits for it.

use crate::report::{Outcome, Report};
use crate::stage::Stage;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A suite to be run. It returns `None` if its subject is not available on this machine.
pub(crate) struct Job<'a> {
    pub(crate) name: &'a str,
    pub(crate) after: After,
    pub(crate) play: Box<dyn FnOnce() -> Option<Outcome> + Send + 'a>,
}

/// What must have ended, successfully or not, before a suite begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    Nothing,
    /// The suite of this name, if it is run at all.
    Suite(&'static str),
    All,
}

/// Runs all of them.
pub(crate) fn play(stage: &Stage, report: &Mutex<Report>, jobs: Vec<Job>) {
    let times = Mutex::new(Times::read(stage));
    let board = Board::new(jobs, &lock(&times));
    let work = || {
        while let Some(Job { name, play, .. }) = board.take() {
            let began = Instant::now();
            if let Some(outcome) = play() {
                lock(&times).took(name, began.elapsed());
                lock(report).add(name, outcome, began.elapsed());
            }
            board.ended(name);
        }
    };
    std::thread::scope(|scope| (0..stage.n_lanes).for_each(|_| drop(scope.spawn(work))));
    lock(&times).write(stage);
}

/// The remaining suites, the longest last, and the running ones.
struct Board<'a> {
    suites: Mutex<(Vec<Job<'a>>, Vec<&'a str>)>,
    news: Condvar,
}

impl<'a> Board<'a> {
    fn new(mut jobs: Vec<Job<'a>>, times: &Times) -> Board<'a> {
        let own = |name: &str| times.of(name).unwrap_or_else(|| times.guess(name));
        let lengths: BTreeMap<&str, Duration> = jobs.iter().map(|job| (job.name, own(job.name))).collect();
        let behind = |name: &str| {
            let waits = jobs.iter().filter(|job| matches!(job.after, After::Suite(other) if other == name));
            waits.map(|job| lengths[job.name]).max().unwrap_or_default()
        };
        let lengths: BTreeMap<&str, Duration> =
            lengths.iter().map(|(name, own)| (*name, *own + behind(name))).collect();
        jobs.sort_by_key(|job| lengths[job.name]);
        Board { suites: Mutex::new((jobs, Vec::new())), news: Condvar::new() }
    }

    /// The next one; blocks while the remaining ones wait for others.
    fn take(&self) -> Option<Job<'a>> {
        let mut suites = lock(&self.suites);
        loop {
            let (waiting, playing) = &*suites;
            let is_open = |name: &str| playing.contains(&name) || waiting.iter().any(|job| job.name == name);
            let is_ready = |job: &Job| match job.after {
                After::Nothing => true,
                After::Suite(other) => !is_open(other),
                After::All => playing.is_empty() && waiting.iter().all(|job| job.after == After::All),
            };
            if let Some(at) = waiting.iter().rposition(is_ready) {
                let job = suites.0.remove(at);
                suites.1.push(job.name);
                return Some(job);
            }
            // Two that wait for each other are not ordered.
            if waiting.is_empty() || playing.is_empty() {
                return None;
            }
            suites = self.news.wait(suites).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn ended(&self, name: &str) {
        lock(&self.suites).1.retain(|other| *other != name);
        self.news.notify_all();
    }
}

/// The data stays consistent after a panic.
fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The suites that take minutes, for the first run on a machine. Units: seconds, on two cores.
const USUAL: [(&str, u64); 5] =
    [("site", 350), ("browser", 300), ("mclive hosts", 400), ("mclive agent", 200), ("docs", 100)];

/// The duration of each suite, in a file beside the build output. Without it only the order differs.
#[derive(Default)]
struct Times(BTreeMap<String, u64>);

impl Times {
    fn read(stage: &Stage) -> Times {
        let text = std::fs::read(stage.times()).unwrap_or_default();
        Times(serde_json::from_slice(&text).unwrap_or_default())
    }

    fn of(&self, name: &str) -> Option<Duration> {
        self.0.get(name).map(|ms| Duration::from_millis(*ms))
    }

    /// For one that never ran here.
    fn guess(&self, name: &str) -> Duration {
        let usual = USUAL.iter().find(|(suite, _)| *suite == name).map(|(_, seconds)| *seconds);
        // Beside suites that did run, a new one may be long.
        Duration::from_secs(usual.unwrap_or(if self.0.len() > 1 { 3600 } else { 10 }))
    }

    fn took(&mut self, name: &str, time: Duration) {
        self.0.insert(name.to_owned(), u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    }

    fn write(&self, stage: &Stage) {
        let _ = serde_json::to_vec(&self.0).map(|text| std::fs::write(stage.times(), text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(name: &'static str, after: After) -> Job<'static> {
        Job { name, after, play: Box::new(|| None) }
    }

    #[test]
    fn a_first_run_begins_with_what_usually_takes_long() {
        // The build has run.
        let mut times = Times::default();
        times.took("build", Duration::from_secs(400));
        let jobs = [
            job("browser", After::Suite("site")),
            job("mclive hosts", After::Nothing),
            job("short", After::Nothing),
            job("site", After::Nothing),
        ];
        let board = Board::new(jobs.into(), &times);
        let names: Vec<&str> = std::iter::from_fn(|| {
            let job = board.take()?;
            board.ended(job.name);
            Some(job.name)
        })
        .collect();
        assert_eq!(names, ["site", "mclive hosts", "browser", "short"]);
        times.took("site", Duration::from_secs(400));
        assert_eq!(times.guess("new"), Duration::from_secs(3600));
    }

    #[test]
    fn the_longest_way_begins_first_and_what_waits_for_others_comes_after_them() {
        let mut times = Times::default();
        for (name, seconds) in [("site", 100), ("page", 300), ("hosts", 200), ("guard", 900), ("short", 1)] {
            times.took(name, Duration::from_secs(seconds));
        }
        let jobs = [
            job("guard", After::All),
            job("page", After::Suite("site")),
            job("short", After::Suite("not played")),
            job("hosts", After::Nothing),
            job("site", After::Nothing),
        ];
        let board = Board::new(jobs.into(), &times);
        let next = || board.take().map(|job| job.name);
        assert_eq!((next(), next(), next()), (Some("site"), Some("hosts"), Some("short")));
        board.ended("short");
        board.ended("site");
        assert_eq!(next(), Some("page"));
        board.ended("hosts");
        std::thread::scope(|scope| {
            let last = scope.spawn(next);
            board.ended("page");
            assert_eq!(last.join().unwrap(), Some("guard"));
        });
        board.ended("guard");
        assert_eq!(next(), None);
    }
}
