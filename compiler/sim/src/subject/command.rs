//! Commands: scripted ones, and those of [`process`](crate::process).

use super::{Answer, Place, Play, Simulated};
use crate::protocol::Ticket;
use crate::vocab::command::{Fact, Finding, Probe, Step, Watch};
use crate::vocab::subjects::Command;
use crate::vocab::{CommandSpec, Datum, HostError, Outcome};
use crate::{SimHost, World};

impl Simulated for Command {
    type State = ();
}

impl Play for Command {
    fn probe(_: &mut Place, probe: &Probe) -> Answer<Finding> {
        Answer::Command(probe.clone())
    }

    fn step(_: &mut Place, step: &Step) -> Answer<Outcome> {
        Answer::Command(step.clone())
    }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.follow(ticket, watch)
    }

    fn fact(_: &mut World, _: u64, Fact::Lines { command }: &Fact) -> Result<Datum, HostError> {
        Err(HostError::unavailable(&format!("the output of `{command}`"), "the command is still running"))
    }

    fn stream(host: &mut SimHost, ticket: Ticket, Fact::Lines { command }: &Fact) {
        let argv = vec!["/bin/sh".into(), "-c".into(), command.into()];
        let env = host.world.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let spec = CommandSpec { argv, env, signal: "SIGTERM".into(), ..CommandSpec::default() };
        if let Err(error) = host.follow(ticket, &spec) {
            host.tell_value(ticket, Err(error));
        }
    }
}
