//! [`Screen`]: when a table is redrawn, so that neither the terminal nor the run waits for the other.

use super::table::Table;
use crate::output::live::{self, Live};
use std::time::{Duration, Instant};

/// The shortest time between two frames.
const BEAT: Duration = Duration::from_millis(80);
/// While something runs its time is updated once a second.
const SECOND: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct Screen {
    live: Live,
    drawn_at: Option<Instant>,
    /// The terminal is blocked: the next attempt is not earlier.
    not_before: Option<Instant>,
}

impl Screen {
    /// When to draw next. `None` if nothing runs and nothing has changed.
    pub(super) fn due(&self, table: &Table) -> Option<Instant> {
        let pause = match (table.is_stale, table.is_moving()) {
            (true, _) => BEAT,
            (false, true) => SECOND,
            (false, false) => return None,
        };
        self.drawn_at.map(|at| at + pause).max(self.not_before)
    }

    /// The last frame is still in the queue.
    pub(super) fn wait(&mut self, now: Instant) {
        self.not_before = Some(now + SECOND);
    }

    pub(super) fn draw(&mut self, table: &mut Table, now: Instant) {
        if self.drawn_at.is_some() && self.due(table).is_none_or(|due| due > now) {
            return;
        }
        let lines = table.lines(now, live::size());
        self.live.draw(&table.take_said(), &lines);
        table.is_stale = false;
        self.drawn_at = Some(now);
    }

    /// The last frame stays; the cursor is below it.
    pub(super) fn finish(&mut self, table: &mut Table) {
        let lines = table.lines(Instant::now(), live::size());
        self.live.finish(&table.take_said(), &lines);
    }
}
