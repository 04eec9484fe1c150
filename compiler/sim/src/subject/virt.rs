//! Virtual machines and networks: the world's [`Virts`](crate::Virts).

use super::{Answer, Place, Play, absent, done, hash, no_such};
use crate::World;
use crate::virts::key;
use crate::vocab::subjects::Virt;
use crate::vocab::virt::domain::Stand;
use crate::vocab::virt::{Finding, Move, Probe, Step, Watch};
use crate::vocab::{Datum, HostError, Outcome};
use mclive_base::shapes::host::{Alteration, Thing};

impl Play for Virt {
    const TITLE: &'static str = "Virtual machines";

    fn holds(world: &World) -> Vec<Thing> {
        let virts = &world.virts;
        if virts.are_gone {
            return vec![Thing::new("libvirt").fixed("state", "stopped").verbs(&["start"])];
        }
        let domains = virts.domains.iter().map(|((_, name), domain)| {
            let verbs: &[&str] = if domain.live.is_some() { &["power off", "suspend", "resume"] } else { &[] };
            Thing::new(format!("domain {name}")).fixed("state", domain.stand.word()).verbs(verbs)
        });
        let networks = virts.networks.iter().map(|((_, name), network)| {
            let verbs: &[&str] = if network.live.is_some() { &["stop"] } else { &[] };
            Thing::new(format!("network {name}")).fixed("state", network.word()).verbs(verbs)
        });
        let all: Vec<Thing> = domains.chain(networks).collect();
        let libvirt = Thing::new("libvirt").fixed("state", "running").verbs(&["stop"]);
        if all.is_empty() { all } else { std::iter::once(libvirt).chain(all).collect() }
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let Alteration::Do { verb } = how else { return Err(no_such(thing, how)) };
        let virts = &mut world.virts;
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
            ("stop", _, Some((_, network))) => network.live = None,
            _ => return Err(no_such(thing, how)),
        }
        virts.domains.retain(|_, domain| domain.live.is_some() || domain.stored.is_some());
        virts.networks.retain(|_, network| network.live.is_some() || network.stored.is_some());
        Ok(())
    }

    absent! { fact }

    fn probe(at: &mut Place, probe: &Probe) -> Answer<Finding> {
        let asked = at.world.virts.asked();
        asked
            .map(|virts| match probe {
                Probe::Domain(place) => Finding::Domain(virts.domains.get(&key(place)).cloned().map(Box::new)),
                Probe::Network(place) => Finding::Network(virts.networks.get(&key(place)).cloned().map(Box::new)),
            })
            .into()
    }

    fn step(at: &mut Place, Step { place, change }: &Step) -> Answer<Outcome> {
        done(at.world.virts.asked().and_then(|virts| match change {
            Move::Domain(change) => virts.change_domain(place, change),
            Move::Network(change) => virts.change_network(place, change),
        }))
    }

    fn fingerprint(world: &World, watch: &Watch) -> Option<u64> {
        let virts = &world.virts;
        Some(match watch {
            Watch::Domain(place) => hash(&(virts.are_gone, virts.domains.get(&key(place)))),
            Watch::Network(place) => hash(&(virts.are_gone, virts.networks.get(&key(place)))),
        })
    }
}
