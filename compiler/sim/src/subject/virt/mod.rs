//! Virtual machines and networks: the world's [`Virts`](crate::Virts).

pub(super) mod state;

use super::{Adds, Answer, Context, Play, Simulated, absent, done, exists, hash, no_such};
use crate::World;
use crate::vocab::subjects::Virt;
use crate::vocab::virt::domain::{self, Stand};
use crate::vocab::virt::{self, Finding, Move, Probe, Step, Watch, network};
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use mclive_base::shapes::host::{ADD, Alteration, Thing};
use state::key;

/// The beginning of the names of machines.
const DOMAIN: &str = "domain ";

/// The beginning of the names of networks.
const NETWORK: &str = "network ";

impl Simulated for Virt {
    type State = state::Virts;
}

impl Play for Virt {
    const TITLE: &'static str = "Virtual machines";
    const ADDS: Adds = &[("virtual machine", DOMAIN, "db"), ("virtual network", NETWORK, "lan")];

    fn holds(world: &World) -> Vec<Thing> {
        let virts = &world.subjects.virt;
        if virts.are_gone {
            return vec![Thing::new("libvirt").fixed("state", "stopped").verbs(&["start"])];
        }
        let domains = virts.domains.iter().map(|((_, name), domain)| {
            let verbs: &[&str] = match domain.live.is_some() {
                true => &["power off", "suspend", "resume"],
                false => &["start", "delete"],
            };
            Thing::new(format!("{DOMAIN}{name}")).fixed("state", domain.stand.word()).verbs(verbs)
        });
        let networks = virts.networks.iter().map(|((_, name), network)| {
            let verbs: &[&str] = if network.live.is_some() { &["stop"] } else { &["start", "delete"] };
            Thing::new(format!("{NETWORK}{name}")).fixed("state", network.word()).verbs(verbs)
        });
        let all: Vec<Thing> = domains.chain(networks).collect();
        let libvirt = Thing::new("libvirt").fixed("state", "running").verbs(&["stop"]);
        if all.is_empty() { all } else { std::iter::once(libvirt).chain(all).collect() }
    }

    /// It is stored and running, on the connection of resources that name none.
    fn add(world: &mut World, thing: &str) -> Result<(), HostError> {
        let virts = world.subjects.virt.asked()?;
        let (is_domain, name) = match (thing.strip_prefix(DOMAIN), thing.strip_prefix(NETWORK)) {
            (Some(name), _) => (true, name),
            (None, Some(name)) => (false, name),
            (None, None) => return Err(no_such(thing, &Alteration::Do { verb: ADD.to_owned() })),
        };
        let is_there = match is_domain {
            true => virts.domains.keys().any(|(_, known)| known == name),
            false => virts.networks.keys().any(|(_, known)| known == name),
        };
        if is_there {
            return Err(exists(thing));
        }
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)) {
            let message = format!("`{name}` is not a valid libvirt name: letters, digits, `_`, `.` and `-`");
            return Err(HostError::new(HostErrorKind::Other, message));
        }
        let place = virt::Place { connection: virt::Connection::default(), name: name.to_owned() };
        if is_domain {
            let layout = domain::Layout::default();
            let spec = domain::Spec { cpus: 1, max_cpus: 1, hot: false, memory_kib: 1024 * 1024, layout };
            virts.change_domain(&place, &domain::Move::Define(Box::new(spec)))?;
            virts.change_domain(&place, &domain::Move::Start { paused: false })
        } else {
            virts.change_network(&place, &network::Move::Define(Box::default()))?;
            virts.change_network(&place, &network::Move::Start)
        }
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let Alteration::Do { verb } = how else { return Err(no_such(thing, how)) };
        let virts = &mut world.subjects.virt;
        if thing == "libvirt" && ["start", "stop"].contains(&&**verb) {
            virts.are_gone = verb == "stop";
            return Ok(());
        }
        let (what, name) = thing.split_once(' ').ok_or_else(|| no_such(thing, how))?;
        let domain = virts.domains.iter_mut().find(|((_, known), _)| what == "domain" && known == name);
        let network = virts.networks.iter_mut().find(|((_, known), _)| what == "network" && known == name);
        match (&**verb, domain, network) {
            ("power off", Some((_, domain)), _) => (domain.live, domain.stand) = (None, Stand::Off),
            ("suspend", Some((_, domain)), _) if domain.live.is_some() => domain.stand = Stand::Paused,
            ("resume", Some((_, domain)), _) if domain.live.is_some() => domain.stand = Stand::Running,
            ("start", Some((_, domain)), _) if domain.live.is_none() && !virts.broken.contains(name) => {
                (domain.live, domain.stand) = (domain.stored.clone(), Stand::Running);
            }
            ("delete", Some((_, domain)), _) if domain.live.is_none() => domain.stored = None,
            ("stop", _, Some((_, network))) => network.live = None,
            ("start", _, Some((_, network))) if network.live.is_none() => network.live = network.stored.clone(),
            ("delete", _, Some((_, network))) if network.live.is_none() => network.stored = None,
            _ => return Err(no_such(thing, how)),
        }
        virts.forget_gone();
        Ok(())
    }

    absent! { fact }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        let asked = at.world.subjects.virt.asked();
        asked
            .map(|virts| match probe {
                Probe::Domain(place) => Finding::Domain(virts.domains.get(&key(place)).cloned()),
                Probe::Network(place) => Finding::Network(virts.networks.get(&key(place)).cloned()),
            })
            .into()
    }

    fn step(at: &mut Context, Step { place, change }: &Step) -> Answer<Outcome> {
        done(at.world.subjects.virt.asked().and_then(|virts| match change {
            Move::Domain(change) => virts.change_domain(place, change),
            Move::Network(change) => virts.change_network(place, change),
        }))
    }

    fn fingerprint(world: &World, watch: &Watch) -> Option<u64> {
        let virts = &world.subjects.virt;
        Some(match watch {
            Watch::Domain(place) => hash(&(virts.are_gone, virts.domains.get(&key(place)))),
            Watch::Network(place) => hash(&(virts.are_gone, virts.networks.get(&key(place)))),
        })
    }
}
