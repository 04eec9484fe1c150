//! Web servers: the world's [`Web`](crate::web::Web).

use super::{Answer, Place, Play, Simulated, absent, done};
use crate::protocol::Ticket;
use crate::vocab::server::{Finding, Probe, Step, Watch};
use crate::vocab::subjects::Server;
use crate::vocab::{Datum, HostError, Outcome};
use crate::{SimHost, World};

impl Simulated for Server {
    type State = ();
}

impl Play for Server {
    absent! { fact }

    fn probe(at: &mut Place, probe: &Probe) -> Answer<Finding> {
        Answer::Now(Ok(match probe {
            Probe::Posted { address } => Finding::Forms(at.world.web.posted(address)),
            Probe::Open { .. } => Finding::Open,
            Probe::Shown { address } => Finding::Shown(at.world.web.shown(address)),
        }))
    }

    fn step(at: &mut Place, step: &Step) -> Answer<Outcome> {
        done(at.world.web.show(step))
    }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        let mut web = std::mem::take(&mut host.world.web);
        let opened = web.open(ticket, watch.clone(), &host.world);
        host.world.web = web;
        opened
    }

    fn leave(host: &mut SimHost, ticket: Ticket, _: &Watch) {
        host.world.web.close(ticket);
    }
}
