//! Elections, as the world has them.

use super::{Answer, Place, Play, absent, hash, texts};
use crate::World;
use crate::vocab::schedule::{Fact, Watch};
use crate::vocab::subjects::Schedule;
use crate::vocab::{Datum, HostError, Outcome};

impl Play for Schedule {
    absent! { probe step }

    fn fingerprint(world: &World, watch: &Watch) -> u64 {
        hash(&world.schedules.get(&watch.namespace))
    }

    fn fact(world: &mut World, _: u64, fact: &Fact) -> Result<Datum, HostError> {
        Ok(texts(world.schedules.get(&fact.namespace).into_iter().flatten()))
    }
}
