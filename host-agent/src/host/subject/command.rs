//! Commands: processes of the host.

use super::{Backend, Context};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;

use crate::host::exec;
use crate::host::program::Asker;
use mclive_base::vocab::command::{Fact, Finding, Probe, Step, Watch};
use mclive_base::vocab::subjects::Command;
use mclive_base::vocab::{CommandOutcome, CommandSpec, Datum, HostError, Outcome};

impl Backend for Command {
    type State = ();

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        run(at, probe)
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        run(at, step).map(Outcome::Command)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.follow_watch(ticket, watch.clone());
        Ok(())
    }

    fn fact(_: &Shared, Fact::Lines { command }: &Fact) -> Result<Datum, HostError> {
        Err(HostError::unavailable(command, "the lines of a command can be watched, but not read"))
    }

    fn stream(host: &mut Host, ticket: Ticket, Fact::Lines { command }: &Fact) {
        host.follow_lines(ticket, command, |line| Ok(Datum::Bytes(line)));
    }
}

fn run(at: &Context, spec: &CommandSpec) -> Result<CommandOutcome, HostError> {
    let program = at.shared.may_run(Asker::Resource(&at.id.kind), spec)?;
    exec::run(spec, &program, at.running, &|text| at.shared.show.line(at.id, text))
}
