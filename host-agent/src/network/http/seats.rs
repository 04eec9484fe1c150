//! [`Seats`]: the connections, and which is closed when there is no room.
//!
//! A connection that waits for its client (for a head, a body, the next request, or room to write an answer) may be
//! closed, the longest waiting first. A connection that is being served keeps its seat.

use crate::lock::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

pub(super) struct Seats {
    most: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    n_so_far: u64,
    seats: BTreeMap<u64, Weak<Seat>>,
}

/// The seat of a connection. It is free again when the connection drops it.
pub(super) struct Seat {
    number: u64,
    seats: Arc<Seats>,
    state: Mutex<Activity>,
    leave: Notify,
}

struct Activity {
    doing: Doing,
    since: Instant,
    /// The deadline of the answer.
    until: Option<Instant>,
}

/// The activity of a connection; those closed first come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Doing {
    /// It waits for the client to send.
    Receiving,
    /// It waits for the client to receive.
    Stalled,
    Answering,
}

impl Seats {
    pub(super) fn new(most: usize) -> Seats {
        Seats { most, taken: Mutex::default() }
    }

    /// A seat for a new connection; closes a waiting one if necessary.
    pub(super) fn take(seats: &Arc<Seats>) -> Option<Arc<Seat>> {
        if seats.taken.lock().seats.len() >= seats.most && !seats.make_room() {
            return None;
        }
        let state = Activity { doing: Doing::Receiving, since: Instant::now(), until: None };
        let mut taken = seats.taken.lock();
        taken.n_so_far += 1;
        let number = taken.n_so_far;
        let seat = Seat { number, seats: seats.clone(), state: Mutex::new(state), leave: Notify::new() };
        let seat = Arc::new(seat);
        taken.seats.insert(number, Arc::downgrade(&seat));
        Some(seat)
    }

    /// Asks the longest waiting connection to close. `false`: none is waiting.
    pub(super) fn make_room(&self) -> bool {
        // No seat may be dropped while the list is locked.
        let all: Vec<Arc<Seat>> = self.taken.lock().seats.values().filter_map(Weak::upgrade).collect();
        let claim = |seat: &&Arc<Seat>| {
            let state = seat.state.lock();
            (state.doing, state.since)
        };
        let Some(weakest) = all.iter().min_by_key(claim).filter(|seat| claim(seat).0 != Doing::Answering) else {
            return false;
        };
        self.taken.lock().seats.remove(&weakest.number);
        weakest.leave.notify_one();
        true
    }
}

impl Seat {
    pub(super) async fn is_asked_to_leave(&self) {
        self.leave.notified().await;
    }

    /// A request is complete; its answer starts.
    pub(super) fn answers(&self, limit: Option<Duration>) {
        self.set(Doing::Answering, limit.map(|limit| Instant::now() + limit));
    }

    /// The answer is finished: the client is next.
    pub(super) fn receives(&self) {
        self.set(Doing::Receiving, None);
    }

    /// The client does not receive. Returns the deadline of the answer.
    pub(super) fn stalls(&self) -> Option<Instant> {
        let mut state = self.state.lock();
        if state.doing == Doing::Answering {
            (state.doing, state.since) = (Doing::Stalled, Instant::now());
        }
        state.until
    }

    /// The client has received something. Returns whether there is time left.
    pub(super) fn goes_on(&self) -> bool {
        let mut state = self.state.lock();
        if state.doing == Doing::Stalled {
            (state.doing, state.since) = (Doing::Answering, Instant::now());
        }
        state.until.is_none_or(|until| Instant::now() < until)
    }

    fn set(&self, doing: Doing, until: Option<Instant>) {
        *self.state.lock() = Activity { doing, since: Instant::now(), until };
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.taken.lock().seats.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_keeps_us_waiting_longest_leaves_first_and_who_is_served_stays() {
        let seats = Arc::new(Seats::new(3));
        let asked = |seat: &Seat| futures_now(seat.is_asked_to_leave());
        let [first, second, third] = [(); 3].map(|()| Seats::take(&seats).unwrap());
        first.answers(None);
        let fourth = Seats::take(&seats).unwrap();
        assert!(asked(&second) && !asked(&first) && !asked(&third));
        // It sent a request, but now it does not receive its answer: it is closed after silent ones.
        third.answers(None);
        third.stalls();
        drop(Seats::take(&seats).unwrap());
        assert!(asked(&fourth) && !asked(&third));
        let fifth = Seats::take(&seats).unwrap();
        fifth.answers(None);
        let sixth = Seats::take(&seats).unwrap();
        assert!(asked(&third));
        sixth.answers(None);
        assert!(Seats::take(&seats).is_none());
        drop(sixth);
        assert!(Seats::take(&seats).is_some());
    }

    /// Whether a future is ready at once.
    fn futures_now(future: impl Future<Output = ()>) -> bool {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        std::pin::pin!(future).poll(&mut context).is_ready()
    }
}
