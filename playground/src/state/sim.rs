//! [`Sim`]: what the page knows of the simulated host.

use super::marks::Marks;
use super::model::Lost;
use super::repairs::Repairs;
use super::shared::Shared;
use super::time::Repetition;
use crate::worker::protocol::{Picture, ProgramFile, Request};
use mclive_base::shapes;
use mclive_base::shapes::host::{Holding, HostCard, HostFile, LogLine, ResourceState, Snapshot};
use std::collections::VecDeque;

/// The maximum number of lines kept in the log.
pub const MAX_LOG: usize = 400;

/// The maximum number of marks kept.
pub const MAX_MARKS: usize = 10_000;

/// The simulated host.
#[derive(Clone, PartialEq, Debug)]
pub struct Sim {
    /// The edit of the running program; 0: none.
    pub edit: u64,
    /// The files that were deployed last; empty if they are not known.
    pub deployed: Shared<Vec<ProgramFile>>,
    /// Whether the simulation is playing.
    pub playing: bool,
    /// Simulated milliseconds per millisecond.
    pub speed: u32,
    /// Simulated time that has passed and was not requested yet. Units: milliseconds.
    pub due_ms: u64,
    /// Whether the next deploy starts with an empty host.
    pub fresh: bool,
    /// Name of the displayed host.
    pub hostname: String,
    /// The snapshot without its large parts, which follow.
    pub snapshot: Shared<Snapshot>,
    /// The state of each resource, in the order of the resource graph.
    pub states: Shared<Vec<ResourceState>>,
    /// The value of each vertex of the function graph.
    pub values: Shared<Vec<Option<String>>>,
    /// The files of the host.
    pub files: Shared<Vec<HostFile>>,
    /// The resource graph in effect.
    pub resources: Option<Shared<Picture<shapes::ResourceGraph>>>,
    /// The log, oldest first.
    pub log: Shared<VecDeque<LogLine>>,
    /// Resources that were repaired just now.
    pub repairs: Repairs,
    /// All marks, oldest first; also those after `step`.
    pub marks: Shared<Marks>,
    /// The step of the displayed moment.
    pub step: u64,
    /// Whether that moment is before the last deploy.
    pub is_earlier_program: bool,
    /// The cards of all hosts.
    pub cards: Shared<Vec<HostCard>>,
    /// Everything on the host except files.
    pub holdings: Shared<Vec<Holding>>,
    /// A request about time that takes several answers.
    pub errand: Option<Request>,
    /// Set if the errand is a repetition with another program.
    pub repetition: Option<Repetition>,
    /// Set if the worker was lost while this program ran; it is not restarted automatically.
    pub lost: Option<Lost>,
}

impl Default for Sim {
    fn default() -> Sim {
        Sim {
            edit: 0,
            deployed: Shared::default(),
            playing: true,
            speed: 1,
            due_ms: 0,
            fresh: true,
            hostname: "web1".into(),
            snapshot: Shared::default(),
            states: Shared::default(),
            values: Shared::default(),
            files: Shared::default(),
            resources: None,
            log: Shared::default(),
            repairs: Repairs::default(),
            marks: Shared::default(),
            step: 0,
            is_earlier_program: false,
            cards: Shared::default(),
            holdings: Shared::default(),
            errand: None,
            repetition: None,
            lost: None,
        }
    }
}
