//! [`Events`]: the driver's queue, filled by every thread of the host. It is bounded, and signals come first, then
//! secrets: a fact that reports one may take the place of an earlier value, which has waited for longer.
//!
//! The queue holds at most one change per watch, one value per fact and each secret once: the latest replaces the
//! earlier one, in its place. An answer is queued once, as its request was; a thread that delivers one while the queue
//! is full blocks until the driver has taken some. So a flood of lines blocks its own thread instead of filling the
//! memory, and `^C` is handled immediately.

use crate::lock::{Condvar, Mutex};
use mclive_base::protocol::{Input, Ticket};
use std::collections::{HashMap, VecDeque};
use std::sync::MutexGuard;
use std::time::Instant;

/// The size of the queue above which answers block. Units: bytes.
const ROOM: usize = 64 << 20;
/// The ladder of stops has three rungs; more signals mean nothing.
const MOST_SIGNALS: usize = 4;

pub(crate) enum Event {
    /// With its encoded size in bytes.
    Input(Input, usize),
    /// SIGINT, SIGTERM or SIGHUP, by number.
    Signal(i32),
}

#[derive(Default)]
pub(crate) struct Events {
    queue: Mutex<Queue>,
    arrived: Condvar,
    taken: Condvar,
}

#[derive(Default)]
struct Queue {
    signals: VecDeque<i32>,
    /// Each with its size, as below.
    secrets: VecDeque<(Input, usize)>,
    /// Each with its size.
    inputs: VecDeque<(Input, usize)>,
    n_bytes: usize,
    /// How many were taken so far: the number of the first in the queue.
    n_taken: u64,
    /// The numbers of the inputs that a later one may replace.
    replaceable: HashMap<Of, u64>,
    /// How many threads wait for an event, and how many for room: only those are woken, since each wake-up is a system
    /// call.
    n_idle: usize,
    n_held_up: usize,
}

/// The inputs that occupy one place in the queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Of {
    Change(Ticket),
    Fact(Ticket),
}

impl Of {
    fn input(input: &Input) -> Option<Of> {
        match input {
            Input::Fact(ticket, _) => Some(Of::Fact(*ticket)),
            Input::Fired(ticket, Some(_)) => Some(Of::Change(*ticket)),
            // The message that a watch is in place comes once, and must not be lost.
            Input::Fired(_, None)
            | Input::Deploy(_)
            | Input::Probed(..)
            | Input::Applied(..)
            | Input::WatchFailed(..)
            | Input::Tick
            | Input::Stop(_)
            | Input::Secret(_) => None,
        }
    }
}

impl Events {
    /// Never blocks.
    pub(crate) fn put(&self, input: Input) {
        let size = size(&input);
        let mut queue = self.lock();
        queue.put(input, size);
        self.arrived(queue);
    }

    /// Blocks while the queue is full. Not for the driver's own thread.
    pub(crate) fn put_answer(&self, input: Input) {
        let size = size(&input);
        let mut queue = self.lock();
        while queue.n_bytes > 0 && queue.n_bytes + size > ROOM {
            queue.n_held_up += 1;
            queue = self.taken.wait(queue);
            queue.n_held_up -= 1;
        }
        queue.put(input, size);
        self.arrived(queue);
    }

    pub(crate) fn put_signal(&self, signal: i32) {
        let mut queue = self.lock();
        if queue.signals.len() < MOST_SIGNALS {
            queue.signals.push_back(signal);
        }
        self.arrived(queue);
    }

    /// The next event; `None` at the timeout. Without a timeout it blocks until there is one.
    pub(crate) fn take(&self, until: Option<Instant>) -> Option<Event> {
        let mut queue = self.lock();
        loop {
            if let Some(event) = queue.take() {
                self.taken(queue);
                return Some(event);
            }
            let left = match until {
                None => None,
                Some(until) => Some(until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?),
            };
            queue.n_idle += 1;
            queue = match left {
                None => self.arrived.wait(queue),
                Some(left) => self.arrived.wait_timeout(queue, left),
            };
            queue.n_idle -= 1;
        }
    }

    /// The next event if one is queued.
    pub(crate) fn take_now(&self) -> Option<Event> {
        let mut queue = self.lock();
        let event = queue.take()?;
        self.taken(queue);
        Some(event)
    }

    fn arrived(&self, queue: MutexGuard<'_, Queue>) {
        let is_awaited = queue.n_idle > 0;
        drop(queue);
        if is_awaited {
            self.arrived.notify_one();
        }
    }

