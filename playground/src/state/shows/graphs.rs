//! The data of the two graphs, and of the selected vertex.

use crate::state::{Chain, Effect, Model, Moments, Selection, Shared, View};
use crate::worker::protocol::{Graph, Picture};
use mclive_base::shapes::host::ResourceState;
use mclive_base::shapes::{FunctionGraph, Place, ResourceGraph, ResourceVertex};

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
    /// Resources that are shown as broken, since they have just been repaired; `None` while time is stopped.
    pub repaired: Option<Shared<Vec<String>>>,
    /// The host, if the program declares several or several are simulated.
    pub host: Option<String>,
    /// Whether the program is a model.
    pub is_model: bool,
    /// The reason if there is no graph. `None`: there is one, and errors do not change it.
    pub otherwise: Option<NoGraph>,
    /// The selected vertex.
    pub selected: Option<String>,
    /// What led to the selection.
    pub chain: Shared<Chain>,
    /// Whether its text is large.
    pub is_large: bool,
    /// On a first visit, what the program has done to the host.
    pub effect: Option<Effect>,
}

/// The data of the function graph view.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionsShow {
    /// The graph.
    pub picture: Shared<Picture<FunctionGraph>>,
    /// Values by vertex; `None` while the host runs a different text, or none.
    pub values: Option<Shared<Vec<Option<String>>>>,
    /// For each vertex, the index of its value; empty if they are the same.
    pub value_of: Shared<Vec<u32>>,
    /// Whether all vertices are shown by the engine's names.
    pub in_full: bool,
    /// Functions, or a model in place of them.
    pub graph: Graph,
    /// The reason if there is no graph. `None`: there is one, and errors do not change it.
    pub otherwise: Option<NoGraph>,
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
        /// Whether it is an instance of a model, which has no value.
        is_instance: bool,
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

impl NoGraph {
    /// Takes the reason from the model; `None`: there are vertices.
    fn of<V>(model: &Model, vertices: &[V]) -> Option<NoGraph> {
        if !vertices.is_empty() {
            return None;
        }
        let is_undrawn = model.check.drawn < model.opened_at.max(1) && model.check.lost.is_none();
        Some(match () {
            () if model.is_unchecked() && !model.held => NoGraph::Compiling,
            () if model.check.n_errors() > 0 => NoGraph::Errors,
            () if is_undrawn && !model.held => NoGraph::Compiling,
            () => NoGraph::Empty,
        })
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
            repaired: (model.is_running() && model.sim.playing).then(|| model.sim.repairs.shown.clone()),
            host: (model.sim.cards.len() > 1 || model.check.hosts.len() > 1).then(|| model.sim.hostname.clone()),
            is_model: model.has_model(),
            otherwise: NoGraph::of(model, &model.resources().graph.vertices),
            selected,
            chain: model.why.chain.clone(),
            is_large: model.large,
            effect: Effect::of(model),
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
            graph: if model.has_model() { Graph::Model } else { Graph::Functions },
            otherwise: NoGraph::of(model, &model.check.functions.graph.vertices),
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
                is_instance: model.has_model(),
                picture: model.check.functions.clone(),
                value: model.value_of(*at).map(str::to_owned),
                chain: model.why.chain.clone(),
                moments: model.why.moments.clone(),
            },
            (Some(Selection::Resource(id)), View::Resources) => {
                let picture = model.resources().clone();
                let vertex = picture.graph.vertices.iter().find(|vertex| vertex.has_id(id));
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
pub(super) fn file_path(vertex: &ResourceVertex) -> Option<String> {
    if vertex.kind != "file" {
        return None;
    }
    let field = vertex.fields.iter().find(|field| field.name == "path");
    Some(field.map_or(vertex.name.clone(), |field| field.value.trim_matches('"').to_owned()))
}

fn has_file(model: &Model, path: &str) -> bool {
    let path = path.trim_end_matches('/');
    model.is_running() && model.sim.files.iter().any(|file| file.path.trim_end_matches('/') == path)
}
