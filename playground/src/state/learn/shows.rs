//! The data of the lesson panel.

use super::{Load, Progress, Verdict};
use crate::state::{Model, Shared, View};
use mclive_base::shapes::host::HostFileKind;
use std::rc::Rc;

/// The data of the lesson panel.
#[derive(Clone, PartialEq, Debug)]
pub struct LearnShows {
    /// The course.
    pub course: Load,
    /// The open lesson.
    pub at: Option<Rc<str>>,
    /// The learner's progress.
    pub progress: Shared<Progress>,
    /// The result of the last check.
    pub verdict: Verdict,
    /// The number of requested hints.
    pub n_hints: usize,
    /// Whether the list of all lessons is open.
    pub lists: bool,
    /// Whether the solution is shown instead of the learner's program.
    pub solved: bool,
    /// Whether the program is the initial one.
    pub is_start: bool,
}

impl LearnShows {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> LearnShows {
        let learn = &model.learn;
        LearnShows {
            course: learn.course.clone(),
            at: learn.at.clone(),
            progress: learn.progress.clone(),
            verdict: learn.verdict.clone(),
            n_hints: learn.n_hints,
            lists: learn.lists,
            solved: learn.mine.is_some(),
            is_start: model.lesson().is_some_and(|lesson| *lesson.start == **model.text()),
        }
    }
}

/// The greeting of a first visit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WelcomeShows {
    /// A file of the program on the running host, for the visitor to break.
    pub file: Option<String>,
    /// It was broken.
    pub broken: bool,
}

impl WelcomeShows {
    /// Takes the data from the model; `None`: no greeting.
    pub fn of(model: &Model) -> Option<WelcomeShows> {
        let described = |path: &str| {
            let graph = &model.resources().graph;
            graph.vertices.iter().any(|vertex| vertex.kind == "file" && vertex.name == *path)
        };
        let files = model.is_running().then(|| model.sim.files.iter()).into_iter().flatten();
        let mut own = files.filter(|file| file.kind == HostFileKind::File && described(&file.path));
        let shows = || WelcomeShows { file: own.next().map(|file| file.path.clone()), broken: model.view == View::Log };
        (model.welcome && model.learn.at.is_none()).then(shows)
    }
}
