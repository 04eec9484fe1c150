//! [`Watches`]: the watch of each resource, and its events. Engine spec, 7.1 and 27.5.

use super::{Slot, Table, TimerKey};
use crate::protocol::Ticket;

/// The state of a watch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Watching {
    #[default]
    Off,
    /// The first event was synthetic and no other will come.
    Once,
    On(Ticket),
    Polling(TimerKey),
    /// It failed and will be set up again.
    Delayed(TimerKey),
}

#[derive(Clone, Default)]
struct Watched {
    watching: Watching,
    /// The watch is in place.
    started: bool,
    /// It is being set up.
    starting: bool,
    /// It fires by the clock.
    is_periodic: bool,
    /// Remaining attempts; negative: unlimited.
    n_left: i16,
    /// Events received and not consumed yet.
    n_events: u32,
    /// One of them triggers another look if the resource was given up.
    has_news: bool,
    /// They come from the current watch.
    is_current: bool,
    /// The next look was caused by an event of the watch.
    by_event: bool,
}

/// Events since the last call.
pub(crate) struct Events {
    pub(crate) n: u32,
    /// One of them triggers another look if the resource was given up.
    pub(crate) has_news: bool,
}

#[derive(Clone, Default)]
pub(crate) struct Watches {
    of: Table<Watched>,
    /// The number of watches being set up for the first time.
    n_starting: usize,
}

impl Watches {
    pub(crate) fn join(&mut self, slot: Slot, n_attempts: i16) {
        self.of.put(slot, Watched { n_left: n_attempts, ..Watched::default() });
    }

    pub(crate) fn watching(&self, slot: Slot) -> Watching {
        self.of[slot].watching
    }

    /// Returns the previous state, which the caller must end.
    pub(crate) fn set(&mut self, slot: Slot, watching: Watching) -> Watching {
        std::mem::replace(&mut self.of[slot].watching, watching)
    }

    /// A watch was requested from the body.
    pub(crate) fn set_on(&mut self, slot: Slot, ticket: Ticket, is_periodic: bool) {
        let watched = &mut self.of[slot];
        (watched.watching, watched.is_periodic) = (Watching::On(ticket), is_periodic);
    }

    pub(crate) fn set_starting(&mut self, slot: Slot, starting: bool) {
        let before = std::mem::replace(&mut self.of[slot].starting, starting);
        self.n_starting = self.n_starting + usize::from(starting) - usize::from(before);
    }

    /// The number of watches being set up for the first time.
    pub(crate) fn n_starting(&self) -> usize {
        self.n_starting
    }

    /// Whether it is in place, and has fired at least once.
    pub(crate) fn is_started(&self, slot: Slot) -> bool {
        self.of[slot].started
    }

    pub(crate) fn is_periodic(&self, slot: Slot) -> bool {
        self.of[slot].is_periodic
    }

    /// Restarts it.
    pub(crate) fn restart(&mut self, slot: Slot) {
        self.of[slot].started = false;
    }

    pub(crate) fn event(&mut self, slot: Slot, is_news: bool) {
        let watched = &mut self.of[slot];
        watched.has_news |= is_news;
        watched.n_events = watched.n_events.saturating_add(1);
        watched.is_current = true;
    }

    /// The next look is caused by the watch.
    pub(crate) fn saw(&mut self, slot: Slot) {
        self.of[slot].by_event = true;
    }

    /// Whether the look that begins was caused by the watch.
    pub(crate) fn take_by_event(&mut self, slot: Slot) -> bool {
        std::mem::take(&mut self.of[slot].by_event)
    }

    /// The unconsumed events. Those of the current watch start the vertex.
    pub(crate) fn take_events(&mut self, slot: Slot) -> Option<Events> {
        let watched = &mut self.of[slot];
        if watched.n_events == 0 {
            return None;
        }
        watched.started |= watched.is_current;
        let has_news = std::mem::take(&mut watched.has_news) && watched.is_current;
        Some(Events { n: std::mem::take(&mut watched.n_events), has_news })
    }

    /// It ended with an error. Its events still make the vertex dirty, but only a watch in place lets it start.
    pub(crate) fn end(&mut self, slot: Slot) {
        let watched = &mut self.of[slot];
        (watched.watching, watched.is_current) = (Watching::Off, false);
        self.set_starting(slot, false);
    }

    /// Uses one attempt; returns how many are left. `None`: there was none.
    pub(crate) fn try_again(&mut self, slot: Slot) -> Option<i16> {
        let watched = &mut self.of[slot];
        if watched.n_left == 0 {
            return None;
        }
        watched.n_left -= i16::from(watched.n_left > 0);
        watched.started = false;
        Some(watched.n_left)
    }

    #[cfg(test)]
    pub(crate) fn n_events(&self, slot: Slot) -> u32 {
        self.of[slot].n_events
    }
}
