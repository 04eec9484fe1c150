//! The data that each part of the page shows.
//!
//! A part gets only this, and is rendered when it changes. So a tick of the simulated clock, which changes the model
//! ten times a second, renders only the clock and other changed parts.

mod host;

pub use host::{FilesShow, FleetShows, Health, HostShows, LogShows, TransportShows};

use super::check::is_error;
use super::model::{Lost, Model};
use super::view::{Selection, View};
use super::why::{Chain, Moments};
use super::{File, Program, Shared, Theme, file_of};
use crate::examples;
use crate::worker::protocol::{Graph, Picture};
use mclive_base::layout;
use mclive_base::shapes::host::ResourceState;
use mclive_base::shapes::{Diagnostic, FunctionGraph, Place, ResourceGraph, ResourceVertex};
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
    /// The program that the compiler was lost with, for a report.
    pub crashed: Option<Program>,
}

/// The data of the problem list.
#[derive(Clone, PartialEq, Debug)]
pub struct ProblemsShows {
    /// Whether the current text is compiled.
    pub checked: bool,
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

/// Why there is no graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoGraph {
    /// The program is being compiled.
    Compiling,
    /// The program has errors.
    Errors,
    /// The graph is empty.
    Empty,
}

/// The data of the resource graph view.
#[derive(Clone, PartialEq, Debug)]
pub struct ResourcesShow {
    /// The graph.
    pub picture: Shared<Picture<ResourceGraph>>,
    /// The states of resources; `None` while no program runs.
    pub states: Option<Shared<Vec<ResourceState>>>,
    /// The host, if the program declares several or several are simulated.
    pub host: Option<String>,
    /// The reason if there is no graph.
    pub otherwise: NoGraph,
    /// The selected vertex.
    pub selected: Option<String>,
    /// What led to the selection.
    pub chain: Shared<Chain>,
    /// Whether its text is large.
    pub is_large: bool,
}

/// The data of the function graph view.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionsShow {
    /// The graph.
    pub picture: Shared<Picture<FunctionGraph>>,
    /// Values by vertex; `None` while the host runs another text, or none.
    pub values: Option<Shared<Vec<Option<String>>>>,
    /// For each vertex, the index of its value; empty if they are the same.
    pub value_of: Shared<Vec<u32>>,
    /// Whether all vertices are shown by the engine's names.
    pub in_full: bool,
    /// Functions, or a model in place of them.
    pub graph: Graph,
    /// The reason if there is no graph.
    pub otherwise: NoGraph,
    /// The selected vertex.
    pub selected: Option<u32>,
    /// What led to the selection.
    pub chain: Shared<Chain>,
    /// Whether its text is large.
    pub is_large: bool,
}

/// The selected vertex, with the graph around it.
#[derive(Clone, PartialEq, Debug)]
pub enum InspectorShows {
    /// None.
    Nothing,
    /// A vertex of the function graph.
    Function {
        /// Its index.
        at: u32,
        /// The graph.
        picture: Shared<Picture<FunctionGraph>>,
        /// Its current value.
        value: Option<String>,
        /// What led to it.
        chain: Shared<Chain>,
        /// What it caused.
        moments: Shared<Moments>,
    },
    /// A resource.
    Resource {
        /// Its id, as `kind[name]`.
        id: String,
        /// The graph.
        picture: Shared<Picture<ResourceGraph>>,
        /// Its state, while the program runs.
        state: Option<ResourceState>,
        /// Its place in the text.
        place: Option<Place>,
        /// The path of its file on the running host, if it can be changed by hand.
        file: Option<String>,
        /// The function graph.
        functions: Shared<Picture<FunctionGraph>>,
        /// The values that led to it.
        chain: Shared<Chain>,
        /// What happened to it.
        moments: Shared<Moments>,
    },
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
        let crashed = lost.is_some().then(|| model.program.clone());
        StoppedShows { held: model.held, lost, crashed }
    }
}

impl ProblemsShows {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> ProblemsShows {
        let names_files = model.program.files().len() > 1;
        ProblemsShows { checked: model.check.edit != 0, problems: model.check.calm.clone(), names_files }
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
        TabsShow { view: model.view, counts, has_lesson, has_model: has_model(model) }
    }
}

/// Whether the graph in place of functions is a model of instances.
fn has_model(model: &Model) -> bool {
    *model.layout() == layout::INMANTA
}

impl NoGraph {
    fn of(model: &Model) -> NoGraph {
        match () {
            () if model.check.edit == 0 && !model.held => NoGraph::Compiling,
            () if model.check.n_errors() > 0 => NoGraph::Errors,
            () => NoGraph::Empty,
        }
    }
}

impl ResourcesShow {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> ResourcesShow {
        let selected = match &model.selected {
            Some(Selection::Resource(id)) => Some(id.clone()),
            Some(Selection::Function(_)) | None => None,
        };
        ResourcesShow {
            picture: model.resources().clone(),
            states: model.is_running().then(|| model.sim.states.clone()),
            host: (model.sim.cards.len() > 1 || model.check.hosts.len() > 1).then(|| model.sim.hostname.clone()),
            otherwise: NoGraph::of(model),
            selected,
            chain: model.why.chain.clone(),
            is_large: model.large,
        }
    }
}

impl FunctionsShow {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> FunctionsShow {
        let selected = match model.selected {
            Some(Selection::Function(at)) => Some(at),
            Some(Selection::Resource(_)) | None => None,
        };
        FunctionsShow {
            picture: model.check.functions.clone(),
            values: model.tells_values().then(|| model.sim.values.clone()),
            value_of: model.check.value_of.clone(),
            in_full: model.in_full,
            graph: if has_model(model) { Graph::Model } else { Graph::Functions },
            otherwise: NoGraph::of(model),
            selected,
            chain: model.why.chain.clone(),
            is_large: model.large,
        }
    }
}

impl InspectorShows {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> InspectorShows {
        match (&model.selected, model.view) {
            (Some(Selection::Function(at)), View::Functions) => InspectorShows::Function {
                at: *at,
                picture: model.check.functions.clone(),
                value: model.value_of(*at).map(str::to_owned),
                chain: model.why.chain.clone(),
                moments: model.why.moments.clone(),
            },
            (Some(Selection::Resource(id)), View::Resources) => {
                let picture = model.resources().clone();
                let vertex = picture.graph.vertices.iter().find(|vertex| vertex.id() == *id);
                let file = vertex.and_then(file_path).filter(|path| has_file(model, path));
                let state = model.sim.states.iter().find(|state| state.id == *id).filter(|_| model.is_running());
                InspectorShows::Resource {
                    id: id.clone(),
                    state: state.cloned(),
                    place: model.resource_place(id),
                    file,
                    picture,
                    functions: model.check.functions.clone(),
                    chain: model.why.chain.clone(),
                    moments: model.why.moments.clone(),
                }
            }
            _ => InspectorShows::Nothing,
        }
    }
}

/// The path of a file resource.
fn file_path(vertex: &ResourceVertex) -> Option<String> {
    if vertex.kind != "file" {
        return None;
    }
    let field = vertex.fields.iter().find(|field| field.name == "path");
    Some(field.map_or(vertex.name.clone(), |field| field.value.trim_matches('"').to_owned()))
}

fn has_file(model: &Model, path: &str) -> bool {
    let plain = |path: &str| path.trim_end_matches('/').to_owned();
    model.is_running() && model.sim.files.iter().any(|file| plain(&file.path) == plain(path))
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
