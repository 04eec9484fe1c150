//! [`History`]: what somebody did, at which place in the course of events.

use super::Program;
use crate::protocol::Moment;
use mclive_base::shapes::host::HostAction;
use mclive_base::shapes::scenario::Cue;
use std::rc::Rc;

/// Something that is done to the fleet from outside.
#[derive(Clone)]
pub(super) enum Doing {
    Join {
        host: String,
        prepare: Rc<[HostAction]>,
    },
    Leave {
        host: String,
    },
    Pause {
        host: String,
    },
    Resume {
        host: String,
    },
    Deploy(Program),
    Act {
        host: String,
        action: HostAction,
    },
    Replay {
        host: String,
        trace: Rc<[u8]>,
    },
    /// A step of a scenario, with the program that it is about.
    Cue(Program, Rc<Cue>),
}

/// Everything that was done since the beginning, in order.
#[derive(Default)]
pub(super) struct History {
    done: Vec<Done>,
    /// How many of them are behind the present moment.
    n_behind: usize,
    /// Units: bytes.
    size: usize,
    /// It became too long to be kept.
    is_lost: bool,
}

struct Done {
    /// How much had happened before; not known before the first time.
    step: Option<u64>,
    at: Moment,
    doing: Doing,
    /// It could not be done.
    is_void: bool,
}

/// So much is kept at most; then there is no way back any more.
const MAX_DONE: usize = 10_000;
const MAX_SIZE: usize = 64 << 20;

impl History {
    /// Writes down what is done at a place. What was done behind that place is forgotten.
    pub(super) fn record(&mut self, step: u64, at: Moment, doing: Doing) {
        let given_up = self.done.drain(self.n_behind..);
        self.size -= given_up.map(|done| size(&done.doing)).sum::<usize>();
        self.size += size(&doing);
        if self.done.len() == MAX_DONE || self.size > MAX_SIZE {
            *self = History { is_lost: true, ..History::default() };
        }
        if !self.is_lost {
            self.done.push(Done { step: Some(step), at, doing, is_void: false });
            self.n_behind = self.done.len();
        }
    }

    /// Writes down what is to be done at moments that are still to come, in their order.
    pub(super) fn plan(&mut self, doings: impl IntoIterator<Item = (Moment, Doing)>) {
        let ahead = |(at, doing)| Done { step: None, at, doing, is_void: false };
        self.done.extend(doings.into_iter().map(ahead));
    }

    /// What is to be done at this place, and when; `next_at` is when something happens by itself.
    pub(super) fn due(&self, step: u64, next_at: Option<Moment>) -> Option<(Moment, Doing)> {
        let next = self.done.get(self.n_behind)?;
        let is_due = match next.step {
            Some(place) => place == step,
            // Whatever happens by itself at that moment comes first.
            None => next_at.is_none_or(|happens| happens > next.at),
        };
        is_due.then(|| (next.at, next.doing.clone()))
    }

    /// What was due was done, at this place.
    pub(super) fn done(&mut self, step: u64) {
        if let Some(done) = self.done.get_mut(self.n_behind) {
            done.step = Some(step);
        }
        self.n_behind += 1;
    }

    /// What was done last could not be done.
    pub(super) fn fail(&mut self) {
        if let Some(done) = self.n_behind.checked_sub(1).and_then(|last| self.done.get_mut(last)) {
            done.is_void = true;
        }
    }

    /// Everything that was done up to the present moment, with its moment, in order.
    pub(super) fn behind(&self) -> impl Iterator<Item = (Moment, &Doing)> {
        let done = self.done[..self.n_behind].iter().filter(|done| !done.is_void);
        done.map(|done| (done.at, &done.doing))
    }

    pub(super) fn rewind(&mut self) {
        self.n_behind = 0;
    }

    /// `true`: something that was done already lies ahead.
    pub(super) fn is_behind(&self) -> bool {
        self.n_behind < self.done.len()
    }

    pub(super) fn is_whole(&self) -> bool {
        !self.is_lost
    }
}

fn size(doing: &Doing) -> usize {
    match doing {
        Doing::Deploy(program) => program.files.iter().map(|(path, bytes)| path.len() + bytes.len()).sum(),
        Doing::Act { action: HostAction::Write { path, text }, .. } => path.len() + text.len(),
        Doing::Replay { trace, .. } => trace.len(),
        Doing::Cue(_, cue) => cue.text.len() + 64,
        Doing::Join { .. } | Doing::Leave { .. } | Doing::Pause { .. } | Doing::Resume { .. } | Doing::Act { .. } => 64,
    }
}
