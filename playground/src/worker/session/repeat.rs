//! An action of the user at another moment, or without it: what follows is repeated, a turn at a time.

use super::telling::Told;
use super::{Session, declined};
use crate::worker::protocol::Answer;
use mclive_compiler::face::fleet::Ran;

impl Session {
    /// An action was moved or taken back, unless that is impossible; what follows is repeated.
    pub(super) fn begin_to_repeat(&mut self, begun: Result<(), String>) -> Answer {
        match begun {
            Ok(()) => {
                self.back_at.clone_from(&self.host);
                self.repeat()
            }
            Err(why) => declined(why),
        }
    }

    /// Goes on repeating.
    pub(super) fn repeat(&mut self) -> Answer {
        let is_there = self.turn.take(|n_steps| self.fleet.repeat(n_steps).then_some(()));
        if is_there.is_some() {
            self.go_back_to_the_host();
        }
        self.arrived(is_there.is_some())
    }

    /// The hosts are as they were before.
    pub(super) fn stop_repeating(&mut self) -> Answer {
        self.fleet.stop_repeating();
        self.go_back_to_the_host();
        self.simulated(Told::All, Ran::Reached)
    }

    /// The host that the page asked for may have been missing at a moment in between.
    fn go_back_to_the_host(&mut self) {
        if self.fleet.host(&self.back_at).is_some() {
            self.host.clone_from(&self.back_at);
        }
    }
}
