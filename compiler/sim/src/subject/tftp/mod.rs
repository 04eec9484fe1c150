//! TFTP servers: the world's [`Boot`](crate::Boot).

pub(super) mod state;

use super::{Answer, Context, Play, Simulated, absent, listed, no_such};
use crate::protocol::Ticket;
use crate::vocab::subjects::Tftp;
use crate::vocab::tftp::{Finding, Probe, Watch};
use crate::vocab::{Datum, FileKind, HostError, HostErrorKind, Outcome};
use crate::{SimHost, World};
use mclive_base::shapes::host::{Alteration, Thing};
use state::Transfer;

/// A machine asks a server for the file that is entered here.
const FETCH: &str = "fetch a file";
const AGAIN: &str = "fetch again";

impl Simulated for Tftp {
    type State = state::Boot;
}

impl Play for Tftp {
    const TITLE: &'static str = "TFTP";

    /// The servers, and the last transfers.
    fn holds(world: &World) -> Vec<Thing> {
        let tftp = &world.subjects.tftp;
        let transfer = |transfer: &Transfer| {
            let result = match &transfer.result {
                Ok(1) => "1 byte".to_owned(),
                Ok(n) => format!("{n} bytes"),
                Err(why) => why.clone(),
            };
            Thing::new(transfer_name(transfer)).fixed("result", result).verbs(&[AGAIN])
        };
        let servers = tftp.servers.all().map(|(server, answers)| shown(server, answers));
        servers.chain(tftp.transfers().iter().map(transfer)).collect()
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let tftp = &world.subjects.tftp;
        let asked = match how {
            Alteration::Set { field, value } if field == FETCH && !value.is_empty() => {
                let server = tftp.servers.all().find(|(server, _)| server_name(server) == thing);
                server.map(|(server, _)| (server.address.clone(), value.clone()))
            }
            Alteration::Do { verb } if verb == AGAIN => {
                let transfer = tftp.transfers().iter().find(|transfer| transfer_name(transfer) == thing);
                transfer.map(|transfer| (transfer.server.clone(), transfer.name.clone()))
            }
            Alteration::Set { .. } | Alteration::Do { .. } => None,
        };
        let (server, name) = asked.ok_or_else(|| no_such(thing, how))?;
        let none = || HostError::new(HostErrorKind::NotFound, format!("no TFTP server answers at {server}"));
        world.subjects.tftp.fetch(&world.tree, &server, &name).ok_or_else(none)
    }

    absent! { step fact }

    fn probe(at: &mut Context, Probe { server }: &Probe) -> Answer<Finding> {
        let looked = look(at.world, server);
        if looked.is_ok() {
            at.world.subjects.tftp.servers.ready(server);
        }
        looked.map(|()| Finding::Ready).into()
    }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.world.subjects.tftp.open(ticket, watch.clone())
    }

    fn leave(host: &mut SimHost, ticket: Ticket, _: &Watch) {
        host.world.subjects.tftp.servers.remove(ticket);
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

/// A server, with what it serves.
fn shown(server: &Watch, answers: bool) -> Thing {
    let state = if answers { "running" } else { "not ready" };
    let files: Vec<String> = server.files.iter().map(|file| file.name.clone()).collect();
    let thing = Thing::new(server_name(server)).fixed("state", state);
    let thing = if files.is_empty() { thing } else { thing.fixed("files", listed(&files)) };
    let thing = if server.root.is_empty() { thing } else { thing.fixed("files below", &server.root) };
    if answers { thing.field(FETCH, "") } else { thing }
}

/// The name of the thing for a server.
fn server_name(server: &Watch) -> String {
    format!("server {}", server.address)
}

/// The name of the thing for a transfer.
fn transfer_name(transfer: &Transfer) -> String {
    format!("{} from {}", transfer.name, transfer.server)
}
