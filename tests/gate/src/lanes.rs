//! Suites beside each other. Most of them wait more than they compute: for machines that start, for a browser, for what a
//! test says will happen. So two run at a time, and the one that took longest the last time begins first.

use crate::report::{Outcome, Report};
use crate::stage::Stage;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A suite that is still to be played. Out: nothing, where what it looks at is not on this machine.
pub(crate) struct Job<'a> {
    pub(crate) name: &'a str,
    pub(crate) play: Box<dyn FnOnce() -> Option<Outcome> + Send + 'a>,
}

/// Plays all of them.
pub(crate) fn play(stage: &Stage, report: &Mutex<Report>, jobs: Vec<Job>) {
    let times = Times::read(stage);
    let mut jobs = jobs;
    // What is not known yet may be long.
    jobs.sort_by_key(|job| times.of(job.name).unwrap_or(Duration::MAX));
    let (jobs, times) = (Mutex::new(jobs), Mutex::new(times));
    let work = || {
        loop {
            let Some(Job { name, play }) = lock(&jobs).pop() else { return };
            let began = Instant::now();
            if let Some(outcome) = play() {
                lock(&times).took(name, began.elapsed());
                lock(report).add(name, outcome, began.elapsed());
            }
        }
    };
    std::thread::scope(|scope| (0..stage.n_lanes).for_each(|_| drop(scope.spawn(work))));
    lock(&times).write(stage);
}

/// What a panic leaves of these holds together.
fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long each suite took, in a file beside what is built. Without it the order is another one, and nothing else.
struct Times(BTreeMap<String, u64>);

impl Times {
    fn read(stage: &Stage) -> Times {
        let text = std::fs::read(stage.times()).unwrap_or_default();
        Times(serde_json::from_slice(&text).unwrap_or_default())
    }

    fn of(&self, name: &str) -> Option<Duration> {
        self.0.get(name).map(|ms| Duration::from_millis(*ms))
    }

    fn took(&mut self, name: &str, time: Duration) {
        self.0.insert(name.to_owned(), u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    }

    fn write(&self, stage: &Stage) {
        let _ = serde_json::to_vec(&self.0).map(|text| std::fs::write(stage.times(), text));
    }
}
