//! The virtual clock.

use super::{Answer, Place, Play, absent, no_such, number};
use crate::protocol::Ticket;
use crate::vocab::subjects::Time;
use crate::vocab::time::{Fact, Watch};
use crate::vocab::{Datum, HostError, Outcome};
use crate::{SimHost, World};
use mclive_base::shapes::host::{Alteration, Thing};

impl Play for Time {
    const TITLE: &'static str = "Clock";

    fn holds(world: &World) -> Vec<Thing> {
        let started = world.epoch_ns.div_euclid(1_000_000_000);
        let thing = Thing::new("clock").field("start time (Unix time in seconds)", started.to_string());
        let up = Thing::new("uptime").field("at the start (seconds)", world.up_s.to_string());
        vec![thing.verbs(&["1 hour back", "1 hour ahead", "1 day ahead"]), up]
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        if thing == "uptime" {
            let Alteration::Set { field, value } = how else { return Err(no_such(thing, how)) };
            world.up_s = number(field, value)?;
            return Ok(());
        }
        let hour: i64 = 3_600 * 1_000_000_000;
        let by = match how {
            Alteration::Do { verb } if verb == "1 hour back" => -hour,
            Alteration::Do { verb } if verb == "1 hour ahead" => hour,
            Alteration::Do { verb } if verb == "1 day ahead" => 24 * hour,
            Alteration::Set { field, value } => {
                number::<i64>(field, value)?.saturating_mul(1_000_000_000).saturating_sub(world.epoch_ns)
            }
            Alteration::Do { .. } => return Err(no_such(thing, how)),
        };
        world.epoch_ns = world.epoch_ns.saturating_add(by);
        world.tree.now_ns = world.tree.now_ns.saturating_add(by);
        Ok(())
    }

    absent! { probe step }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.next_tick(ticket, *watch);
        Ok(())
    }

    fn fact(world: &mut World, now_ns: u64, fact: &Fact) -> Result<Datum, HostError> {
        Ok(match fact {
            Fact::Clock { .. } => Datum::Int((world.epoch_ns + now_ns as i64).div_euclid(1_000_000_000)),
            Fact::Zone => Datum::Bytes(Vec::new()),
            Fact::Uptime { .. } => Datum::Int((now_ns / 1_000_000_000) as i64 + i64::from(world.up_s)),
        })
    }
}
