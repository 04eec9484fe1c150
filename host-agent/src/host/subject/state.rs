//! The state files of resources, below the prefix.

use super::{Backend, Context, absent};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;

use mclive_base::vocab::state::{Finding, Probe, Step};
use mclive_base::vocab::subjects::State;
use mclive_base::vocab::{Datum, HostError, Outcome};

impl Backend for State {
    type State = ();
    absent! { watch fact }

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        let state = &at.shared.state;
        match probe {
            Probe::Read { name } => state.read(at.id, name).map(Finding::Bytes),
            Probe::Stat { name } => state.stat(at.id, name).map(Finding::Stat),
            Probe::List { name } => state.list(name).map(Finding::All),
        }
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        match step {
            Step::Write { name, content } => at.shared.state.write(at.id, name, content)?,
            Step::Remove { name } => at.shared.state.remove(at.id, name)?,
        }
        Ok(Outcome::Done)
    }
}
