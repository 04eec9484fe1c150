//! The timeline of all marks, and navigation along it.

mod held;
mod repetition;

pub use held::{Held, Holder};
pub use repetition::Repetition;

use super::marks::Marks;
use super::model::Model;
use super::shared::Shared;
use super::sim::MAX_MARKS;
use super::view::{Notice, Selection, Tone};
use super::why::Moments;
use crate::worker::protocol::Request;
use mclive_base::shapes::host::{self, Goal, Mark, Position};

/// The maximum real time that is caught up after the browser was suspended.
const MAX_FRAME_MS: u64 = 1_000;
/// The maximum time to run until a goal is reached. Units: milliseconds.
const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;
/// Scenarios are shorter.
const STAGED_MS: u64 = 100 * 366 * DAY_MS;

pub(super) fn play(model: &mut Model, playing: bool) {
    (model.sim.playing, model.sim.due_ms) = (playing, 0);
    // A repetition is finished: without its end, what came later would be missing.
    if !model.is_repeating() {
        model.sim.errand = None;
    }
}

/// Simulated time that is to pass; what is too much to catch up with is dropped. Units: milliseconds.
pub(super) fn owe(model: &mut Model, by_ms: u64) {
    let most_ms = MAX_FRAME_MS * u64::from(model.sim.speed);
    model.sim.due_ms = (model.sim.due_ms + by_ms).min(most_ms);
}

pub(super) fn run_until(model: &mut Model, goal: Goal) {
    let now_ms = model.sim.snapshot.now_ms;
    let until_ms = match goal {
        Goal::Mark | Goal::Failure => now_ms + DAY_MS,
        Goal::Converged => now_ms + HOUR_MS,
        Goal::Staged => STAGED_MS,
    };
    play(model, false);
    model.queue.push_back(Request::Run { goal, until_ms });
}

pub(super) fn go_to(model: &mut Model, step: u64) {
    play(model, false);
    // Dragging along the timeline requests many moments; the last one counts.
    model.queue.retain(|request| !matches!(request, Request::Seek { .. }));
    model.queue.push_back(Request::Seek { step });
}

/// Moves an action of the user, or takes it back. Until that has begun, the page shows the marks of before: one more
/// such request could be about another action, or undo two with a double click.
pub(super) fn change(model: &mut Model, request: Request) {
    play(model, false);
    let changes = |request: &Request| matches!(request, Request::Shift { .. } | Request::TakeBack { .. });
    let under_way = model.flight.as_ref().map(|flight| &flight.request);
    if !model.queue.iter().chain(under_way).any(changes) {
        model.queue.push_back(request);
    }
}

pub(super) fn stop_repeating(model: &mut Model) {
    model.sim.repetition.iter_mut().for_each(Repetition::stop);
}

pub(super) fn step_back(model: &mut Model) {
    let before = model.sim.marks.iter().rev().find(|mark| mark.step < model.sim.step).map(|mark| mark.step);
    if let Some(step) = before {
        go_to(model, step);
    }
}

/// Repeats a request that is not finished; reports one that cannot be fulfilled. `now_ms`: the moment that was reached.
pub(super) fn answered(model: &mut Model, request: &Request, position: &Position, now_ms: u64) {
    let go_on = match request {
        Request::Advance { by_ms } => {
            if position.is_on_the_way && model.sim.playing {
                let passed_ms = now_ms.saturating_sub(model.sim.snapshot.now_ms);
                owe(model, by_ms.saturating_sub(passed_ms));
            }
            return;
        }
        // It changes nothing about time.
        Request::Look { .. } => return,
        // It is moved or undone once.
        Request::Shift { .. } | Request::TakeBack { .. } => {
            model.sim.repetition = Some(Repetition::of(&model.sim));
            Request::Repeat
        }
        Request::StopRepeating => {
            Repetition::stopped(&mut model.sim);
            // In the meantime these were asked of the other course of events, which has other steps.
            model.queue.retain(|request| {
                !matches!(request, Request::Seek { .. } | Request::Shift { .. } | Request::TakeBack { .. })
            });
            Request::StopRepeating
        }
        // The stage is not set up again.
        Request::Stage { .. } => Request::Run { goal: Goal::Staged, until_ms: STAGED_MS },
        request => request.clone(),
    };
    model.sim.errand = position.is_on_the_way.then_some(go_on);
    if !model.is_repeating() {
        model.sim.repetition = None;
    }
    let Request::Run { goal, .. } = request else { return };
    if position.is_in_vain {
        let (tone, text) = match goal {
            Goal::Mark => (Tone::Good, "No further events are scheduled."),
            Goal::Converged => (Tone::Bad, "The hosts did not converge within an hour."),
            Goal::Failure => (Tone::Good, "Nothing failed within a day."),
            Goal::Staged => (Tone::Good, "The scenario has ended."),
        };
        model.notice = Some(Notice { tone, text: text.into() });
    }
}

