//! What each part of the page shows of the model.
//!
//! A part is given this and nothing else, and is rendered when it is another one than before. So a beat of the
//! simulated clock, which changes the model ten times a second, renders the clock and what else has changed.

use super::model::{Lost, Model, Selection, View, is_error};
use super::{File, Program, Shared, Theme, file_of};
use crate::examples;
use crate::worker::protocol::{Graph, Picture};
use mclive_base::layout;
use mclive_base::shapes::host::{Holding, HostCard, HostFile, HostHealth, LogLine, Phase, ResourceState};
use mclive_base::shapes::{Diagnostic, FunctionGraph, Place, ResourceGraph, ResourceVertex};
use std::collections::VecDeque;
use std::rc::Rc;

#[derive(Clone, PartialEq, Debug)]
pub struct HeaderShows {
    /// The example that the text is, as an index of [`examples::ALL`].
    pub example: Option<usize>,
    pub theme: Option<Theme>,
    /// A lesson is open.
    pub learns: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct StoppedShows {
    pub held: bool,
    pub lost: Option<Lost>,
    /// The program over which the compiler crashed, for a report.
    pub crashed: Option<Program>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ProblemsShows {
    pub checked: bool,
    pub problems: Shared<Vec<Diagnostic>>,
    /// There are several files: each problem tells its own.
    pub names_files: bool,
}

/// The tabs above the editor.
#[derive(Clone, PartialEq, Debug)]
pub struct FilesShows {
    pub tabs: Vec<FileTab>,
    pub shown: usize,
    /// The file that was deleted last.
    pub removed: Option<Rc<str>>,
    /// Files may be added, renamed and deleted. A lesson has its own.
    pub can_change: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileTab {
    pub name: Rc<str>,
    pub n_errors: usize,
    pub n_warnings: usize,
}

#[derive(Clone, PartialEq, Debug)]
pub struct TabsShow {
    pub view: View,
    /// By tab: none for the lesson, errors, resources, vertices of the function graph, files, lines of the log.
    pub counts: [usize; 6],
    /// A lesson is open.
    pub has_lesson: bool,
    /// Is the graph of what is computed a model of instances?
    pub has_model: bool,
}

/// Why there is no graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoGraph {
    Compiling,
    Errors,
    Empty,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ResourcesShow {
    pub picture: Shared<Picture<ResourceGraph>>,
    /// `None` while no program runs.
    pub states: Option<Shared<Vec<ResourceState>>>,
    /// The host that they are of, where the program tells of several or several are simulated.
    pub host: Option<String>,
    pub otherwise: NoGraph,
    pub selected: Option<String>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct FunctionsShow {
    pub picture: Shared<Picture<FunctionGraph>>,
    /// By vertex; `None` while the host runs another text, or none.
    pub values: Option<Shared<Vec<Option<String>>>>,
    /// Functions, or a model in their place.
    pub graph: Graph,
    pub otherwise: NoGraph,
    pub selected: Option<u32>,
}

/// The vertex that is looked at, with the graph around it.
#[derive(Clone, PartialEq, Debug)]
pub enum InspectorShows {
    Nothing,
    Function {
        at: u32,
        picture: Shared<Picture<FunctionGraph>>,
        value: Option<String>,
    },
    Resource {
        id: String,
        picture: Shared<Picture<ResourceGraph>>,
        state: Option<ResourceState>,
        place: Option<Place>,
        /// A file of the running host that can be changed behind the program's back.
        file: Option<String>,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub enum HostShows {
    Off,
    /// A recorded run: its files are elsewhere.
    Recorded,
    Running {
        /// The host that is looked at.
        host: String,
        is_paused: bool,
        /// The name that one more host would get; `None` where the program says which hosts there are.
        next_host: Option<String>,
        /// It is not the only host.
        has_others: bool,
        holdings: Shared<Vec<Holding>>,
        hostname: String,
        clock_s: i64,
        files: Shared<Vec<HostFile>>,
        /// The first file that the program describes.
        first: Option<String>,
    },
}

/// The hosts that a fleet has at most.
const MAX_HOSTS: usize = 20;

#[derive(Clone, PartialEq, Debug)]
pub struct FleetShows {
    pub cards: Shared<Vec<HostCard>>,
    /// The host that is looked at.
    pub host: String,
}

#[derive(Clone, PartialEq, Debug)]
pub struct LogShows {
    pub log: Shared<VecDeque<LogLine>>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct TransportShows {
    pub playing: bool,
    pub running: bool,
    pub speed: u32,
}

/// How the whole host does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Health {
    Paused,
    /// The worker was lost.
    Stopped,
    Errors,
    Starting,
    /// The program ended, and why.
    Ended(String),
    Failed(usize),
    Converged,
    /// Values that change all the time never let it be quiet, and yet all is well.
    UpToDate,
    Working,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedShows {
    pub hostname: String,
    pub done: usize,
    pub all: usize,
}

impl HeaderShows {
    pub fn of(model: &Model) -> HeaderShows {
        let example = examples::ALL.iter().position(|example| example.is(&model.program));
        HeaderShows { example, theme: model.theme, learns: model.learn.at.is_some() }
    }
}

impl StoppedShows {
    pub fn of(model: &Model) -> StoppedShows {
        let lost = model.check.lost.clone().or_else(|| model.sim.lost.clone());
        let crashed = matches!(lost, Some(Lost::Broke { .. })).then(|| model.program.clone());
        StoppedShows { held: model.held, lost, crashed }
    }
}

impl ProblemsShows {
    pub fn of(model: &Model) -> ProblemsShows {
        let names_files = model.program.files().len() > 1;
        ProblemsShows { checked: model.check.edit != 0, problems: model.check.calm.clone(), names_files }
    }
}

impl FilesShows {
    pub fn of(model: &Model) -> FilesShows {
        let tab = |file: &File| FileTab { name: file.name.clone(), n_errors: 0, n_warnings: 0 };
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

/// Is the graph of what is computed a model of instances?
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
        }
    }
}

impl FunctionsShow {
    pub fn of(model: &Model) -> FunctionsShow {
        let selected = match model.selected {
            Some(Selection::Function(at)) => Some(at),
            Some(Selection::Resource(_)) | None => None,
        };
        FunctionsShow {
            picture: model.check.functions.clone(),
            values: model.tells_values().then(|| model.sim.values.clone()),
            graph: if has_model(model) { Graph::Model } else { Graph::Functions },
            otherwise: NoGraph::of(model),
            selected,
        }
    }
}

impl InspectorShows {
    pub fn of(model: &Model) -> InspectorShows {
        match (&model.selected, model.view) {
            (Some(Selection::Function(at)), View::Functions) => InspectorShows::Function {
                at: *at,
                picture: model.check.functions.clone(),
                value: model.value_of(*at).map(str::to_owned),
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
                }
            }
            _ => InspectorShows::Nothing,
        }
    }
}

/// The path that a file resource is about.
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

impl HostShows {
    pub fn of(model: &Model) -> HostShows {
        if !model.is_running() {
            return HostShows::Off;
        }
        let snapshot = &model.sim.snapshot;
        if snapshot.replay.is_some() {
            return HostShows::Recorded;
        }
        let described: std::collections::BTreeSet<String> =
            model.resources().graph.vertices.iter().filter_map(file_path).collect();
        let first = model.sim.files.iter().find(|file| described.contains(&file.path));
        HostShows::Running {
            host: model.sim.hostname.clone(),
            is_paused: model
                .sim
                .cards
                .iter()
                .any(|card| card.host == model.sim.hostname && card.health == HostHealth::Paused),
            next_host: model.check.hosts.is_empty().then(|| next_host(&model.sim.cards)).flatten(),
            has_others: model.sim.cards.len() > 1,
            holdings: model.sim.holdings.clone(),
            hostname: snapshot.hostname.clone(),
            clock_s: snapshot.clock_s,
            files: model.sim.files.clone(),
            first: first.map(|file| file.path.clone()),
        }
    }
}

/// The first free name for one more host; `None`: there are as many as may be.
fn next_host(cards: &[HostCard]) -> Option<String> {
    let is_free = |name: &String| cards.iter().all(|card| card.host != *name);
    (1..=MAX_HOSTS).map(|number| format!("web{number}")).find(|name| cards.len() < MAX_HOSTS && is_free(name))
}

impl FleetShows {
    pub fn of(model: &Model) -> FleetShows {
        let cards = if model.is_running() { model.sim.cards.clone() } else { Shared::default() };
        FleetShows { cards, host: model.sim.hostname.clone() }
    }
}

impl LogShows {
    pub fn of(model: &Model) -> LogShows {
        LogShows { log: model.sim.log.clone() }
    }
}

impl TransportShows {
    pub fn of(model: &Model) -> TransportShows {
        TransportShows { playing: model.sim.playing, running: model.is_running(), speed: model.sim.speed }
    }
}

impl Health {
    pub fn of(model: &Model) -> Health {
        let states = &model.sim.states;
        let n_failed = states.iter().filter(|state| state.phase == Phase::Failed).count();
        match &model.sim.snapshot.stopped {
            _ if model.held => Health::Paused,
            _ if model.check.lost.is_some() || model.sim.lost.is_some() => Health::Stopped,
            _ if model.check.n_errors() > 0 && model.check.edit == model.edit => Health::Errors,
            _ if !model.is_running() => Health::Starting,
            Some(why) => Health::Ended(why.clone()),
            None if n_failed > 0 => Health::Failed(n_failed),
            None if model.sim.snapshot.converged => Health::Converged,
            None if states.iter().all(|state| matches!(state.phase, Phase::InState | Phase::Changed)) => {
                Health::UpToDate
            }
            None => Health::Working,
        }
    }
}

impl RecordedShows {
    /// `None`: what is shown was not recorded elsewhere.
    pub fn of(model: &Model) -> Option<RecordedShows> {
        let snapshot = &model.sim.snapshot;
        let replay = snapshot.replay.as_ref().filter(|_| model.is_running())?;
        Some(RecordedShows { hostname: snapshot.hostname.clone(), done: replay.done, all: replay.all })
    }
}

/// The right side: the tabs, and the one view that is open.
#[derive(Clone, PartialEq, Debug)]
pub struct StageShows {
    pub tabs: TabsShow,
    pub open: OpenView,
}

#[derive(Clone, PartialEq, Debug)]
pub enum OpenView {
    /// What is a view on small screens only.
    Aside,
    Resources(ResourcesShow, InspectorShows),
    Functions(FunctionsShow, InspectorShows),
    Host(HostShows),
    Log(LogShows),
}

impl StageShows {
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
