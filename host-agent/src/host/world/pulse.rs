//! [`Pulse`]: whether a watch still reports changes. Silence alone means nothing, but the responses to renewals, which
//! arrive over another connection, contain the store's revision: a watch that stays behind it is opened again, from the
//! mirror's revision. If it then reports old changes, the previous one had stalled; if it does not even respond, the
//! connection is lost. An idle store gets no requests.

use std::time::Duration;
use tokio::time::Instant;

/// How long a change may take to arrive.
const DELAY: Duration = Duration::from_secs(2);
/// The limit until a new watch answers.
pub(super) const ANSWER: Duration = Duration::from_secs(5);
/// The time between two questions: in a store with other users, the revision also rises without a change for hosts.
const PAUSE: Duration = Duration::from_secs(30);

pub(super) struct Pulse {
    opened: Instant,
    /// The store's revision when the watch answered. What changed until then is on its way. `None`: it has not answered.
    answered: Option<i64>,
    /// Since when the store has been ahead without a message, and its revision then.
    ahead: Option<(Instant, i64)>,
    /// When the watch was last opened again.
    asked: Option<Instant>,
    /// Up to this revision, the watch before should have told everything; 0: there was none, or that is known.
    due: i64,
}

/// What to do with a watch.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    /// Listen, and look again at this moment; `None`: when something happens.
    Listen(Option<Instant>),
    /// Open it again.
    Open,
    /// Connect again: there is no answer.
    Connect,
}

impl Pulse {
    /// A watch was opened.
    pub(super) fn new(now: Instant) -> Pulse {
        Pulse { opened: now, answered: None, ahead: None, asked: None, due: 0 }
    }

    /// What to do if the store is known to be at one revision, and the mirror is at another one.
    pub(super) fn next(&mut self, now: Instant, store: i64, mirror: i64) -> Next {
        let Some(answered) = self.answered else {
            let end = self.opened + ANSWER;
            return if now < end { Next::Listen(Some(end)) } else { Next::Connect };
        };
        if store <= mirror.max(answered) {
            self.ahead = None;
            return Next::Listen(None);
        }
        let (since, _) = *self.ahead.get_or_insert((now, store));
        let late = since + DELAY;
        let moment = self.asked.map_or(late, |asked| late.max(asked + PAUSE));
        if now < moment { Next::Listen(Some(moment)) } else { Next::Open }
    }

    /// It is opened again.
    pub(super) fn opens(&mut self, now: Instant) {
        self.due = self.ahead.take().map_or(0, |(_, revision)| revision);
        (self.opened, self.answered, self.asked) = (now, None, Some(now));
    }

    /// The watch has answered, with the store's revision.
    pub(super) fn answers(&mut self, revision: i64) {
        self.answered = Some(revision);
    }

    pub(super) fn has_answered(&self) -> bool {
        self.answered.is_some()
    }

    /// Another watch was opened because this one, or the one before, is late.
    pub(super) fn was_late(&self) -> bool {
        self.asked.is_some()
    }

    /// The watch tells something; `change`: its first revision, if there is one. `true`: the watch before had stalled.
    pub(super) fn hears(&mut self, change: Option<i64>) -> bool {
        self.ahead = None;
        let due = std::mem::take(&mut self.due);
        change.is_some_and(|revision| revision <= due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A watch that has answered at revision 10, and the moments since then. Units: seconds.
    fn pulse() -> (Pulse, impl Fn(u64) -> Instant) {
        let began = Instant::now();
        let mut pulse = Pulse::new(began);
        pulse.answers(10);
        (pulse, move |seconds| began + Duration::from_secs(seconds))
    }

    #[test]
    fn of_an_idle_store_nothing_is_asked() {
        let (mut pulse, at) = pulse();
        assert_eq!(pulse.next(at(0), 0, 10), Next::Listen(None));
        assert_eq!(pulse.next(at(100_000), 10, 10), Next::Listen(None));
        assert_eq!(pulse.next(at(200_000), 17, 17), Next::Listen(None));
    }

    #[test]
    fn a_watch_that_does_not_answer_is_lost() {
        let began = Instant::now();
        let mut pulse = Pulse::new(began);
        assert_eq!(pulse.next(began, 0, 10), Next::Listen(Some(began + ANSWER)));
        assert!(!pulse.has_answered());
        assert_eq!(pulse.next(began + ANSWER, 0, 10), Next::Connect);
        // A change that is on its way is not asked for.
        pulse.answers(12);
        assert_eq!(pulse.next(began + ANSWER, 12, 10), Next::Listen(None));
    }

    #[test]
    fn a_watch_that_stays_behind_is_opened_again_and_shows_whether_it_had_stalled() {
        let (mut pulse, at) = pulse();
        assert_eq!(pulse.next(at(50), 12, 10), Next::Listen(Some(at(52))));
        // The store continues; the change at revision 12 is late.
        assert_eq!(pulse.next(at(51), 14, 10), Next::Listen(Some(at(52))));
        assert_eq!(pulse.next(at(52), 14, 10), Next::Open);
        pulse.opens(at(52));
        assert!(pulse.was_late() && !pulse.has_answered());
        assert_eq!(pulse.next(at(53), 14, 10), Next::Listen(Some(at(57))));
        pulse.answers(14);
        assert_eq!(pulse.next(at(53), 14, 10), Next::Listen(None));
        assert!(pulse.hears(Some(11)), "the other watch should have told it");
        assert!(!pulse.hears(Some(12)), "that is known");
    }

    #[test]
    fn a_store_with_other_users_is_asked_rarely() {
        let (mut pulse, at) = pulse();
        assert_eq!(pulse.next(at(50), 12, 10), Next::Listen(Some(at(52))));
        assert_eq!(pulse.next(at(52), 12, 10), Next::Open);
        pulse.opens(at(52));
        pulse.answers(13);
        // Those were changes of others: nothing is told, and the next question waits.
        assert_eq!(pulse.next(at(60), 20, 10), Next::Listen(Some(at(82))));
        assert!(!pulse.hears(Some(21)), "a change since then");
        // A message shows that it is not late.
        assert_eq!(pulse.next(at(81), 22, 21), Next::Listen(Some(at(83))));
        assert_eq!(pulse.next(at(82), 22, 21), Next::Listen(Some(at(83))));
        assert_eq!(pulse.next(at(83), 22, 22), Next::Listen(None));
    }
}
