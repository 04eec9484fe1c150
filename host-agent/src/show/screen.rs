//! [`Screen`]: draws a table in place. Earlier output on the terminal stays, and so does every line printed
//! meanwhile: the table occupies the lines below them, and is redrawn there.

use super::table::Table;
use crate::output;
use std::time::{Duration, Instant};

/// The shortest time between two frames.
const BEAT: Duration = Duration::from_millis(80);
/// While something runs its time is updated once a second.
const SECOND: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct Screen {
    /// The number of lines of the table on the terminal.
    n_drawn: usize,
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
        let (width, height) = size();
        // One line stays free, so that the terminal never scrolls.
        let lines = table.lines(now, (width, height.saturating_sub(1).max(1)));
        let said = table.take_said();
        output::draw(&self.frame(&said, &lines));
        table.is_stale = false;
        self.drawn_at = Some(now);
    }

    /// The last frame stays; the cursor is below it.
    pub(super) fn finish(&mut self, table: &mut Table) {
        let (width, height) = size();
        let lines = table.lines(Instant::now(), (width, height.saturating_sub(1).max(1)));
        let said = table.take_said();
        let mut frame = self.frame(&said, &lines);
        frame.push_str("\x1b[?25h");
        output::draw(&frame);
    }

    /// One write: moves up to the first line, prints the new lines, then the table, clears the rest of each line and
    /// everything below; the terminal shows it when it is complete. The printed lines move into the scrollback.
    fn frame(&mut self, said: &[String], lines: &[String]) -> String {
        let mut frame = String::from("\x1b[?2026h\x1b[?25l\r");
        if self.n_drawn > 0 {
            frame.push_str(&format!("\x1b[{}A", self.n_drawn));
        }
        for line in said.iter().chain(lines) {
            frame.push_str(&output::line(line));
            frame.push_str("\x1b[K\r\n");
        }
        frame.push_str("\x1b[J\x1b[?2026l");
        self.n_drawn = lines.len();
        frame
    }
}

impl Drop for Screen {
    /// Restores the cursor in every case.
    fn drop(&mut self) {
        if self.n_drawn > 0 {
            output::draw("\x1b[?25h");
        }
    }
}

/// Columns and lines of the terminal.
fn size() -> (usize, usize) {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
    let size = size.filter(|size| size.ws_col > 0 && size.ws_row > 0);
    size.map_or((80, 24), |size| (usize::from(size.ws_col), usize::from(size.ws_row)))
}
