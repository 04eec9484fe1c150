//! [`Slots`]: the connections, and which is closed when there is no room.
//!
//! A connection that waits for its client may be closed: first one that waits for a request, then one that waits for
//! the rest of a body or for room to write an answer, in each case the one that has been idle for the longest time. A
//! connection that is being served keeps its slot.

use crate::fair::{FairPermit, FairSemaphore};
use crate::lock::Mutex;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// The large bodies that are received at once, and those of one party.
const LARGE_BODIES: usize = 8;
const OF_ONE_PARTY: usize = 2;

pub(super) struct Slots {
    most: usize,
    /// The turns of large bodies.
    turns: Arc<FairSemaphore<IpAddr>>,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    n_so_far: u64,
    slots: BTreeMap<u64, Weak<Slot>>,
}

/// The slot of a connection. It is free again when the connection drops it.
pub(super) struct Slot {
    number: u64,
    slots: Arc<Slots>,
    state: Mutex<Activity>,
    leave: Notify,
    /// A part of the last request was not read.
    has_rest: AtomicBool,
}

struct Activity {
    doing: Doing,
    since: Instant,
    /// The deadline of the answer.
    until: Option<Instant>,
}

/// The activity of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    /// It waits for the head of a request.
    Idle,
    /// It waits for the client to send a body.
    Receiving,
    /// It waits for the client to receive.
    Stalled,
    Answering,
}

/// The claim to a slot; the weakest comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Claim {
    None,
    Begun,
    Served,
}

impl Doing {
    fn claim(self) -> Claim {
        match self {
            Doing::Idle => Claim::None,
            Doing::Receiving | Doing::Stalled => Claim::Begun,
            Doing::Answering => Claim::Served,
        }
    }
}

impl Slots {
    pub(super) fn new(most: usize) -> Slots {
        Slots { most, turns: FairSemaphore::new(LARGE_BODIES, OF_ONE_PARTY), taken: Mutex::default() }
    }

    /// A slot for a new connection; closes a waiting one if necessary.
    pub(super) fn take(slots: &Arc<Slots>) -> Option<Arc<Slot>> {
        if slots.taken.lock().slots.len() >= slots.most && !slots.make_room() {
            return None;
        }
        let state = Activity { doing: Doing::Idle, since: Instant::now(), until: None };
        let mut taken = slots.taken.lock();
        taken.n_so_far += 1;
        let number = taken.n_so_far;
        let (slots, state) = (slots.clone(), Mutex::new(state));
        let slot = Arc::new(Slot { number, slots, state, leave: Notify::new(), has_rest: AtomicBool::new(false) });
        taken.slots.insert(number, Arc::downgrade(&slot));
        Some(slot)
    }

    /// Asks the longest waiting connection to close. `false`: none is waiting.
    pub(super) fn make_room(&self) -> bool {
        // No slot may be dropped while the list is locked.
        let all: Vec<Arc<Slot>> = self.taken.lock().slots.values().filter_map(Weak::upgrade).collect();
        let claim = |slot: &&Arc<Slot>| {
            let state = slot.state.lock();
            (state.doing.claim(), state.since)
        };
        let Some(weakest) = all.iter().min_by_key(claim).filter(|slot| claim(slot).0 != Claim::Served) else {
            return false;
        };
        self.taken.lock().slots.remove(&weakest.number);
        weakest.leave.notify_one();
        true
    }
}

impl Slot {
    pub(super) async fn is_asked_to_leave(&self) {
        self.leave.notified().await;
    }

    /// The head of a request, or a part of its body, has arrived.
    pub(super) fn progresses(&self) {
        self.set(Doing::Receiving, None);
    }

    /// Waits for a turn to send a large body. Never `None`: the number of waiting requests of a party is not limited.
    pub(super) async fn turn(&self, party: IpAddr) -> Option<FairPermit<IpAddr>> {
        self.slots.turns.acquire(network_of(party), usize::MAX).await
    }

    /// Whether someone waits for the turns of this party.
    pub(super) fn is_awaited(&self, party: IpAddr) -> bool {
        self.slots.turns.is_awaited(network_of(party))
    }

    /// The connection is closed without having read all of a request.
    pub(super) fn leaves_a_rest(&self) {
        self.has_rest.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_a_rest(&self) -> bool {
        self.has_rest.load(Ordering::Relaxed)
    }

    /// A request is complete; its answer starts.
    pub(super) fn answers(&self, limit: Option<Duration>) {
        self.set(Doing::Answering, limit.map(|limit| Instant::now() + limit));
    }

    /// The answer is finished: the client is next.
    pub(super) fn is_idle(&self) {
        self.set(Doing::Idle, None);
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

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.taken.lock().slots.remove(&self.number);
    }
}

/// An address without the part that a person may choose: of IPv6 only the network.
pub(crate) fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_keeps_us_waiting_longest_leaves_first_and_who_is_served_stays() {
        let slots = Arc::new(Slots::new(3));
        let asked = |slot: &Slot| futures_now(slot.is_asked_to_leave());
        let [first, second, third] = [(); 3].map(|()| Slots::take(&slots).unwrap());
        first.answers(None);
        let fourth = Slots::take(&slots).unwrap();
        assert!(asked(&second) && !asked(&first) && !asked(&third));
        // It sent a request, but now it does not receive its answer: it is closed after silent ones.
        third.answers(None);
        third.stalls();
        drop(Slots::take(&slots).unwrap());
        assert!(asked(&fourth) && !asked(&third));
        let fifth = Slots::take(&slots).unwrap();
        fifth.answers(None);
        let sixth = Slots::take(&slots).unwrap();
        assert!(asked(&third));
        sixth.answers(None);
        assert!(Slots::take(&slots).is_none());
        drop(sixth);
        assert!(Slots::take(&slots).is_some());
    }

    #[test]
    fn who_sends_a_body_stays_while_others_send_nothing() {
        let slots = Arc::new(Slots::new(3));
        let asked = |slot: &Slot| futures_now(slot.is_asked_to_leave());
        let [sends, silent, slow] = [(); 3].map(|()| Slots::take(&slots).unwrap());
        sends.progresses();
        slow.progresses();
        let other = Slots::take(&slots).unwrap();
        assert!(asked(&silent) && !asked(&sends) && !asked(&slow));
        other.answers(None);
        // Both have begun: the one that made progress lately stays.
        sends.progresses();
        let last = Slots::take(&slots).unwrap();
        assert!(asked(&slow) && !asked(&sends) && !asked(&last));
    }

    /// Whether a future is ready at once.
    fn futures_now(future: impl Future<Output = ()>) -> bool {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        std::pin::pin!(future).poll(&mut context).is_ready()
    }
}
