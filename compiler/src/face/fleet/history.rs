//! [`History`]: the actions of the user, and their places on the timeline.

use super::Program;
use crate::protocol::Moment;
use mclive_base::shapes::host::{Alteration, HostAction};
use mclive_base::shapes::scenario::Cue;
use std::rc::Rc;

/// An action on the fleet from outside.
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
    Disconnect {
        host: String,
    },
    Reconnect {
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
    /// A step of a scenario, with its program.
    Cue(Program, Rc<Cue>),
}

/// All actions since the beginning, in order.
#[derive(Clone, Default)]
pub(super) struct History {
    done: Vec<Done>,
    /// The number of them before the present moment.
    n_behind: usize,
    /// Units: bytes.
    size: usize,
    /// It became too long to be kept.
    is_lost: bool,
}

#[derive(Clone)]
struct Done {
    /// The number of simulation steps before it; unknown until it is first performed.
    step: Option<u64>,
    at: Moment,
    doing: Doing,
    /// It was impossible.
    is_void: bool,
}

/// An action at another moment.
pub(super) struct Shifted {
    /// Its new number.
    pub(super) number: usize,
    /// What happened is the same up to this number of actions, and to this moment.
    pub(super) n_kept: usize,
    pub(super) until: Moment,
}

/// The maximum number of actions kept; beyond it there is no way back.
const MAX_DONE: usize = 10_000;
const MAX_SIZE: usize = 64 << 20;

impl History {
    /// Records an action at a place. Later actions are dropped.
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

    /// Records actions at future moments, in order.
    pub(super) fn plan(&mut self, doings: impl IntoIterator<Item = (Moment, Doing)>) {
        for (at, doing) in doings {
            // An action before them gives them up, and their size with them.
            self.size += size(&doing);
            self.done.push(Done { step: None, at, doing, is_void: false });
        }
    }

    /// The next action at this place, and its moment; `next_at` is the moment of the next simulation event.
    pub(super) fn due(&self, step: u64, next_at: Option<Moment>) -> Option<(Moment, Doing)> {
        let next = self.done.get(self.n_behind)?;
        let is_due = match next.step {
            Some(place) => place == step,
            // Simulation events at the same moment come first.
            None => next_at.is_none_or(|happens| happens > next.at),
        };
        is_due.then(|| (next.at, next.doing.clone()))
    }

    /// The due action was performed at this place.
    pub(super) fn done(&mut self, step: u64) {
        if let Some(done) = self.done.get_mut(self.n_behind) {
            done.step = Some(step);
        }
        self.n_behind += 1;
    }

    /// The last action was impossible.
    pub(super) fn fail(&mut self) {
        if let Some(done) = self.n_behind.checked_sub(1).and_then(|last| self.done.get_mut(last)) {
            done.is_void = true;
        }
    }

    /// All actions up to the present moment, with their moments, in order.
    pub(super) fn behind(&self) -> impl Iterator<Item = (Moment, &Doing)> {
        let done = self.done[..self.n_behind].iter().filter(|done| !done.is_void);
        done.map(|done| (done.at, &done.doing))
    }

    /// The number of the action at this place, if the user may do it at another moment as well.
    pub(super) fn movable(&self, step: u64) -> Option<usize> {
        let is_free = |done: &Done| {
            let doing = &done.doing;
            matches!(doing, Doing::Act { .. } | Doing::Pause { .. } | Doing::Resume { .. })
                || matches!(doing, Doing::Disconnect { .. } | Doing::Reconnect { .. })
        };
        self.done.iter().position(|done| done.step == Some(step) && is_free(done))
    }

    pub(super) fn at(&self, number: usize) -> Moment {
        self.done[number].at
    }

    /// The place of an action, once it is known.
    pub(super) fn step(&self, number: usize) -> Option<u64> {
        self.done.get(number)?.step
    }

