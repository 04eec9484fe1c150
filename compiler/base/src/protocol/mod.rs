//! The protocol between the brain and a body: a sans-IO state machine's inputs and outputs.
//!
//! ```text
//! brain.handle(now, input);
//! loop { match brain.poll() { Output::Idle { wake } => break, output => body.carry_out(output) } }
//! ```
//!
//! **One change, then drain.** Everything in flight has a [`Ticket`]; late, doubled and unknown
//! answers are dropped. A trace is a list of inputs with their moments; replaying it gives the same
//! outputs, byte for byte.

#[cfg(any(test, feature = "contract"))]
pub mod contract;
pub mod digest;
mod event;
mod options;
pub mod trace;

pub use event::{Cause, Event, Phase, StepReport, What};
pub use options::{Deploy, Options, StopMode, status};

use crate::vocab::password::Secret;
use crate::vocab::{Datum, FactSpec, Finding, HostError, Outcome, Probe, Step, Watch};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Nanoseconds since the driver started.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Moment(pub u64);

impl Moment {
    pub fn plus_ms(self, ms: u64) -> Moment {
        Moment(self.0.saturating_add(ms.saturating_mul(1_000_000)))
    }
}

/// Names one request; its answer carries it back. Never used twice in one run of a brain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Ticket(pub u64);

/// What a body tells the brain.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Input {
    /// A program to run from now on.
    Deploy(Deploy),
    /// The answer to `Subscribe`, and each later value of that fact.
    Fact(Ticket, Result<Datum, HostError>),
    /// The answer to `Probe`.
    Probed(Ticket, Vec<Finding>),
    /// The answer to `Apply`: one outcome per step that was tried; a failed one is the last.
    Applied(Ticket, Vec<Outcome>),
    /// A watch is in place (`None`, once and first), or something that it watches changed: look
    /// again. The text says what, for people: a path, a command's line.
    Fired(Ticket, Option<String>),
    /// A watch ended by itself or could not be made; it is over.
    WatchFailed(Ticket, HostError),
    /// The moment asked for by `Idle { wake }` has come. Too early is harmless.
    Tick,
    /// A person or the system asks to end; each further one climbs a rung.
    Stop(StopMode),
}

impl Input {
    /// What nobody may be shown of it.
    pub fn secrets(&mut self) -> Vec<&mut Secret> {
        match self {
            Input::Probed(_, findings) => findings.iter_mut().flat_map(Finding::secrets).collect(),
            Input::Deploy(_)
            | Input::Fact(..)
            | Input::Applied(..)
            | Input::Fired(..)
            | Input::WatchFailed(..)
            | Input::Tick
            | Input::Stop(_) => Vec::new(),
        }
    }
}

/// What the brain asks of a body.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Output {
    Subscribe(Ticket, FactSpec),
    Unsubscribe(Ticket),
    /// Look; answer with `Probed`. The resource's identity names its state directory.
    Probe(Ticket, ResourceId, Vec<Probe>),
    /// Change, in this order; answer with `Applied`.
    Apply(Ticket, ResourceId, Vec<Step>),
    /// Stop what runs for this ticket's probe or apply: the commands get their signal (`Soft`), or
    /// are killed (`Hard`). The answer still comes; of a list, what was not begun is left out. `Graceful`: all may end
    /// by itself, but what takes long and harms nobody when it is left off (a copy) fails as `Cancelled`.
    Cancel(Ticket, StopMode),
    Watch(Ticket, Vec<Watch>),
    Unwatch(Ticket),
    /// For people and logs.
    Report(Event),
    /// Nothing more to do: call again at `wake`, or on the next event. Where more is left than one call should take, that
    /// moment has already come: whatever else happened goes first, and a `Tick` leads on.
    Idle {
        wake: Option<Moment>,
    },
    /// The last output: end with this status.
    Exit {
        status: i32,
    },
}

/// What drives a host: the brain, or in tests a part of it.
pub trait Machine {
    fn handle(&mut self, now: Moment, input: Input);
    /// What comes next, until `Idle`.
    fn poll(&mut self) -> Output;
}

/// Kind and name of a resource.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct ResourceId {
    pub kind: Arc<str>,
    pub name: Arc<str>,
}

impl ResourceId {
    pub fn new(kind: impl Into<Arc<str>>, name: impl Into<Arc<str>>) -> ResourceId {
        ResourceId { kind: kind.into(), name: name.into() }
    }
}

impl std::fmt::Display for ResourceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.kind, self.name)
    }
}
