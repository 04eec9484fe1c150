//! Agents on other hosts: a table in the world, by the URL of the host.

pub(super) mod state;

use super::{Adds, Answer, Context, Play, Simulated, absent, done, exists, hash, no_such, number};
use crate::vocab::remote::{self, Finding, Move, Probe, Program, Step, Store, Watch};
use crate::vocab::subjects::Remote;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use crate::{Reached, World};
use mclive_base::shapes::host::{Alteration, Thing};
use std::collections::BTreeMap;

/// The architecture and hash of this host's agent.
const OURS: (&str, &str) = ("x86_64", "0123456789abcdef");
/// The store that simulated hosts share: the URL of a member and the name of the group.
const STORE: (&str, &str) = ("http://127.0.0.1:2379", "main");

/// The beginning of the URL of a host.
const SCHEME: &str = "ssh://";
/// Of an agent that is waited for.
const STATUS: &str = "exit status of its agent";
const STOP: &str = "stop the agent";

impl Simulated for Remote {
    /// The hosts that are reachable over SSH, by URL: `ssh://h:22`.
    type State = BTreeMap<String, Reached>;
}

impl Play for Remote {
    const TITLE: &'static str = "Hosts reachable over SSH";
    const ADDS: Adds = &[("host", SCHEME, "db:22")];

    fn holds(world: &World) -> Vec<Thing> {
        let hosts = world.subjects.remote.iter();
        let thing = |(url, host): (&String, &Reached)| {
            let (state, verbs): (&str, &[&str]) = match (host.there.pid, host.there.program.binary.is_empty()) {
                (Some(_), _) => ("running", &[STOP, "delete"]),
                (None, true) => ("not installed", &["delete"]),
                (None, false) => ("stopped", &["delete"]),
            };
            Thing::new(url).fixed("agent", state).field(STATUS, host.status.to_string()).verbs(verbs)
        };
        hosts.map(thing).collect()
    }

    /// Adds a host without an agent.
    fn add(world: &mut World, thing: &str) -> Result<(), HostError> {
        let is_address = |(host, port): (&str, &str)| {
            let is_valid = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte);
            !host.is_empty() && host.bytes().all(is_valid) && port.parse::<u16>().is_ok_and(|port| port > 0)
        };
        let address = thing.strip_prefix(SCHEME).and_then(|address| address.rsplit_once(':'));
        if !address.is_some_and(is_address) {
            let message = format!("`{thing}` is not the address of a host, such as {SCHEME}db:22");
            return Err(HostError::new(HostErrorKind::Other, message));
        }
        if world.subjects.remote.contains_key(thing) {
            return Err(exists(thing));
        }
        let mut host = Reached::default();
        OURS.0.clone_into(&mut host.there.program.machine);
        world.subjects.remote.insert(thing.to_owned(), host);
        Ok(())
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let hosts = &mut world.subjects.remote;
        let host = hosts.get_mut(thing).ok_or_else(|| no_such(thing, how))?;
        match how {
            Alteration::Set { field, value } if field == STATUS => host.status = number(field, value)?,
            Alteration::Do { verb } if verb == STOP && host.there.pid.is_some() => host.there.pid = None,
            Alteration::Do { verb } if verb == "delete" => _ = hosts.remove(thing),
            Alteration::Set { .. } | Alteration::Do { .. } => return Err(no_such(thing, how)),
        }
        Ok(())
    }

    absent! { fact }

    fn probe(at: &mut Context, Probe { place }: &Probe) -> Answer<Finding> {
        let ours = Program { machine: OURS.0.into(), binary: OURS.1.into() };
        let store = Store { url: STORE.0.into(), group: STORE.1.into() };
        reached(at.world, place).map(|host| Finding::Sharing { there: host.there.clone(), ours, store }).into()
    }

    fn step(at: &mut Context, Step { place, change }: &Step) -> Answer<Outcome> {
        done(reached(at.world, place).and_then(|host| {
            match change {
                Move::Stop { .. } => host.there.pid = None,
                Move::Copy { .. } => host.there.program.binary = OURS.1.into(),
                Move::Start(start) => (host.there.pid, host.there.digest) = (Some(4711), start.digest.clone()),
                Move::Await => host.end()?,
                Move::Join(join) => {
                    let listen = &join.tunnel.listen;
                    if host.in_use.contains(listen) {
                        return Err(remote::not_opened(&place.target.host, listen));
                    }
                    if let Some(start) = &join.start {
                        host.there.digest.clone_from(&start.digest);
                    }
                    host.joined = Some(join.tunnel.clone());
                    host.end()?;
                }
            }
            let is_over = matches!(change, Move::Stop { .. } | Move::Await | Move::Join(_));
            if is_over && !place.is_kept {
                host.there.program.binary.clear();
            }
            Ok(())
        }))
    }

    fn fingerprint(world: &World, Watch { place }: &Watch) -> Option<u64> {
        Some(hash(&world.subjects.remote.get(&place.target.url).map(|host| host.there.pid)))
    }
}

fn reached<'a>(world: &'a mut World, place: &remote::Place) -> Result<&'a mut Reached, HostError> {
    let host = &place.target.host;
    let refused = || HostError::new(HostErrorKind::Unavailable, format!("ssh to {host}: Connection refused"));
    world.subjects.remote.get_mut(&place.target.url).ok_or_else(refused)
}
