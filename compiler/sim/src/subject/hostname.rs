//! The host's name.

use super::{Answer, Place, Play, absent, hash};
use crate::World;
use crate::vocab::hostname::{Fact, Watch};
use crate::vocab::subjects::Hostname;
use crate::vocab::{Datum, HostError, Outcome};

impl Play for Hostname {
    absent! { probe step }

    fn fingerprint(world: &World, _: &Watch) -> u64 {
        hash(&world.hostname)
    }

    fn fact(world: &mut World, _: u64, _: &Fact) -> Result<Datum, HostError> {
        Ok(Datum::text(world.hostname.as_str()))
    }
}
