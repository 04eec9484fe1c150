//! Network interfaces, as the world has them.

use super::{Answer, Place, Play, absent, hash};
use crate::World;
use crate::vocab::link::{Fact, Watch};
use crate::vocab::subjects::Link;
use crate::vocab::{Datum, HostError, Outcome};

impl Play for Link {
    absent! { probe step }

    fn fingerprint(world: &World, _: &Watch) -> u64 {
        hash(&format!("{:?}", world.interfaces))
    }

    fn fact(world: &mut World, _: u64, Fact::Interfaces: &Fact) -> Result<Datum, HostError> {
        Ok(world.interfaces.clone())
    }
}
