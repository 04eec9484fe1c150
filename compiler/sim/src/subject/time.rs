//! The virtual clock.

use super::{Answer, Place, Play, absent};
use crate::protocol::Ticket;
use crate::vocab::subjects::Time;
use crate::vocab::time::{Fact, Watch};
use crate::vocab::{Datum, HostError, Outcome};
use crate::{SimHost, World};

impl Play for Time {
    absent! { probe step }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.next_tick(ticket, *watch);
        Ok(())
    }

    fn fact(world: &mut World, now_ns: u64, fact: &Fact) -> Result<Datum, HostError> {
        Ok(match fact {
            Fact::Clock { .. } => Datum::Int((world.epoch_ns + now_ns as i64).div_euclid(1_000_000_000)),
            Fact::Zone => Datum::Bytes(Vec::new()),
            Fact::Uptime { .. } => Datum::Int((now_ns / 1_000_000_000) as i64),
        })
    }
}
