//! [`Repetition`]: what follows from an action that was moved or undone is repeated, which takes several answers.

use crate::state::marks::Marks;
use crate::state::shared::Shared;
use crate::state::sim::Sim;

/// A repetition that is under way.
#[derive(Clone, PartialEq, Debug)]
pub struct Repetition {
    /// The marks before it. The worker keeps only those that it has not sent yet, so the page keeps them all for a stop.
    marks: Shared<Marks>,
    /// The moment that it has reached, and the moment at which it ends. Units: milliseconds.
    pub(super) progress_ms: (u64, u64),
    is_stopping: bool,
}

impl Repetition {
    /// A repetition that begins at this state of the hosts.
    pub(super) fn of(sim: &Sim) -> Repetition {
        Repetition { marks: sim.marks.clone(), progress_ms: (0, 0), is_stopping: false }
    }

    /// Stores its progress.
    pub(super) fn go_on(&mut self, now_ms: u64, until_ms: u64) {
        self.progress_ms = (now_ms, until_ms);
    }

    /// Requests its end before its next step.
    pub(super) fn stop(&mut self) {
        self.is_stopping = true;
    }

    /// Whether its end was requested.
    pub(in crate::state) fn is_stopping(&self) -> bool {
        self.is_stopping
    }

    /// Restores the marks of a repetition that was stopped.
    pub(super) fn stopped(sim: &mut Sim) {
        if let Some(repetition) = sim.repetition.take() {
            sim.marks = repetition.marks;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::mark;
    use super::super::{TimeShows, answered, change, go_on, go_to, stop_repeating, take_position};
    use crate::state::model::{Model, WorkerState};
    use crate::worker::protocol::Request;
    use mclive_base::shapes::host::{HostAction, Position, Tone};

    fn model() -> Model {
        let mut model = Model::new(crate::state::Program::single(&mclive_base::layout::MCL, ""), false, None);
        // The text is neither checked nor drawn.
        (model.worker, model.held, model.is_edited, model.sim.edit) = (WorkerState::Ready, true, false, 1);
        model
    }

    fn on_the_way() -> Position {
        Position { is_on_the_way: true, ..Position::default() }
    }

    #[test]
    fn a_repetition_is_finished_before_anything_else_is_asked() {
        let mut model = model();
        answered(&mut model, &Request::Shift { step: 5, by_ms: 1_000 }, &on_the_way(), 0);
        go_to(&mut model, 2);
        assert_eq!(model.next_request(), Some(Request::Repeat));
        answered(&mut model, &Request::Repeat, &on_the_way(), 0);
        assert_eq!(model.next_request(), Some(Request::Repeat));
        answered(&mut model, &Request::Repeat, &Position::default(), 0);
        assert_eq!(model.next_request(), Some(Request::Seek { step: 2 }));
    }

    #[test]
    fn hosts_are_looked_at_during_a_repetition() {
        let mut model = model();
        answered(&mut model, &Request::TakeBack { step: 5 }, &on_the_way(), 0);
        go_to(&mut model, 2);
        let look = Request::Look { hostname: "web2".into() };
        model.queue.push_back(look.clone());
        assert_eq!(model.next_request(), Some(look.clone()));
        model.queue.pop_back();
        answered(&mut model, &look, &Position::default(), 0);
        assert_eq!(model.next_request(), Some(Request::Repeat));
    }

    #[test]
    fn what_is_done_by_hand_during_a_repetition_is_done_to_the_host_that_was_displayed_then() {
        let mut model = model();
        answered(&mut model, &Request::TakeBack { step: 5 }, &on_the_way(), 0);
        let act = Request::Act { action: HostAction::Remove { path: "/srv/a".into() } };
        let look = Request::Look { hostname: "web2".into() };
        model.queue.extend([act.clone(), look]);
        assert_eq!(model.next_request(), Some(Request::Repeat));
        answered(&mut model, &Request::Repeat, &Position::default(), 0);
        assert_eq!(model.next_request(), Some(act));
    }

    #[test]
    fn a_stop_forgets_what_was_asked_of_the_other_course() {
        let mut model = model();
        answered(&mut model, &Request::TakeBack { step: 5 }, &on_the_way(), 0);
        go_to(&mut model, 7);
        change(&mut model, Request::TakeBack { step: 7 });
        let look = Request::Look { hostname: "web2".into() };
        model.queue.push_back(look.clone());
        stop_repeating(&mut model);
        assert_eq!(model.next_request(), Some(Request::StopRepeating));
        answered(&mut model, &Request::StopRepeating, &Position::default(), 0);
        assert_eq!(model.queue, [look]);
    }

    #[test]
    fn a_repetition_shows_its_progress_and_a_stop_brings_the_marks_back() {
        let mut model = model();
        let marks = |steps: &[u64]| steps.iter().map(|step| mark(*step, Tone::Info)).collect();
        take_position(
            &mut model,
            Position { step: 5, kept: Some(0), marks: marks(&[2, 5, 900]), ..Position::default() },
        );
        assert_eq!(TimeShows::of(&model).repeated_ms, None);
        let begun = Position { step: 3, kept: Some(2), marks: marks(&[3]), ..on_the_way() };
        answered(&mut model, &Request::TakeBack { step: 5 }, &begun, 400);
        go_on(&mut model, 400, Some(900));
        take_position(&mut model, begun);
        assert_eq!(TimeShows::of(&model).repeated_ms, Some((400, 900)));
        assert_eq!(model.sim.marks.len(), 2);
        stop_repeating(&mut model);
        assert_eq!(model.next_request(), Some(Request::StopRepeating));
        let stopped = Position { step: 5, ..Position::default() };
        answered(&mut model, &Request::StopRepeating, &stopped, 5);
        take_position(&mut model, stopped);
        assert_eq!(model.sim.marks.iter().map(|mark| mark.step).collect::<Vec<_>>(), [2, 5, 900]);
        assert_eq!((model.sim.step, model.next_request()), (5, None));
        assert_eq!(TimeShows::of(&model).repeated_ms, None);
        // A stop that comes too late is none.
        answered(&mut model, &Request::TakeBack { step: 5 }, &on_the_way(), 0);
        stop_repeating(&mut model);
        answered(&mut model, &Request::Repeat, &Position::default(), 0);
        assert_eq!(model.next_request(), None);
    }
}
