//! The packet filter: the world's [`Firewall`](crate::Firewall).

pub(super) mod state;

use super::{Adds, Answer, Context, Play, Simulated, absent, done, hash, no_such};
use crate::World;
use crate::vocab::firewall::{Finding, Probe, Step, Watch};
use crate::vocab::subjects::Firewall;
use crate::vocab::{Datum, HostError, Outcome};
use mclive_base::shapes::host::{Alteration, Thing};

impl Simulated for Firewall {
    type State = state::Firewall;
}

impl Play for Firewall {
    const TITLE: &'static str = "Firewall";
    const ADDS: Adds = &[("zone", "", "dmz")];

    fn holds(world: &World) -> Vec<Thing> {
        if world.subjects.firewall.is_gone {
            return vec![Thing::new("firewalld").fixed("state", "stopped").verbs(&["start"])];
        }
        let zones = world.subjects.firewall.zones.iter().map(|(name, rules)| {
            let rules: Vec<String> = rules.iter().map(|rule| rule.to_string()).collect();
            let thing = Thing::new(name).fixed("allows", rules.join(" "));
            thing.verbs(if *name == world.subjects.firewall.default_zone { &[] } else { &["delete"] })
        });
        let all = Thing::new("firewalld").fixed("state", "running").verbs(&["stop", "reload"]);
        std::iter::once(all).chain(zones).collect()
    }

    fn add(world: &mut World, thing: &str) -> Result<(), HostError> {
        world.subjects.firewall.add_zone(thing)
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        match how {
            Alteration::Do { verb } if verb == "delete" => return world.subjects.firewall.delete_zone(thing),
            Alteration::Do { verb } if verb == "reload" => world.subjects.firewall.reload(),
            Alteration::Do { verb } if verb == "stop" || verb == "start" => {
                world.subjects.firewall.is_gone = verb == "stop"
            }
            Alteration::Do { .. } | Alteration::Set { .. } => return Err(no_such(thing, how)),
        }
        Ok(())
    }

    absent! { fact }

    fn probe(at: &mut Context, Probe { zone, services }: &Probe) -> Answer<Finding> {
        at.world.subjects.firewall.zone(zone, services).map(Finding::Zone).into()
    }

    fn step(at: &mut Context, Step { zone, entry, open }: &Step) -> Answer<Outcome> {
        done(at.world.subjects.firewall.set(zone, entry.clone(), *open))
    }

    fn fingerprint(world: &World, Watch { zone }: &Watch) -> Option<u64> {
        let all = &world.subjects.firewall;
        let name = if zone.is_empty() { &all.default_zone } else { zone };
        Some(hash(&(all.is_gone, name, all.zones.get(name))))
    }
}