    fn taken(&self, queue: MutexGuard<'_, Queue>) {
        let is_awaited = queue.n_held_up > 0;
        drop(queue);
        if is_awaited {
            self.taken.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock()
    }
}

impl Queue {
    fn put(&mut self, input: Input, size: usize) {
        if matches!(input, Input::Secret(_)) {
            // A fact that is read again tells of the same one again.
            if !self.secrets.iter().any(|(waits, _)| *waits == input) {
                self.secrets.push_back((input, size));
                self.n_bytes += size;
            }
            return;
        }
        let of = Of::input(&input);
        if let Some(number) = of.and_then(|of| self.replaceable.get(&of)) {
            let place = usize::try_from(number - self.n_taken).expect("it waits, so it is near");
            let before = std::mem::replace(&mut self.inputs[place], (input, size)).1;
            self.n_bytes = self.n_bytes + size - before;
            return;
        }
        if let Some(of) = of {
            self.replaceable.insert(of, self.n_taken + self.inputs.len() as u64);
        }
        self.inputs.push_back((input, size));
        self.n_bytes += size;
    }

    fn take(&mut self) -> Option<Event> {
        if let Some(signal) = self.signals.pop_front() {
            return Some(Event::Signal(signal));
        }
        if let Some((input, size)) = self.secrets.pop_front() {
            self.n_bytes -= size;
            return Some(Event::Input(input, size));
        }
        let (input, size) = self.inputs.pop_front()?;
        self.n_taken += 1;
        self.n_bytes -= size;
        if let Some(of) = Of::input(&input) {
            self.replaceable.remove(&of);
        }
        Some(Event::Input(input, size))
    }
}

/// The encoded size of an input, in bytes.
fn size(input: &Input) -> usize {
    postcard::serialize_with_flavor(input, postcard::ser_flavors::Size::default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::vocab::password::Secret;
    use mclive_base::vocab::{Datum, Finding, file};
    use std::time::Duration;

    fn fired(ticket: u64, path: &str) -> Input {
        Input::Fired(Ticket(ticket), Some(path.into()))
    }

    fn fact(ticket: u64, text: &str) -> Input {
        Input::Fact(Ticket(ticket), Ok(Datum::text(text)))
    }

    fn drained(events: &Events) -> Vec<Input> {
        let inputs = std::iter::from_fn(|| events.take_now());
        inputs.map(|event| if let Event::Input(input, _) = event { input } else { panic!("a signal") }).collect()
    }

    #[test]
    fn of_a_flood_the_latest_waits_alone() {
        let events = Events::default();
        events.put(Input::Fired(Ticket(1), None));
        for n in 0..100_000 {
            events.put(fired(1, &n.to_string()));
            events.put(fact(1, &n.to_string()));
        }
        events.put(fired(2, "other"));
        let waits = [Input::Fired(Ticket(1), None), fired(1, "99999"), fact(1, "99999"), fired(2, "other")];
        assert_eq!(drained(&events), waits);
        // Inputs that were taken are not replaced.
        events.put(fired(1, "again"));
        assert_eq!(drained(&events), [fired(1, "again")]);
        assert_eq!(events.lock().n_bytes, 0);
        assert!(events.lock().replaceable.is_empty());
    }

    #[test]
    fn a_signal_comes_before_all_that_waits() {
        let events = Events::default();
        (0..1000).for_each(|n| events.put(fired(n, "x")));
        (0..1000).for_each(|_| events.put_signal(2));
        for _ in 0..MOST_SIGNALS {
            assert!(matches!(events.take(None), Some(Event::Signal(2))));
        }
        assert!(matches!(events.take(None), Some(Event::Input(..))));
    }

    #[test]
    fn a_secret_comes_before_the_value_that_tells_of_it() {
        let events = Events::default();
        let secret = || Input::Secret(Secret("hush-hush".into()));
        events.put(fact(1, "before"));
        events.put(fired(2, "other"));
        events.put(secret());
        // It takes the place of the value before.
        events.put(fact(1, "hush-hush"));
        (0..1_000).for_each(|_| events.put(secret()));
        assert_eq!(drained(&events), [secret(), fact(1, "hush-hush"), fired(2, "other")]);
        assert_eq!(events.lock().n_bytes, 0);
    }

    #[test]
    fn answers_wait_for_room_and_none_is_lost() {
        let events = Events::default();
        let big = || Input::Probed(Ticket(1), vec![Finding::File(file::Finding::Bytes(vec![0; ROOM / 2 + 1]))]);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| events.put_answer(big()));
            }
            for _ in 0..4 {
                assert!(events.take(Some(Instant::now() + Duration::from_secs(30))).is_some());
                assert!(events.lock().n_bytes <= ROOM);
            }
        });
        assert!(events.take(Some(Instant::now())).is_none());
    }
}
