//! [`Pace`]: how often events cause looks at one resource, and how long it rests between two looks.
//!
//! Each look caused by an event takes its cost from an allowance that is refilled at a steady rate. A resource within
//! it is always checked immediately. One that exceeds it is *restless*: it rests after each further look, twice as long
//! as before, up to a limit, until nothing happened for a while.

use crate::protocol::Moment;
use crate::sched::state::TimerKey;

/// The cost of a look: two repairs or ten looks a second can continue forever. Milliseconds.
const REPAIR: u64 = 500;
const LOOK: u64 = 100;
/// The allowance: the most that may be taken at once. Milliseconds.
const ALLOWANCE: u64 = 10_000;
/// The first rest, and the longest one after a repair and after a look without findings. Milliseconds.
const FIRST_REST: u64 = 50;
pub(crate) const LONGEST_REST: u64 = 3_200;
const LONGEST_REST_IN_STATE: u64 = 200;
/// It is quiet after this time without an event. Units: milliseconds.
pub(crate) const QUIET: u64 = 10_000;
/// The maximum number of files that are remembered.
const MOST_SEEN: usize = 8;

/// The result of a look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    InState,
    /// It had drifted; it was repaired, or could not be.
    Wrong,
}

/// One state of one file: device, inode and modification time.
pub(crate) type SeenFile = (u64, u64, i64);

#[derive(Clone, Default)]
pub(crate) struct Pace {
    /// When the allowance is full again.
    owed_until: Moment,
    /// The start of the counting period, and the end of the last look.
    since: Moment,
    last: Moment,
    n_looks: u64,
    n_wrong: u64,
    rest: Option<Rest>,
    /// It was reported together with another resource.
    is_told: bool,
    /// The program reads what it writes, so its own changes lead to the next ones.
    is_fed_back: bool,
    /// The number of looks with drift that were its own consequences command.
    n_echoes: u64,
    /// Its last step.
    step: String,
    /// Fires when it may be quiet.
    quiet: Option<TimerKey>,
    /// The files it saw last.
    seen: Vec<SeenFile>,
}

#[derive(Clone)]
struct Rest {
    ms: u64,
    until: Moment,
}

impl Pace {
    /// An event caused a look. `true`: it became restless.
    pub(crate) fn looked(&mut self, now: Moment, found: Found) -> bool {
        if self.rest.is_none() && self.owed_until <= now {
            let (step, is_fed_back) = (std::mem::take(&mut self.step), self.is_fed_back);
            *self = Pace { since: now, step, is_fed_back, ..Pace::default() };
        }
        let (cost, longest) = match found {
            Found::InState => (LOOK, LONGEST_REST_IN_STATE),
            Found::Wrong => (REPAIR, LONGEST_REST),
        };
        self.owed_until = self.owed_until.max(now).plus_ms(cost);
        self.last = now;
        self.n_looks += 1;
        self.n_wrong += u64::from(found == Found::Wrong);
        let begins = self.rest.is_none() && self.owed_until > now.plus_ms(ALLOWANCE);
        let ms = match &self.rest {
            Some(rest) => (rest.ms * 2).min(longest),
            None if begins => FIRST_REST,
            None => return false,
        };
        self.rest = Some(Rest { ms, until: now.plus_ms(ms) });
        begins
    }

    /// No look before this moment.
    pub(crate) fn rests_until(&self) -> Option<Moment> {
        self.rest.as_ref().map(|rest| rest.until)
    }

    /// When it will be quiet if nothing else happens.
    pub(crate) fn quiet_at(&self) -> Moment {
        self.last.plus_ms(QUIET)
    }

    /// Whether it had drifted several times recently.
    pub(crate) fn is_fought_over(&self, now: Moment) -> bool {
        self.n_wrong >= 3 && self.quiet_at() > now
    }

    /// The number of looks that found drift.
    pub(crate) fn n_wrong(&self) -> u64 {
        self.n_wrong
    }

    pub(crate) fn n_looks(&self) -> u64 {
        self.n_looks
    }

    /// The start of the counting period.
    pub(crate) fn since(&self) -> Moment {
        self.since
    }

    /// Its last step; empty: none yet.
    pub(crate) fn step(&self) -> &str {
        &self.step
    }

