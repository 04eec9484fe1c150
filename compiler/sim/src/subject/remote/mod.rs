//! Agents on other hosts: a table in the world, by the URL of the host.

pub(super) mod state;

use super::{Answer, Context, Play, Simulated, absent, done, hash};
use crate::vocab::remote::{self, Finding, Move, Probe, Program, Step, Store, Watch};
use crate::vocab::subjects::Remote;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use crate::{Reached, World};
use std::collections::BTreeMap;

/// The architecture and hash of this host's agent.
const OURS: (&str, &str) = ("x86_64", "0123456789abcdef");
/// The store that simulated hosts share: the URL of a member and the name of the group.
const STORE: (&str, &str) = ("http://127.0.0.1:2379", "main");

impl Simulated for Remote {
    /// The hosts that are reachable over SSH, by URL: `ssh://h:22`.
    type State = BTreeMap<String, Reached>;
}

impl Play for Remote {
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
