//! What HTTP clients got, as the world has it.

use super::{Answer, Place, Play, absent, hash};
use crate::World;
use crate::vocab::request::{Fact, Watch};
use crate::vocab::subjects::Request;
use crate::vocab::{Datum, HostError, Outcome};

impl Play for Request {
    absent! { probe step }

    fn fingerprint(world: &World, watch: &Watch) -> u64 {
        hash(&world.http.get(&watch.uid))
    }

    fn fact(world: &mut World, _: u64, Fact::Last { uid }: &Fact) -> Result<Datum, HostError> {
        let (status, output) = world.http.get(uid).cloned().unwrap_or_default();
        Ok(Datum::Struct(vec![("status".into(), Datum::Int(status)), ("output".into(), Datum::Bytes(output))]))
    }
}
