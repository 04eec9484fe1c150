//! [`Pace`]: how long typing has to pause before the program is drawn and deployed.

use crate::worker::protocol::Request;

/// The pause after which a small program is drawn. Units: milliseconds.
const SHORTEST_MS: u32 = 120;
/// The pause after which every program is. Units: milliseconds.
const LONGEST_MS: u32 = 1_000;

/// How long it took to draw and to deploy the program the last time. A key that is pressed during this time waits for
/// the worker, so a program for which this takes longer needs a longer pause.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Pace {
    /// Units: milliseconds.
    draw_ms: u32,
    /// Units: milliseconds.
    deploy_ms: u32,
}

/// What is done after a pause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Task {
    /// The program is drawn.
    Draw,
    /// It is deployed.
    Deploy,
}

impl Task {
    /// The task of a request; `None`: it does not follow from a pause.
    pub fn of(request: &Request) -> Option<Task> {
        match request {
            Request::Draw { .. } => Some(Task::Draw),
            Request::Deploy { .. } => Some(Task::Deploy),
            _ => None,
        }
    }
}

impl Pace {
    /// Takes the duration of a task.
    pub fn take(&mut self, task: Task, took_ms: f64) {
        let of_task = match task {
            Task::Draw => &mut self.draw_ms,
            Task::Deploy => &mut self.deploy_ms,
        };
        *of_task = took_ms.clamp(0.0, f64::from(LONGEST_MS)) as u32;
    }

    /// The pause: twice the time of what follows it, within limits. Units: milliseconds.
    pub fn pause_ms(self) -> u32 {
        (2 * (self.draw_ms + self.deploy_ms)).clamp(SHORTEST_MS, LONGEST_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_takes_longer_is_drawn_after_a_longer_pause() {
        let pause_ms = |draw_ms, deploy_ms| {
            let mut pace = Pace::default();
            pace.take(Task::Draw, draw_ms);
            pace.take(Task::Deploy, deploy_ms);
            pace.pause_ms()
        };
        for (draw_ms, deploy_ms, expected) in
            [(0.0, 0.0, 120), (20.0, 40.0, 120), (80.0, 160.0, 480), (400.0, 400.0, 1_000), (1e9, -1.0, 1_000)]
        {
            assert_eq!(pause_ms(draw_ms, deploy_ms), expected, "{draw_ms} and {deploy_ms}");
        }
    }

    #[test]
    fn the_last_time_counts() {
        let mut pace = Pace::default();
        pace.take(Task::Deploy, 400.0);
        pace.take(Task::Deploy, 100.0);
        assert_eq!(pace.pause_ms(), 200);
    }

    #[test]
    fn only_what_follows_a_pause_counts() {
        assert_eq!(Task::of(&Request::Check { files: Vec::new() }), None);
        assert_eq!(Task::of(&Request::Advance { by_ms: 1 }), None);
        let draw = Request::Draw { files: Vec::new(), hostname: String::new(), in_full: false };
        assert_eq!(Task::of(&draw), Some(Task::Draw));
    }
}
