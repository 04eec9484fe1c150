//! The data of the simulated hosts: the displayed one, the fleet, the log, and the controls.

use super::graphs::file_path;
use crate::state::{Chain, HostMoment, Model, Moments, Section, Selection, Shared, WorkerState};
use mclive_base::shapes::host::{Holding, HostCard, HostFile, HostHealth, LogLine, Phase};
use std::collections::{BTreeMap, VecDeque};

/// The data of the host view.
#[derive(Clone, PartialEq, Debug)]
pub enum HostShows {
    /// No host.
    Off,
    /// A recorded run: its files are elsewhere.
    Recorded,
    /// A simulated host.
    Running {
        /// The displayed host.
        host: String,
        /// Whether it is paused.
        is_paused: bool,
        /// Whether it is cut off from the shared store.
        is_disconnected: bool,
        /// The name of an additional host; `None` if the program declares its hosts.
        next_host: Option<String>,
        /// Whether there are other hosts.
        has_others: bool,
        /// The cards of all hosts.
        cards: Shared<Vec<HostCard>>,
        /// Everything except files.
        holdings: Shared<Vec<Holding>>,
        /// Its host name.
        hostname: String,
        /// Its wall clock, in seconds since 1970.
        clock_s: i64,
        /// Its files.
        files: Box<FilesShow>,
        /// The displayed section.
        section: Section,
        /// The moment to compare with.
        kept: Option<Shared<HostMoment>>,
        /// The displayed moment.
        now: Box<HostMoment>,
    },
}

/// The data of the files of a host.
#[derive(Clone, PartialEq, Debug)]
pub struct FilesShow {
    /// Every file.
    pub all: Shared<Vec<HostFile>>,
    /// The file that was chosen, and the first one that the program declares.
    pub chosen: [Option<String>; 2],
    /// The resource that manages each file, by path.
    pub managers: BTreeMap<String, String>,
    /// What happened to the selected resource.
    pub selected: Option<(String, Shared<Moments>)>,
}

/// The maximum number of hosts of a fleet.
const MAX_HOSTS: usize = 20;

/// The data of the fleet.
#[derive(Clone, PartialEq, Debug)]
pub struct FleetShows {
    /// The card of each host.
    pub cards: Shared<Vec<HostCard>>,
    /// The displayed host.
    pub host: String,
}

/// The data of the log view.
#[derive(Clone, PartialEq, Debug)]
pub struct LogShows {
    /// The log, oldest first.
    pub log: Shared<VecDeque<LogLine>>,
    /// What the selection is about.
    pub chain: Shared<Chain>,
    /// What happened to it.
    pub moments: Shared<Moments>,
}

/// The data of the simulation controls.
#[derive(Clone, PartialEq, Debug)]
pub struct TransportShows {
    /// Whether the simulation is playing.
    pub playing: bool,
    /// Whether there is a program on the host.
    pub running: bool,
    /// The speed of the simulation.
    pub speed: u32,
}

/// The health of the whole host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Health {
    /// Paused.
    Paused,
    /// A part of the compiler is being loaded.
    Loading,
    /// The worker was lost.
    Stopped,
    /// The program has errors.
    Errors,
    /// The program is being deployed.
    Starting,
    /// The program ended, with the reason.
    Ended(String),
    /// This many resources have failed.
    Failed(usize),
    /// Converged.
    Converged,
    /// Everything is up to date, but values that change constantly prevent convergence.
    UpToDate,
    /// Some resources are being checked or applied.
    Working,
}

impl HostShows {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> HostShows {
        if !model.is_running() {
            return HostShows::Off;
        }
        let snapshot = &model.sim.snapshot;
        if snapshot.replay.is_some() {
            return HostShows::Recorded;
        }
        let managers = model.resources().graph.vertices.iter();
        let managers: BTreeMap<String, String> =
            managers.filter_map(|vertex| Some((file_path(vertex)?, vertex.id()))).collect();
        let first = model.sim.files.iter().find(|file| managers.contains_key(&file.path));
        let selected = match &model.selected {
            Some(Selection::Resource(id)) => Some((id.clone(), model.why.moments.clone())),
            Some(Selection::Function(_)) | None => None,
        };
        let card = model.sim.cards.iter().find(|card| card.host == model.sim.hostname);
        HostShows::Running {
            host: model.sim.hostname.clone(),
            is_paused: card.is_some_and(|card| card.health == HostHealth::Paused),
            is_disconnected: card.is_some_and(|card| card.is_disconnected),
            next_host: model.check.hosts.is_empty().then(|| next_host(&model.sim.cards)).flatten(),
            has_others: model.sim.cards.len() > 1,
            cards: model.sim.cards.clone(),
            holdings: model.sim.holdings.clone(),
            hostname: snapshot.hostname.clone(),
            clock_s: snapshot.clock_s,
            files: Box::new(FilesShow {
                all: model.sim.files.clone(),
                chosen: [model.host_file.clone(), first.map(|file| file.path.clone())],
                managers,
                selected,
            }),
            section: model.section,
            kept: model.kept.clone(),
            now: Box::new(HostMoment::of(model)),
        }
    }
}

/// The first free name for another host; `None`: the limit is reached.
fn next_host(cards: &[HostCard]) -> Option<String> {
    let is_free = |name: &String| cards.iter().all(|card| card.host != *name);
    (1..=MAX_HOSTS).map(|number| format!("web{number}")).find(|name| cards.len() < MAX_HOSTS && is_free(name))
}

impl FleetShows {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> FleetShows {
        let cards = if model.is_running() { model.sim.cards.clone() } else { Shared::default() };
        FleetShows { cards, host: model.sim.hostname.clone() }
    }
}

impl LogShows {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> LogShows {
        LogShows { log: model.sim.log.clone(), chain: model.why.chain.clone(), moments: model.why.moments.clone() }
    }
}

impl TransportShows {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> TransportShows {
        // What is stopped is played by the same button.
        let playing = model.sim.playing && !model.is_stopped();
        TransportShows { playing, running: model.is_running(), speed: model.sim.speed }
    }
}

impl Health {
    /// Takes the data from the model.
    pub fn of(model: &Model) -> Health {
        let states = &model.sim.states;
        let n_failed = states.iter().filter(|state| state.phase == Phase::Failed).count();
        match &model.sim.snapshot.stopped {
            _ if model.held => Health::Paused,
            _ if model.worker == WorkerState::Loading => Health::Loading,
            _ if model.check.lost.is_some() || model.sim.lost.is_some() => Health::Stopped,
            _ if model.check.n_errors() > 0 && model.check.edit == model.edit => Health::Errors,
            _ if model.is_stopped() => Health::Stopped,
            _ if !model.is_running() => Health::Starting,
            Some(why) => Health::Ended(why.clone()),
            None if n_failed > 0 => Health::Failed(n_failed),
            None if model.sim.snapshot.converged => Health::Converged,
            // The graph is known before the host has reported on it.
            None if states.is_empty() && !model.resources().graph.vertices.is_empty() => Health::Starting,
            None if states.iter().all(|state| matches!(state.phase, Phase::InState | Phase::Changed)) => {
                Health::UpToDate
            }
            None => Health::Working,
        }
    }
}