/// The hosts are on their way to a moment; what the page shows of them stays until they are there.
pub(super) fn go_on(model: &mut Model, now_ms: u64, until_ms: Option<u64>) {
    model.sim.snapshot.make_mut().now_ms = now_ms;
    if let (Some(repetition), Some(until_ms)) = (&mut model.sim.repetition, until_ms) {
        repetition.go_on(now_ms, until_ms);
    }
}

pub(super) fn take_position(model: &mut Model, position: Position) {
    model.sim.step = position.step;
    if position.kept.is_none() && position.marks.is_empty() {
        return;
    }
    let marks = model.sim.marks.make_mut();
    if let Some(kept) = position.kept {
        let n_kept = marks.partition_point(|mark| mark.step <= kept);
        marks.truncate(n_kept);
    }
    marks.add(position.marks, MAX_MARKS);
}

/// The data of the timeline.
#[derive(Clone, PartialEq, Debug)]
pub struct TimeShows {
    /// All marks, oldest first.
    pub marks: Shared<Marks>,
    /// The hosts, each with a lane.
    pub hosts: Vec<String>,
    /// The last mark that is not ahead.
    pub at: Option<usize>,
    /// Whether the simulation is running to a goal.
    pub is_running: bool,
    /// What happened to the selection, on the host with this name.
    pub moments: (String, Shared<Moments>),
    /// The selected resource.
    pub selected: Option<String>,
    /// How far what follows from a moved or undone action has been repeated, and how far it goes. Units: milliseconds.
    pub repeated_ms: Option<(u64, u64)>,
}

impl TimeShows {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> TimeShows {
        let sim = &model.sim;
        TimeShows {
            marks: sim.marks.clone(),
            hosts: sim.cards.iter().map(|card| card.host.clone()).collect(),
            at: sim.marks.partition_point(|mark| mark.step <= sim.step).checked_sub(1),
            is_running: model.is_running(),
            moments: (sim.hostname.clone(), model.why.moments.clone()),
            selected: match &model.selected {
                Some(Selection::Resource(id)) => Some(id.clone()),
                Some(Selection::Function(_)) | None => None,
            },
            repeated_ms: sim.repetition.as_ref().map(|repetition| repetition.progress_ms),
        }
    }

    /// Column and lane of what happened to the selection.
    pub fn marked(&self) -> Vec<(usize, usize)> {
        let (host, moments) = &self.moments;
        let Some(lane) = self.hosts.iter().position(|one| one == host) else { return Vec::new() };
        let is_of = |mark: &&Mark| mark.host == *host && moments.steps.binary_search(&mark.step).is_ok();
        let mut marked: Vec<(usize, usize)> =
            self.marks.iter().filter(is_of).map(|mark| (self.column_of_step(mark.step), lane)).collect();
        marked.dedup();
        marked
    }

    /// Whether an earlier moment is displayed, with marks ahead.
    pub fn is_back(&self) -> bool {
        self.marks.len() > self.at.map_or(0, |at| at + 1)
    }

    /// The column of the present moment.
    pub fn column(&self) -> usize {
        self.at.map_or(0, |at| column(at, self.marks.len()))
    }

    /// The column of the first mark of a step.
    pub fn column_of_step(&self, step: u64) -> usize {
        column(self.marks.partition_point(|mark| mark.step < step), self.marks.len())
    }

    /// The mark at a position of the timeline, from 0 to 1.
    pub fn at_place(&self, place: f64) -> Option<&Mark> {
        let last = self.marks.len().checked_sub(1)?;
        let at = (place.clamp(0.0, 1.0) * self.marks.len() as f64) as usize;
        self.marks.get(at.min(last))
    }

    /// The mark a number of moments away from the present one; several marks of one step are one moment.
    pub fn beside(&self, by: isize) -> Option<&Mark> {
        self.beside_step(self.at.and_then(|at| self.marks.get(at)).map_or(0, |mark| mark.step), by)
    }

    /// The same for another moment.
    pub fn beside_step(&self, mut step: u64, by: isize) -> Option<&Mark> {
        let mut there = None;
        for _ in 0..by.unsigned_abs() {
            let next = match by > 0 {
                true => self.marks.get(self.marks.partition_point(|mark| mark.step <= step)),
                false => {
                    self.marks.partition_point(|mark| mark.step < step).checked_sub(1).and_then(|at| self.marks.get(at))
                }
            };
            let Some(mark) = next else { break };
            (there, step) = (Some(mark), mark.step);
        }
        there
    }
}

/// The maximum number of columns of the timeline; further marks share columns.
pub const COLUMNS: usize = 160;

/// The column of a mark.
pub(super) fn column(at: usize, n_marks: usize) -> usize {
    if n_marks <= COLUMNS { at } else { at * COLUMNS / n_marks }
}

/// The number of columns for this many marks.
pub fn n_columns(n_marks: usize) -> usize {
    n_marks.clamp(24, COLUMNS)
}

