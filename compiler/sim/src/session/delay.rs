//! [`Delay`]: changes of the shared store on their way to a host. They arrive in the order of the store.

use super::News;
use crate::protocol::Moment;
use crate::vocab::Datum;
use std::collections::VecDeque;

/// Changes by other hosts that this one has not seen yet.
#[derive(Clone, Default)]
pub(crate) struct Delay {
    latency_ms: u64,
    coming: VecDeque<(Moment, News)>,
}

/// The maximum number of changes on the way; of more, the last ones arrive together.
const MOST_COMING: usize = 1_000;
/// The longest latency. Units: milliseconds.
pub(crate) const LONGEST_MS: u64 = 10 * 60 * 1_000;

impl Delay {
    /// How long a change takes to arrive. Units: milliseconds.
    pub(crate) fn latency_ms(&self) -> u64 {
        self.latency_ms
    }

    /// Sets the latency of changes from now on. What is on the way arrives before them.
    pub(crate) fn set_latency(&mut self, ms: u64) {
        self.latency_ms = ms.min(LONGEST_MS);
    }

    /// Whether a change arrives at once.
    pub(super) fn is_none(&self) -> bool {
        self.latency_ms == 0 && self.coming.is_empty()
    }

    /// Changes begin their way.
    pub(super) fn send(&mut self, now: Moment, news: News) {
        let at = now.plus_ms(self.latency_ms);
        let is_full = self.coming.len() >= MOST_COMING;
        match self.coming.back_mut() {
            Some((_, last)) if is_full => last.extend(news),
            // Nothing overtakes what is on the way.
            Some((last_at, _)) => {
                let at = at.max(*last_at);
                self.coming.push_back((at, news));
            }
            None => self.coming.push_back((at, news)),
        }
    }

    /// When the next changes arrive.
    pub(super) fn next_at(&self) -> Option<Moment> {
        self.coming.front().map(|(at, _)| *at)
    }

    /// The next changes that have arrived by now.
    pub(super) fn arrived(&mut self, now: Moment) -> Option<News> {
        self.next_at().filter(|at| *at <= now)?;
        self.coming.pop_front().map(|(_, news)| news)
    }

    /// Everything on the way, which then is not: of each key the last value.
    pub(super) fn take(&mut self) -> News {
        let mut all = News::new();
        std::mem::take(&mut self.coming).into_iter().for_each(|(_, news)| all.extend(news));
        all
    }

    /// The store forgets all but the last value of each key: what is on the way arrives together.
    pub(crate) fn compact(&mut self) {
        if let Some((at, _)) = self.coming.back() {
            let at = *at;
            let all = self.take();
            self.coming.push_back((at, all));
        }
    }

    /// This host writes a key, after everything that is on the way. `false`: nothing on the way changes it.
    pub(crate) fn supersede(&mut self, key: &str) -> bool {
        let n_before = self.n_changes();
        self.coming.iter_mut().for_each(|(_, news)| drop(news.remove(key)));
        self.coming.retain(|(_, news)| !news.is_empty());
        self.n_changes() < n_before
    }

    /// How many groups of changes arrive one after another.
    pub(crate) fn n_arrivals(&self) -> usize {
        self.coming.len()
    }

    /// How many changes are on the way.
    pub(crate) fn n_changes(&self) -> usize {
        self.coming.iter().map(|(_, news)| news.len()).sum()
    }

    /// The changes on the way.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (&String, &Option<Datum>)> {
        self.coming.iter().flat_map(|(_, news)| news)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(key: &str, value: &str) -> News {
        News::from([(key.to_owned(), Some(Datum::text(value)))])
    }

    fn ms(ms: u64) -> Moment {
        Moment::default().plus_ms(ms)
    }

    #[test]
    fn changes_arrive_in_order_after_the_latency() {
        let mut delay = Delay::default();
        assert!(delay.is_none());
        delay.set_latency(500);
        delay.send(ms(0), news("a", "1"));
        delay.send(ms(100), news("a", "2"));
        // A shorter latency does not let a change overtake others.
        delay.set_latency(0);
        assert!(!delay.is_none());
        delay.send(ms(200), news("a", "3"));
        assert_eq!((delay.next_at(), delay.arrived(ms(499))), (Some(ms(500)), None));
        assert_eq!(delay.arrived(ms(500)), Some(news("a", "1")));
        assert_eq!(delay.arrived(ms(599)), None);
        assert_eq!(delay.arrived(ms(600)), Some(news("a", "2")));
        assert_eq!(delay.arrived(ms(600)), Some(news("a", "3")));
        assert!(delay.is_none() && delay.next_at().is_none());
        delay.set_latency(u64::MAX);
        assert_eq!(delay.latency_ms(), LONGEST_MS);
    }

    #[test]
    fn after_a_compaction_only_the_last_values_arrive() {
        let mut delay = Delay::default();
        delay.set_latency(500);
        for (at, key, value) in [(0, "a", "1"), (100, "b", "1"), (200, "a", "2")] {
            delay.send(ms(at), news(key, value));
        }
        assert_eq!((delay.n_arrivals(), delay.n_changes()), (3, 3));
        delay.compact();
        assert_eq!((delay.n_arrivals(), delay.n_changes(), delay.next_at()), (1, 2, Some(ms(700))));
        let mut both = news("a", "2");
        both.extend(news("b", "1"));
        assert_eq!(delay.arrived(ms(700)), Some(both));
        delay.compact();
        assert_eq!(delay.n_arrivals(), 0);
    }

    #[test]
    fn a_write_of_this_host_is_newer_than_what_is_on_the_way() {
        let mut delay = Delay::default();
        delay.set_latency(500);
        delay.send(ms(0), news("a", "1"));
        delay.send(ms(100), news("b", "1"));
        assert!(delay.supersede("a") && !delay.supersede("a") && !delay.supersede("c"));
        assert_eq!(delay.take(), news("b", "1"));
        assert!(delay.take().is_empty());
    }

    #[test]
    fn too_many_changes_arrive_together() {
        let mut delay = Delay::default();
        delay.set_latency(500);
        for number in 0..2 * MOST_COMING {
            delay.send(ms(number as u64), news(&format!("key {number}"), "1"));
        }
        assert_eq!((delay.n_arrivals(), delay.n_changes()), (MOST_COMING, 2 * MOST_COMING));
    }
}
