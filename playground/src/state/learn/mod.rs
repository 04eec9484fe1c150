//! The lessons: the open one, the learner's progress, and the result of the last check.

mod elsewhere;
mod shows;
#[cfg(test)]
mod tests;

pub use shows::{Effect, LearnShows, WelcomeShows};

use super::model::{Lost, Model};
use super::program::Program;
use super::reduce::{open, open_with};
use super::shared::Shared;
use super::sim::Sim;
use super::staged::Staged;
use super::view::{Notice, Tone, View, clipped};
use crate::course::{Course, Lesson};
use crate::worker::protocol::Request;
use mclive_base::layout;
use mclive_base::shapes::scenario::Tested;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The state of the lessons.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Learn {
    /// The course.
    pub course: Load,
    /// The name of the open lesson, or of the one to open; an empty name means the next lesson. `None`: the playground.
    pub at: Option<Rc<str>>,
    /// The learner's progress.
    pub progress: Shared<Progress>,
    /// The result of the last check.
    pub verdict: Verdict,
    /// The number of the last check.
    pub n_checks: u64,
    /// The number of requested hints.
    pub n_hints: usize,
    /// Whether the list of all lessons is open.
    pub lists: bool,
    /// How often the progress was replaced as a whole.
    pub n_replaced: u64,
    /// The learner's own program, while the solution is shown.
    pub mine: Option<Rc<str>>,
    /// The program of the playground and its displayed scenario, while a lesson is open.
    pub aside: Option<(Program, Option<Staged>)>,
}

/// The loading state of the course.
#[derive(Clone, Default, PartialEq, Debug)]
pub enum Load {
    /// Not loaded.
    #[default]
    Not,
    /// Loading failed, with the reason.
    Failed(String),
    /// Loaded.
    Ready(Shared<Course>),
}

/// The progress stored between visits.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// The completed lessons.
    pub done: BTreeSet<String>,
    /// The last open lesson; may be empty.
    pub last: String,
    /// The learner's programs by lesson, if they differ from the initial ones.
    pub drafts: BTreeMap<String, String>,
}

/// The result of the last check.
#[derive(Clone, Default, PartialEq, Debug)]
pub enum Verdict {
    /// None yet.
    #[default]
    None,
    /// In progress.
    Checking(Shared<Request>),
    /// The check passed.
    Passed {
        /// The duration on the simulated host's clock.
        virtual_ms: u64,
    },
    /// The check failed.
    Missed(Shared<Miss>),
    /// The check cannot be run here, with the reason.
    LeftOut(Rc<str>),
    /// The worker of the check was lost, or failed to load.
    Lost(Lost),
}

/// A check that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Miss {
    /// The hint; may be empty.
    pub hint: String,
    /// The failed step of the check.
    pub step: String,
    /// What was found instead.
    pub why: String,
    /// The last lines of the host's log.
    pub log: Vec<String>,
    /// The number of parts that passed.
    pub n_good: usize,
    /// The number of parts.
    pub n_parts: usize,
}

/// Something that happens to the lessons.
#[derive(Clone, PartialEq, Debug)]
pub enum Learning {
    /// Open a lesson; an empty name means the next one.
    Open(String),
    /// Go to the next lesson (`true`) or the previous one.
    Turn(bool),
    /// Return to the playground.
    Leave,
    /// The course and the stored progress were loaded.
    Loaded(Result<(Shared<Course>, Progress), String>),
    /// Check the program.
    Check,
    /// The result of the check with this number.
    Judged(u64, Result<Tested, Lost>),
    /// Show another hint.
    Hint,
    /// Show the solution, or return to the learner's program.
    Solution,
    /// Reset the program to the initial one.
    Reset,
    /// Show or close the list of lessons.
    List(bool),
    /// Replace the progress by one from a file, and show the lessons; an empty one starts over.
    Replace(Progress),
    /// Another tab has stored its completed lessons.
    CompletedElsewhere {
        /// All stored ones.
        done: BTreeSet<String>,
        /// Those that are not stored any more.
        deleted: BTreeSet<String>,
    },
    /// Another tab has stored the program of a lesson.
    WrittenElsewhere {
        /// The lesson.
        lesson: String,
        /// The program; `None`: the initial one.
        text: Option<String>,
    },
}

