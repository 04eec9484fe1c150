//! Web servers: the world's [`Web`].

use super::{Answer, Context, Play, Simulated, absent, done};
use crate::protocol::Ticket;
use crate::vocab::server::{Finding, Probe, Step, Watch};
use crate::vocab::subjects::Server;
use crate::vocab::{Datum, HostError, Outcome};
use crate::{SimHost, Web, World};

impl Simulated for Server {
    type State = Web;
}

impl Play for Server {
    absent! { fact }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        Answer::Now(Ok(match probe {
            Probe::Posted { address } => Finding::Forms(at.world.subjects.server.posted(address)),
            Probe::Open { .. } => Finding::Open,
            Probe::Shown { address } => Finding::Shown(at.world.subjects.server.shown(address)),
        }))
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        done(at.world.subjects.server.show(step))
    }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        let mut web = std::mem::take(&mut host.world.subjects.server);
        let opened = web.open(ticket, watch.clone(), &host.world);
        host.world.subjects.server = web;
        opened
    }

    fn leave(host: &mut SimHost, ticket: Ticket, _: &Watch) {
        host.world.subjects.server.close(ticket);
    }
}
