//! [`Readers`]: reads facts on separate threads, so that a hanging read does not block the driver.
//!
//! A fact is read by one thread at a time, and again if it has changed since: an older value never follows a newer one.
//! A read that takes too long is reported as an error; if the value still arrives, it is reported then. Hanging threads
//! are replaced, up to a limit.

use super::subscribe::{fact_of, tell_fact};
use super::{Shared, sound_of_mind, subject};
use crate::lock::{Condvar, Mutex};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::{HostError, HostErrorKind};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

/// The time limit for reading a fact.
pub(super) const LIMIT: Duration = Duration::from_secs(10);
/// The number of active readers, without hanging ones.
const AT_ONCE: usize = 8;
/// The maximum number of threads, including hanging ones.
const MOST: usize = 128;
const STACK: usize = 512 << 10;

#[derive(Default)]
pub(super) struct Readers {
    queue: Mutex<Queue>,
    /// A fact waits to be read.
    ready: Condvar,
    /// The first fact waits or is read.
    begun: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Ticket>,
    /// Facts that wait or are being read.
    open: BTreeMap<Ticket, Open>,
    n_threads: usize,
    n_idle: usize,
    n_late: usize,
    is_watched: bool,
}

struct Open {
    since: Instant,
    is_read: bool,
    /// It changed while it was read.
    again: bool,
    /// It exceeded the limit, which was reported.
    is_late: bool,
}

impl Readers {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock()
    }
}

/// Schedules a fact to be read. Never blocks.
pub(super) fn read_soon(shared: &Shared, ticket: Ticket) {
    let readers = &shared.readers;
    let mut queue = readers.lock();
    if let Some(open) = queue.open.get_mut(&ticket) {
        open.again |= open.is_read;
        return;
    }
    queue.open.insert(ticket, Open { since: Instant::now(), is_read: false, again: false, is_late: false });
    queue.waiting.push_back(ticket);
    let Some(shared) = shared.me.upgrade() else { return };
    if queue.waiting.len() <= queue.n_idle {
        readers.ready.notify_one();
    } else if queue.n_threads < MOST && queue.n_threads < AT_ONCE + queue.n_late {
        let shared = shared.clone();
        queue.n_threads += usize::from(thread("facts", move || work(&shared)));
    }
    if !queue.is_watched {
        queue.is_watched = thread("limits", move || watch(&shared));
    } else if queue.open.len() == 1 {
        readers.begun.notify_one();
    }
}

fn thread(name: &str, job: impl FnOnce() + Send + 'static) -> bool {
    std::thread::Builder::new().name(name.into()).stack_size(STACK).spawn(job).is_ok()
}

fn work(shared: &Arc<Shared>) {
    let readers = &shared.readers;
    let mut queue = readers.lock();
    loop {
        let Some(ticket) = queue.waiting.pop_front() else {
            if queue.n_threads > AT_ONCE {
                // It replaced a hanging thread.
                queue.n_threads -= 1;
                return;
            }
            queue.n_idle += 1;
            queue = readers.ready.wait(queue);
            queue.n_idle -= 1;
            continue;
        };
        let Some(open) = queue.open.get_mut(&ticket) else { continue };
        open.is_read = true;
        drop(queue);
        let value = sound_of_mind(|| fact_of(shared, ticket).map(|spec| subject::fact(shared, &spec)));
        let value = value.unwrap_or_else(|error| Some(Err(error)));
        queue = readers.lock();
        let Some(open) = queue.open.get_mut(&ticket) else { continue };
        let was_late = std::mem::take(&mut open.is_late);
        let again = value.is_some() && std::mem::take(&mut open.again);
        (open.is_read, open.since) = (false, Instant::now());
        // Reported while the queue is locked, so that the report of a timeout cannot come later.
        if let Some(value) = value
            && let Err(error) = sound_of_mind(|| tell_fact(shared, ticket, value))
        {
            crate::output::tell(&format!("mclive: warning: {}", error.message));
        }
        if again {
            queue.waiting.push_back(ticket);
        } else {
            queue.open.remove(&ticket);
        }
        queue.n_late -= usize::from(was_late);
    }
}

/// Reports reads that take too long. Sleeps while nothing is read.
fn watch(shared: &Arc<Shared>) {
    let readers = &shared.readers;
    let mut queue = readers.lock();
    loop {
        let next = queue.open.values().filter(|open| !open.is_late).map(|open| open.since + LIMIT).min();
        let Some(next) = next else {
            queue = readers.begun.wait(queue);
            continue;
        };
        let now = Instant::now();
        if now < next {
            queue = readers.begun.wait_timeout(queue, next - now);
            continue;
        }
        let late = queue.open.iter_mut().filter(|(_, open)| !open.is_late && open.since + LIMIT <= now);
        let late: Vec<Ticket> = late.map(|(ticket, open)| (open.is_late = true, *ticket).1).collect();
        for ticket in late {
            queue.n_late += 1;
            if let Some(spec) = fact_of(shared, ticket) {
                let why = format!("cannot read {spec}: timed out after {} seconds", LIMIT.as_secs());
                tell_fact(shared, ticket, Err(HostError::new(HostErrorKind::TimedOut, why)));
            }
        }
        // Facts that wait for hanging threads get additional threads.
        let wanted = queue.waiting.len().min((AT_ONCE + queue.n_late).min(MOST).saturating_sub(queue.n_threads));
        for _ in 0..wanted {
            let shared = shared.clone();
            queue.n_threads += usize::from(thread("facts", move || work(&shared)));
        }
    }
}