/// The marks that share a column, drawn as the most severe of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bar {
    /// The column.
    pub column: usize,
    /// The lane.
    pub lane: usize,
    /// The style.
    pub tone: host::Tone,
}

/// The bars of all marks, each in the lane of its host.
pub fn bars(marks: &Marks, hosts: &[String]) -> Vec<Bar> {
    let mut bars: Vec<Bar> = Vec::new();
    let mut in_column = 0;
    for (at, mark) in marks.iter().enumerate() {
        // Marks of a removed host have no lane.
        let Some(lane) = hosts.iter().position(|host| *host == mark.host) else { continue };
        let bar = Bar { column: column(at, marks.len()), lane, tone: mark.tone };
        if bars.last().is_none_or(|last| last.column != bar.column) {
            in_column = bars.len();
        }
        match bars[in_column..].iter_mut().find(|other| other.lane == lane) {
            Some(other) => other.tone = worse(other.tone, bar.tone),
            None => bars.push(bar),
        }
    }
    bars
}

/// The more severe of two styles.
pub(super) fn worse(one: host::Tone, other: host::Tone) -> host::Tone {
    let weight = |tone| match tone {
        host::Tone::Quiet => 0,
        host::Tone::Info => 1,
        host::Tone::Good => 2,
        host::Tone::Change => 3,
        host::Tone::Player => 4,
        host::Tone::Warn => 5,
        host::Tone::Bad => 6,
    };
    if weight(other) > weight(one) { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn mark(step: u64, tone: host::Tone) -> Mark {
        Mark { step, at_ms: step, tone, host: "web1".into(), text: String::new(), resource: None }
    }

    pub(super) fn shows(steps: &[u64], at: Option<usize>) -> TimeShows {
        let marks = steps.iter().map(|step| mark(*step, host::Tone::Info)).collect();
        TimeShows {
            marks: Shared::new(marks),
            hosts: vec!["web1".into()],
            at,
            is_running: true,
            moments: ("web1".into(), Shared::default()),
            selected: None,
            repeated_ms: None,
        }
    }

    #[test]
    fn moments_are_steps_and_not_marks() {
        let shows = shows(&[2, 5, 5, 9], Some(2));
        assert!(shows.is_back());
        assert_eq!(shows.beside(1).map(|mark| mark.step), Some(9));
        assert_eq!(shows.beside(-1).map(|mark| mark.step), Some(2));
        assert_eq!(shows.beside(-7).map(|mark| mark.step), Some(2));
        assert_eq!(shows.at_place(0.0).map(|mark| mark.step), Some(2));
        assert_eq!(shows.at_place(1.0).map(|mark| mark.step), Some(9));
    }

    #[test]
    fn ten_thousand_marks_are_few_bars_and_what_is_bad_is_seen() {
        let marks: Marks = (0..10_000)
            .map(|step| mark(step, if step == 4_321 { host::Tone::Bad } else { host::Tone::Good }))
            .collect();
        let bars = bars(&marks, &["web1".into()]);
        assert_eq!(bars.len(), COLUMNS);
        assert_eq!(bars.iter().filter(|bar| bar.tone == host::Tone::Bad).count(), 1);
    }

    #[test]
    fn hosts_that_do_not_converge_are_no_success() {
        let mut model = Model::new(crate::state::Program::single(&mclive_base::layout::MCL, ""), false, None);
        let position = Position { is_in_vain: true, ..Position::default() };
        for (goal, tone) in [(Goal::Converged, Tone::Bad), (Goal::Failure, Tone::Good), (Goal::Mark, Tone::Good)] {
            answered(&mut model, &Request::Run { goal, until_ms: HOUR_MS }, &position, HOUR_MS);
            assert_eq!(model.notice.as_ref().map(|notice| notice.tone), Some(tone), "{goal:?}");
        }
    }

    #[test]
    fn a_branch_takes_the_marks_behind_it_away() {
        let mut model = Model::new(crate::state::Program::single(&mclive_base::layout::MCL, ""), false, None);
        let new = |steps: &[u64]| steps.iter().map(|step| mark(*step, host::Tone::Info)).collect();
        take_position(&mut model, Position { step: 9, kept: Some(0), marks: new(&[2, 5, 9]), ..Position::default() });
        take_position(&mut model, Position { step: 6, ..Position::default() });
        assert_eq!(TimeShows::of(&model).at, Some(1));
        take_position(&mut model, Position { step: 7, kept: Some(5), marks: new(&[7]), ..Position::default() });
        assert_eq!(model.sim.marks.iter().map(|mark| mark.step).collect::<Vec<_>>(), [2, 5, 7]);
        assert!(!TimeShows::of(&model).is_back());
        step_back(&mut model);
        assert_eq!(model.queue.back(), Some(&Request::Seek { step: 5 }));
        assert!(!model.sim.playing);
    }
}
