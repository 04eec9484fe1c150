//! The data of the lesson panel.

use super::{Load, Progress, Verdict};
use crate::examples;
use crate::state::{Model, Shared, View};
use mclive_base::shapes::host::{HostFile, HostFileKind};
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
    /// The program is the first example, unchanged.
    pub is_first: bool,
    /// The program is a model.
    pub is_model: bool,
}

impl WelcomeShows {
    /// Takes the data from the model; `None`: no greeting.
    pub fn of(model: &Model) -> Option<WelcomeShows> {
        let shows = || WelcomeShows {
            file: own_file(model).map(|file| file.path.clone()),
            broken: model.view == View::Log,
            is_first: is_first(model),
            is_model: model.has_model(),
        };
        (model.welcome && model.learn.at.is_none()).then(shows)
    }
}

/// What the first program has done to the host, for a visitor who has not looked there yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effect {
    /// The path of a file.
    pub path: String,
    /// Its first line.
    pub text: String,
}

impl Effect {
    /// Takes the data from the model; `None`: it is not a first visit, the program is a different one, or something is
    /// selected, of which the inspector shows more.
    pub fn of(model: &Model) -> Option<Effect> {
        let is_new = model.welcome && model.learn.at.is_none() && model.selected.is_none() && is_first(model);
        let file = own_file(model).filter(|_| is_new)?;
        Some(Effect { path: file.path.clone(), text: file.text.lines().next().unwrap_or_default().to_owned() })
    }
}

fn is_first(model: &Model) -> bool {
    examples::ALL[0].is(&model.program)
}

/// The first file of the program on the running host.
fn own_file(model: &Model) -> Option<&HostFile> {
    let described = |path: &str| {
        let graph = &model.resources().graph;
        graph.vertices.iter().any(|vertex| vertex.kind == "file" && vertex.name == *path)
    };
    let mut files = model.sim.files.iter().filter(|file| file.kind == HostFileKind::File);
    files.find(|file| model.is_running() && described(&file.path))
}
