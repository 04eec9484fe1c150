//! [`Reports`]: when resources are notified that others have changed a value that this host signs. If two agents use
//! the same name with different keys, each of them signs the value again after the other: the pause between two reports
//! about a value limits how often they do so.

use super::SharedStore;
use super::opening::as_read;
use crate::host::Shared;
use crate::host::subject::{key_changed, key_changed_for_facts, key_changed_for_watches};
use mclive_base::vocab::KeyStore;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Weak;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// The least time between two reports about one value.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct Reports {
    /// The values that were reported a short time ago.
    told: BTreeMap<String, Told>,
}

struct Told {
    /// The end of the pause.
    until: Instant,
    /// It was changed again, and another report waits for the end.
    is_waiting: bool,
}

impl Told {
    fn new(now: Instant) -> Told {
        Told { until: now + PAUSE, is_waiting: false }
    }
}

impl Reports {
    /// Others have changed these values; returns those that are reported now.
    fn pass(&mut self, values: BTreeSet<String>, now: Instant) -> Vec<String> {
        self.told.retain(|_, told| told.is_waiting || now < told.until);
        let mut passed = Vec::new();
        for value in values {
            match self.told.get_mut(&value) {
                Some(told) => told.is_waiting = true,
                None => {
                    self.told.insert(value.clone(), Told::new(now));
                    passed.push(value);
                }
            }
        }
        passed
    }

    /// The values whose report has waited long enough, and until when the next one waits.
    fn due(&mut self, now: Instant) -> (Vec<String>, Option<Instant>) {
        let mut due = Vec::new();
        for (value, told) in self.told.iter_mut().filter(|(_, told)| told.is_waiting && told.until <= now) {
            *told = Told::new(now);
            due.push(value.clone());
        }
        (due, self.told.values().filter(|told| told.is_waiting).map(|told| told.until).min())
    }
}

impl SharedStore {
    /// Reports changed keys to the program; `by_others`: the values that others have changed, whose resources may hear of it
    /// later than what reads them.
    pub(super) fn report(&self, shared: &Weak<Shared>, changed: &[String], by_others: Vec<String>) {
        let Some(shared) = shared.upgrade() else { return };
        let by_others: BTreeSet<String> = by_others.into_iter().collect();
        for key in changed {
            let key = as_read(key);
            match by_others.contains(&*key) {
                true => key_changed_for_facts(&shared, KeyStore::World, &key),
                false => key_changed(&shared, KeyStore::World, &key),
            }
        }
        if by_others.is_empty() {
            return;
        }
        let passed = self.inside.lock().reports.pass(by_others, Instant::now());
        tell_resources(&shared, &passed);
        self.reporting.notify_one();
    }

    /// Reports what waits at the end of its pause, forever. While nothing waits there is no timer.
    pub(super) async fn report_later(&self, shared: &Weak<Shared>) {
        loop {
            let (due, next) = self.inside.lock().reports.due(Instant::now());
            if let Some(shared) = shared.upgrade() {
                tell_resources(&shared, &due);
            }
            let again = self.reporting.notified();
            match next {
                Some(end) => drop(timeout_at(end, again).await),
                None => again.await,
            }
        }
    }
}

fn tell_resources(shared: &Shared, values: &[String]) {
    values.iter().for_each(|value| key_changed_for_watches(shared, KeyStore::World, value));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_value_that_others_change_again_and_again_is_reported_once_in_a_pause() {
        let (now, mut reports) = (Instant::now(), Reports::default());
        assert_eq!(reports.pass(values(&["a"]), now), ["a"]);
        assert_eq!(reports.due(now), (Vec::new(), None), "nothing waits");
        let half = now + PAUSE / 2;
        // Other values do not wait for it.
        assert_eq!(reports.pass(values(&["a", "b"]), half), ["b"]);
        for _ in 0..3 {
            assert_eq!(reports.pass(values(&["a"]), half), [""; 0]);
        }
        assert_eq!(reports.due(half), (Vec::new(), Some(now + PAUSE)));
        // At the end it is reported once, and begins another pause.
        let end = now + PAUSE;
        assert_eq!(reports.due(end), (vec!["a".to_owned()], None));
        assert_eq!(reports.pass(values(&["a"]), end + PAUSE / 2), [""; 0]);
        assert_eq!(reports.due(end + PAUSE / 2), (Vec::new(), Some(end + PAUSE)));
        assert_eq!(reports.due(end + PAUSE), (vec!["a".to_owned()], None));
    }

    #[test]
    fn a_value_that_others_change_after_the_pause_is_reported_at_once() {
        let (now, mut reports) = (Instant::now(), Reports::default());
        assert_eq!(reports.pass(values(&["a", "b"]), now), ["a", "b"]);
        assert_eq!(reports.pass(values(&["a"]), now + PAUSE), ["a"]);
        assert_eq!(reports.told.len(), 1, "what is over is forgotten");
    }
}
