//! The data that each part of the page shows.
//!
//! A part gets only this, and is rendered when it changes. So a tick of the simulated clock, which changes the model
//! ten times a second, renders only the clock and other changed parts.

mod graphs;
mod host;

pub use graphs::{FunctionsShow, InspectorShows, NoGraph, ResourcesShow};
pub use host::{FilesShow, FleetShows, Health, HostShows, LogShows, TransportShows};

use super::check::is_error;
use super::model::{Lost, Model};
use super::view::View;
use super::{File, Program, Shared, Theme, file_of};
use crate::examples;
use mclive_base::shapes::Diagnostic;
use std::rc::Rc;

/// The data of the header.
#[derive(Clone, PartialEq, Debug)]
pub struct HeaderShows {
    /// The example that the program is, as an index of [`examples::ALL`].
    pub example: Option<usize>,
    /// The chosen theme; `None`: the system's.
    pub theme: Option<Theme>,
    /// Whether a lesson is open.
    pub learns: bool,
    /// Whether the type is large.
    pub large: bool,
}

/// The data of the banner of a stopped run.
#[derive(Clone, PartialEq, Debug)]
pub struct StoppedShows {
    /// Whether the program waits for permission to run.
    pub held: bool,
    /// Why the worker was lost, if it was.
    pub lost: Option<Lost>,
    /// The program that the compiler was lost with, and its displayed scenario, for a report.
    pub crashed: Option<Program>,
}

/// What the problem list says while it is empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checked {
    /// The program waits for permission to run, or the compiler was lost with it.
    No,
    /// The compiler has not reported on this program yet.
    Soon,
    /// There are no problems.
    Yes,
}

/// The data of the problem list.
#[derive(Clone, PartialEq, Debug)]
pub struct ProblemsShows {
    /// Whether the program is checked.
    pub checked: Checked,
    /// All problems.
    pub problems: Shared<Vec<Diagnostic>>,
    /// Whether there are several files, so that each problem names its file.
    pub names_files: bool,
}

/// The tabs above the editor.
#[derive(Clone, PartialEq, Debug)]
pub struct FilesShows {
    /// The tabs in order.
    pub tabs: Vec<FileTab>,
    /// The index of the displayed file.
    pub shown: usize,
    /// The last deleted file.
    pub removed: Option<Rc<str>>,
    /// Whether there is a program to go back to.
    pub has_previous: bool,
    /// Whether files may be added, renamed and deleted; not in a lesson.
    pub can_change: bool,
}

/// A tab of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileTab {
    /// The file name.
    pub name: Rc<str>,
    /// The number of its errors.
    pub n_errors: usize,
    /// The number of its warnings.
    pub n_warnings: usize,
    /// Its size if it is not text. Units: bytes.
    pub binary: Option<usize>,
}

/// The data of the view tabs.
#[derive(Clone, PartialEq, Debug)]
pub struct TabsShow {
    /// The displayed view.
    pub view: View,
    /// By tab: 0 for the lesson, errors, resources, vertices of the function graph, files, lines of the log.
    pub counts: [usize; 6],
    /// Whether a lesson is open.
    pub has_lesson: bool,
    /// Whether the graph in place of functions is a model of instances.
    pub has_model: bool,
}

/// The data of the banner of a recorded run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedShows {
    /// The recorded host.
    pub hostname: String,
    /// The number of replayed inputs.
    pub done: usize,
    /// The number of all inputs.
    pub all: usize,
}

impl HeaderShows {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> HeaderShows {
        let example = examples::ALL.iter().position(|example| example.is(&model.program));
        HeaderShows { example, theme: model.theme, learns: model.learn.at.is_some(), large: model.large }
    }
}

impl StoppedShows {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> StoppedShows {
        let lost = model.check.lost.clone().or_else(|| model.sim.lost.clone());
        // A program that is too large is not a fault of the compiler.
        let crashed = lost.as_ref().is_some_and(|lost| *lost != Lost::Full).then(|| model.to_keep());
        StoppedShows { held: model.held, lost, crashed }
    }
}

impl ProblemsShows {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> ProblemsShows {
        let names_files = model.program.files().len() > 1;
        let checked = match () {
            () if model.check.lost.is_some() => Checked::No,
            () if !model.is_unchecked() => Checked::Yes,
            () if model.held && !model.is_edited => Checked::No,
            () => Checked::Soon,
        };
        ProblemsShows { checked, problems: model.check.calm.clone(), names_files }
    }
}

impl FilesShows {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> FilesShows {
        let tab = |file: &File| FileTab {
            name: file.name.clone(),
            n_errors: 0,
            n_warnings: 0,
            binary: file.binary.as_ref().map(|bytes| bytes.len()),
        };
        let mut tabs: Vec<FileTab> = model.program.files().iter().map(tab).collect();
        for one in model.check.calm.iter() {
            let tab = &mut tabs[file_of(&model.program, one)];
            *if is_error(one) { &mut tab.n_errors } else { &mut tab.n_warnings } += 1;
        }
        FilesShows {
            tabs,
            shown: model.program.shown_index(),
            removed: model.removed.as_ref().map(|(_, file)| file.name.clone()),
            has_previous: model.previous.is_some(),
            can_change: model.learn.at.is_none(),
        }
    }
}

impl TabsShow {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> TabsShow {
        let counts = [
            0,
            model.check.n_errors(),
            model.resources().graph.vertices.len(),
            model.check.functions.graph.vertices.len(),
            model.sim.files.len(),
            model.sim.log.len(),
        ];
        let has_lesson = model.learn.at.is_some();
        TabsShow { view: model.view, counts, has_lesson, has_model: model.has_model() }
    }
}

impl RecordedShows {
    /// Takes the data from the model; `None`: it is not a recorded run.
    pub fn of(model: &Model) -> Option<RecordedShows> {
        let snapshot = &model.sim.snapshot;
        let replay = snapshot.replay.as_ref().filter(|_| model.is_running())?;
        Some(RecordedShows { hostname: snapshot.hostname.clone(), done: replay.done, all: replay.all })
    }
}

/// The data of the right side: the tabs, and the open view.
#[derive(Clone, PartialEq, Debug)]
pub struct StageShows {
    /// The tabs.
    pub tabs: TabsShow,
    /// The open view.
    pub open: OpenView,
}

/// The data of the open view.
#[derive(Clone, PartialEq, Debug)]
pub enum OpenView {
    /// A view that is separate on small screens only.
    Aside,
    /// The resource graph and the inspector.
    Resources(ResourcesShow, InspectorShows),
    /// The function graph and the inspector.
    Functions(FunctionsShow, InspectorShows),
    /// The host.
    Host(HostShows),
    /// The log.
    Log(LogShows),
}

impl StageShows {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> StageShows {
        let open = match model.view {
            View::Lesson | View::Code => OpenView::Aside,
            View::Resources => OpenView::Resources(ResourcesShow::of(model), InspectorShows::of(model)),
            View::Functions => OpenView::Functions(FunctionsShow::of(model), InspectorShows::of(model)),
            View::Host => OpenView::Host(HostShows::of(model)),
            View::Log => OpenView::Log(LogShows::of(model)),
        };
        StageShows { tabs: TabsShow::of(model), open }
    }
}
