//! TFTP servers: the world's [`Boot`](crate::Boot).

pub(super) mod state;

use super::{Answer, Context, Play, Simulated, absent};
use crate::protocol::Ticket;
use crate::vocab::subjects::Tftp;
use crate::vocab::tftp::{Finding, Probe, Watch};
use crate::vocab::{Datum, FileKind, HostError, HostErrorKind, Outcome};
use crate::{SimHost, World};

impl Simulated for Tftp {
    type State = state::Boot;
}

impl Play for Tftp {
    absent! { step fact }

    fn probe(at: &mut Context, Probe { server }: &Probe) -> Answer<Finding> {
        let looked = look(at.world, server);
        if looked.is_ok() {
            at.world.subjects.tftp.ready(server);
        }
        looked.map(|()| Finding::Ready).into()
    }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.world.subjects.tftp.open(ticket, watch.clone())
    }

    fn leave(host: &mut SimHost, ticket: Ticket, _: &Watch) {
        host.world.subjects.tftp.close(ticket);
    }
}

/// Errors: something to serve is missing.
fn look(world: &World, server: &Watch) -> Result<(), HostError> {
    if !server.root.is_empty() {
        let stat = world.tree.stat(&server.root, true)?;
        if stat.is_none_or(|stat| stat.kind != FileKind::Dir) {
            let why = format!("the root {} is not a directory", server.root);
            return Err(HostError::new(HostErrorKind::NotADirectory, why));
        }
    }
    server.paths().try_for_each(|path| world.tree.read(path).map(drop))
}