impl Model {
    /// The open lesson.
    pub fn lesson(&self) -> Option<&Lesson> {
        match (&self.learn.course, &self.learn.at) {
            (Load::Ready(course), Some(name)) => course.find(name),
            _ => None,
        }
    }
}

/// The maximum number of lines of the host's log shown for a failed check.
const MAX_LOG: usize = 12;

pub(super) fn learn(model: &mut Model, action: Learning) {
    match action {
        Learning::Open(name) => enter(model, &name),
        Learning::Turn(forward) => {
            if let Some(name) = neighbour(model, forward) {
                enter(model, &name);
            }
        }
        Learning::Leave => {
            keep(model);
            model.learn.at = None;
            if let Some((program, staged)) = model.learn.aside.take() {
                open_with(model, program, staged);
                model.documents += 1;
            }
            if model.view == View::Lesson {
                model.view = View::Resources;
            }
        }
        Learning::Loaded(Ok((course, progress))) => {
            model.learn.course = Load::Ready(course);
            // Progress from a file was opened before the lessons.
            if model.learn.n_replaced == 0 {
                model.learn.progress = Shared::new(progress);
            }
            if let Some(name) = model.learn.at.take() {
                enter(model, &name);
            }
        }
        Learning::Loaded(Err(why)) => model.learn.course = Load::Failed(why),
        Learning::Check => check(model),
        Learning::Judged(number, outcome) => {
            // Results of an earlier lesson are ignored.
            if number == model.learn.n_checks && matches!(model.learn.verdict, Verdict::Checking(_)) {
                judged(model, outcome);
            }
        }
        Learning::Hint => {
            let most = model.lesson().map_or(0, |lesson| lesson.help().count());
            model.learn.n_hints = (model.learn.n_hints + 1).min(most);
        }
        Learning::Solution => {
            let Some(solution) = model.lesson().map(|lesson| lesson.solution.clone()) else { return };
            match model.learn.mine.take() {
                Some(mine) => replace(model, &mine),
                None => {
                    model.learn.mine = Some(model.text().clone());
                    replace(model, &solution);
                }
            }
        }
        Learning::Reset => {
            if let Some(start) = model.lesson().map(|lesson| lesson.start.clone()) {
                model.learn.mine = None;
                model.learn.verdict = Verdict::None;
                replace(model, &start);
            }
        }
        Learning::List(open) => model.learn.lists = open,
        Learning::Replace(progress) => {
            let at = model.learn.at.take().unwrap_or_default();
            model.learn.progress = Shared::new(progress);
            model.learn.n_replaced += 1;
            enter(model, &at);
        }
        Learning::CompletedElsewhere { done, deleted } => elsewhere::completed(model, &done, &deleted),
        Learning::WrittenElsewhere { lesson, text } => elsewhere::written(model, lesson, text),
    }
}

/// Opens a lesson, as soon as the course is loaded.
fn enter(model: &mut Model, name: &str) {
    let Load::Ready(course) = model.learn.course.clone() else {
        (model.learn.course, model.learn.at) = (Load::Not, Some(name.into()));
        return;
    };
    let lesson = course.find(name);
    if let Some(lesson) = lesson.or_else(|| model.learn.progress.next(&course)) {
        study(model, lesson);
    }
    // Afterwards: a program that is opened removes the messages of the one before.
    if lesson.is_none() && !name.is_empty() {
        let text = format!("There is no lesson `{}`; showing your next one.", clipped(name));
        model.notice = Some(Notice { tone: Tone::Bad, text });
    }
}

/// Opens a lesson of the course.
fn study(model: &mut Model, lesson: &Lesson) {
    model.learn.lists = false;
    if model.learn.at.as_deref() == Some(&lesson.name) {
        return;
    }
    keep(model);
    if model.learn.at.is_none() && model.learn.aside.is_none() {
        model.learn.aside = Some((model.program.clone(), model.staged.clone()));
    } else {
        // A lesson that is opened from another one runs immediately.
        model.held = false;
    }
    model.learn.at = Some(lesson.name.as_str().into());
    model.learn.progress.make_mut().last.clone_from(&lesson.name);
    (model.learn.verdict, model.learn.n_hints, model.learn.mine) = (Verdict::None, 0, None);
    let draft = model.learn.progress.drafts.get(&lesson.name).cloned();
    let held = model.held;
    model.sim.hostname = Sim::default().hostname;
    open(model, Program::single(&layout::MCL, draft.as_deref().unwrap_or(&lesson.start)));
    model.documents += 1;
    model.held = held;
    model.welcome = false;
    if model.view == View::Code {
        model.view = View::Lesson;
    }
}