    /// Moves an action to another moment, not before the first program. The places of the later ones of both moments are
    /// unknown then.
    pub(super) fn shift(&mut self, number: usize, to: Moment) -> Shifted {
        let mut moved = self.done.remove(number);
        let first = self.done.iter().position(|done| matches!(done.doing, Doing::Deploy(_) | Doing::Cue(..)));
        let first = first.map_or(0, |first| first + 1);
        moved.at = to.max(first.checked_sub(1).map_or(to, |deploy| self.done[deploy].at));
        let place = self.done.partition_point(|done| done.at <= moved.at).max(first);
        let until = moved.at;
        self.done.insert(place, moved);
        let n_kept = number.min(place);
        self.forget_places(n_kept);
        Shifted { number: place, n_kept, until }
    }

    /// Drops an action. The places of the later ones are unknown then.
    pub(super) fn take_back(&mut self, number: usize) {
        let gone = self.done.remove(number);
        self.size -= size(&gone.doing);
        self.forget_places(number);
    }

    /// From this action on everything may happen at other places.
    fn forget_places(&mut self, from: usize) {
        for done in &mut self.done[from..] {
            (done.step, done.is_void) = (None, false);
        }
        self.n_behind = self.n_behind.min(from);
    }

    /// The actions up to the present moment, all of them ahead.
    pub(super) fn again(&self) -> History {
        History { done: self.done[..self.n_behind].to_vec(), size: self.size, ..History::default() }
    }

    /// The actions up to the present moment, all of them ahead, with another program: it takes the place of those after its
    /// last deploy, or else of all. `None`: they are of a scenario or a recorded run.
    pub(super) fn with_program(&self, program: &Program) -> Option<History> {
        let behind = &self.done[..self.n_behind];
        if behind.iter().any(|done| matches!(done.doing, Doing::Cue(..) | Doing::Replay { .. })) {
            return None;
        }
        let is_it = |done: &Done| matches!(&done.doing, Doing::Deploy(own) if own.files == program.files);
        let last = behind.iter().rposition(is_it);
        let mut is_given = false;
        let with = |(number, done): (usize, &Done)| {
            let doing = match (&done.doing, last) {
                (Doing::Deploy(_), Some(last)) if number > last => return None,
                (Doing::Deploy(_), None) if is_given => return None,
                (Doing::Deploy(_), None) => {
                    is_given = true;
                    Doing::Deploy(program.clone())
                }
                (doing, _) => doing.clone(),
            };
            // Where it happens among the steps is not known, nor whether it is possible.
            Some(Done { step: None, at: done.at, doing, is_void: false })
        };
        let done = behind.iter().enumerate().filter_map(with).collect();
        Some(History { done, size: self.size, ..History::default() })
    }

    /// Goes to the moment after this number of actions.
    pub(super) fn go_to(&mut self, n_actions: usize) {
        self.n_behind = n_actions;
    }

    /// The number of actions before the present moment.
    pub(super) fn n_behind(&self) -> usize {
        self.n_behind
    }

    /// Whether a recorded action lies ahead.
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
        Doing::Act { action: HostAction::Alter { subject, thing, how }, .. } => {
            let texts = match how {
                Alteration::Set { field, value } => field.len() + value.len(),
                Alteration::Do { verb } => verb.len(),
            };
            64 + subject.len() + thing.len() + texts
        }
        Doing::Replay { trace, .. } => trace.len(),
        Doing::Cue(_, cue) => cue.text.len() + 64,
        Doing::Join { .. }
        | Doing::Leave { .. }
        | Doing::Pause { .. }
        | Doing::Resume { .. }
        | Doing::Disconnect { .. }
        | Doing::Reconnect { .. }
        | Doing::Act { .. } => 64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_of_long_texts_is_given_up() {
        let mut history = History::default();
        let how = Alteration::Set { field: "content".to_owned(), value: "x".repeat(MAX_SIZE / 4) };
        let (subject, thing) = ("Request".to_owned(), "https://example.com/motd".to_owned());
        let doing = Doing::Act { host: "web1".to_owned(), action: HostAction::Alter { subject, thing, how } };
        for n_actions in 1..=4 {
            assert!(history.is_whole(), "before action {n_actions}");
            history.record(0, Moment::default(), doing.clone());
        }
        assert!(!history.is_whole());
    }
}
