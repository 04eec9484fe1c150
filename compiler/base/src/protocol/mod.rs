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
    /// The moment this many milliseconds later; saturates.
    pub fn plus_ms(self, ms: u64) -> Moment {
        Moment(self.0.saturating_add(ms.saturating_mul(1_000_000)))
    }
}

/// Names one request; its answer carries it back. Never used twice in one run of a brain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Ticket(pub u64);

/// A message from a body to the brain.
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
    /// A watch is in place (`None`, once and first), or something it watches has changed: look again. The text says
    /// what, in words: a path, a command line.
    Fired(Ticket, Option<String>),
    /// A watch ended unexpectedly or could not be set up; it is over.
    WatchFailed(Ticket, HostError),
    /// The moment requested by `Idle { wake }` has come. An early tick is harmless.
    Tick,
    /// A user or the system asks to stop; each further request is one step more forceful.
    Stop(StopMode),
    /// A text that a fact is about to tell is a secret: hide it wherever it appears. Comes before that fact.
    Secret(Secret),
}

impl Input {
    /// The secrets in it, to be masked before it is recorded.
    pub fn secrets(&mut self) -> Vec<&mut Secret> {
        match self {
            Input::Probed(_, findings) => findings.iter_mut().flat_map(Finding::secrets).collect(),
            Input::Secret(secret) => vec![secret],
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

/// A request of the brain to a body.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Output {
    /// Report a fact now and whenever it changes; answer with `Fact`.
    Subscribe(Ticket, FactSpec),
    /// End a subscription.
    Unsubscribe(Ticket),
    /// Look at the host; answer with `Probed`. The id names the resource's state directory.
    Probe(Ticket, ResourceId, Vec<Probe>),
    /// Carry out these steps in order; answer with `Applied`.
    Apply(Ticket, ResourceId, Vec<Step>),
    /// Stop the probe or apply of this ticket: commands get their signal (`Soft`) or are killed (`Hard`). The answer
    /// still comes, without the items that were not started. `Graceful`: everything may finish, except that long
    /// operations which are safe to interrupt (a copy) fail as `Cancelled`.
    Cancel(Ticket, StopMode),
    /// Watch all of these; answer with `Fired` or `WatchFailed`.
    Watch(Ticket, Vec<Watch>),
    /// End a watch.
    Unwatch(Ticket),
    /// An event for users and logs.
    Report(Event),
    /// Nothing more to do: call again at `wake`, or on the next event. Where more is left than one call should take, that
    /// moment has already come: whatever else happened goes first, and a `Tick` leads on.
    Idle {
        /// The next moment to call, if any.
        wake: Option<Moment>,
    },
    /// The last output: end with this status.
    Exit {
        /// The exit status, see [`status`].
        status: i32,
    },
}

/// A state machine that drives a host: the brain, or part of it in tests.
pub trait Machine {
    /// Takes one input; then drain with [`poll`](Machine::poll).
    fn handle(&mut self, now: Moment, input: Input);
    /// The next output, until `Idle`.
    fn poll(&mut self) -> Output;
}

/// Kind and name of a resource.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct ResourceId {
    /// The kind, such as `file`.
    pub kind: Arc<str>,
    /// The name.
    pub name: Arc<str>,
}

impl ResourceId {
    /// The id of a resource of this kind and name.
    pub fn new(kind: impl Into<Arc<str>>, name: impl Into<Arc<str>>) -> ResourceId {
        ResourceId { kind: kind.into(), name: name.into() }
    }
}

impl std::fmt::Display for ResourceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.kind, self.name)
    }
}