/// Another program is opened: leaves the lesson as it is.
pub(super) fn put_aside(model: &mut Model) {
    keep(model);
    (model.learn.at, model.learn.aside) = (None, None);
    if model.view == View::Lesson {
        model.view = View::Resources;
    }
}

/// Stores the learner's program of the open lesson. One that is as it was opened may have changed in another tab.
pub(super) fn keep(model: &mut Model) {
    let Some(lesson) = model.lesson().filter(|_| !model.is_untouched()) else { return };
    let (name, text) = (lesson.name.clone(), model.learn.mine.clone().unwrap_or_else(|| model.text().clone()));
    let is_start = *lesson.start == *text;
    let kept = model.learn.progress.drafts.get(&name);
    if kept.map(String::as_str) == (!is_start).then_some(&*text) {
        return;
    }
    let drafts = &mut model.learn.progress.make_mut().drafts;
    match is_start {
        true => drop(drafts.remove(&name)),
        false => drop(drafts.insert(name, text.to_string())),
    }
}

/// Replaces the program in the editor, as an undoable change.
fn replace(model: &mut Model, text: &str) {
    let file = model.program.shown().name.clone();
    super::reduce::edited(model, &file, text);
    model.settled = model.edit;
    model.pushed += 1;
}

fn check(model: &mut Model) {
    let Some(lesson) = model.lesson() else { return };
    let request = Request::Judge { files: model.files(), check: lesson.check.clone() };
    model.learn.n_checks += 1;
    model.learn.verdict = Verdict::Checking(Shared::new(request));
    model.learn.lists = false;
    if model.view == View::Code {
        model.view = View::Lesson;
    }
}

fn judged(model: &mut Model, outcome: Result<Tested, Lost>) {
    let Some(lesson) = model.lesson() else { return };
    let name = lesson.name.clone();
    model.learn.verdict = match outcome {
        Err(lost) => Verdict::Lost(lost),
        Ok(tested) => match (tested.failure, tested.faults.first()) {
            (Some(failure), _) => Verdict::Missed(Shared::new(Miss {
                n_good: lesson.parts_before(failure.line),
                n_parts: lesson.hints.len(),
                hint: failure.hint,
                step: failure.step,
                why: failure.why,
                log: failure.log.split_at(failure.log.len().saturating_sub(MAX_LOG)).1.to_vec(),
            })),
            (None, Some(fault)) => {
                Verdict::Lost(Lost::Broke { text: format!("line {} of the check: {}", fault.line, fault.why) })
            }
            (None, None) if !tested.left_out.is_empty() => Verdict::LeftOut(tested.left_out.into()),
            (None, None) => {
                if !model.learn.progress.done.contains(&name) {
                    model.learn.progress.make_mut().done.insert(name);
                }
                Verdict::Passed { virtual_ms: tested.virtual_ms }
            }
        },
    };
}

/// The next or the previous lesson.
fn neighbour(model: &Model, forward: bool) -> Option<String> {
    let (Load::Ready(course), Some(at)) = (&model.learn.course, &model.learn.at) else { return None };
    let at = course.position(at)?;
    let next = if forward { at + 1 } else { at.checked_sub(1)? };
    course.lessons().nth(next).map(|lesson| lesson.name.clone())
}

impl Progress {
    /// The next lesson: the last open one, or if that is completed, the first incomplete one after it.
    pub fn next<'a>(&self, course: &'a Course) -> Option<&'a Lesson> {
        let from = course.position(&self.last).unwrap_or(0);
        let open = |lesson: &&Lesson| !self.done.contains(&lesson.name);
        let lessons = || course.lessons();
        lessons().skip(from).find(open).or_else(|| lessons().find(open)).or_else(|| lessons().next())
    }
}