    pub(crate) fn set_step(&mut self, step: String) {
        self.step = step;
    }

    /// It was reported together with another resource.
    pub(crate) fn is_told(&self) -> bool {
        self.is_told
    }

    pub(crate) fn set_told(&mut self) {
        self.is_told = true;
    }

    /// The program reads what it writes, so its own changes lead to the next ones.
    pub(crate) fn is_fed_back(&self) -> bool {
        self.is_fed_back
    }

    pub(crate) fn set_fed_back(&mut self) {
        self.is_fed_back = true;
    }

    /// Its look was its own consequence command.
    pub(crate) fn add_echo(&mut self) {
        self.n_echoes += 1;
    }

    /// Whether nearly all of its checks were triggered by its own command.
    pub(crate) fn is_echo(&self) -> bool {
        self.n_echoes > 0 && self.n_echoes * 4 >= self.n_wrong * 3
    }

    /// Whether it rests between looks.
    pub(crate) fn is_restless(&self) -> bool {
        self.rest.is_some()
    }

    pub(crate) fn take_quiet_timer(&mut self) -> Option<TimerKey> {
        self.quiet.take()
    }

    /// The timer that fires when it may be quiet.
    pub(crate) fn quiet_timer(&self) -> Option<TimerKey> {
        self.quiet
    }

    pub(crate) fn set_quiet_timer(&mut self, key: TimerKey) {
        self.quiet = Some(key);
    }

    pub(crate) fn saw(&mut self, files: impl Iterator<Item = SeenFile>) {
        for file in files {
            if !self.seen.contains(&file) {
                if self.seen.len() == MOST_SEEN {
                    self.seen.remove(0);
                }
                self.seen.push(file);
            }
        }
    }

    /// Whether both saw the same state of the same file.
    pub(crate) fn saw_a_file_of(&self, other: &Pace) -> bool {
        self.seen.iter().any(|file| other.seen.contains(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Moment {
        Moment::default().plus_ms(ms)
    }

    /// The moments of this many looks, each as early as possible.
    fn looks(pace: &mut Pace, found: Found, n_looks: usize) -> Vec<u64> {
        let mut now = 0;
        let mut moments = Vec::new();
        for _ in 0..n_looks {
            now = pace.rests_until().map_or(now, |until| now.max(until.0 / 1_000_000));
            moments.push(now);
            pace.looked(at(now), found);
            now += 1;
        }
        moments
    }

    #[test]
    fn a_few_repairs_never_wait_and_many_wait_longer_and_longer() {
        let mut pace = Pace::default();
        let moments = looks(&mut pace, Found::Wrong, 40);
        assert!(moments[..20].iter().zip(0..).all(|(moment, index)| *moment == index), "{moments:?}");
        let rests: Vec<u64> = moments.windows(2).map(|pair| pair[1] - pair[0]).skip(20).collect();
        assert_eq!(rests[..7], [50, 100, 200, 400, 800, 1600, 3200]);
        assert!(rests[7..].iter().all(|rest| *rest == LONGEST_REST));
    }

    #[test]
    fn looks_at_what_is_right_rest_less() {
        let mut pace = Pace::default();
        let moments = looks(&mut pace, Found::InState, 120);
        assert_eq!(moments[99], 99);
        assert_eq!(moments[119] - moments[118], LONGEST_REST_IN_STATE);
    }

    #[test]
    fn two_repairs_a_second_go_on_for_ever() {
        let mut pace = Pace::default();
        for index in 0..10_000 {
            assert!(!pace.looked(at(index * REPAIR), Found::Wrong));
        }
        assert_eq!(pace.rests_until(), None);
    }

    #[test]
    fn files_are_one_when_both_saw_the_same_state() {
        let (mut one, mut other) = (Pace::default(), Pace::default());
        one.saw([(1, 2, 3), (1, 3, 4)].into_iter());
        other.saw([(1, 2, 4)].into_iter());
        assert!(!one.saw_a_file_of(&other));
        other.saw((10..20).map(|time| (1, 9, time)));
        other.saw([(1, 3, 4)].into_iter());
        assert!(one.saw_a_file_of(&other));
    }
}
