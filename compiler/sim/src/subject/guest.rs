//! Machines of this host: the world's [`Guests`](crate::Guests).

use super::{Answer, Place, Play, absent, done, hash};
use crate::World;
use crate::vocab::guest::{Finding, Move, Probe, Step, Watch};
use crate::vocab::subjects::Guest;
use crate::vocab::{Datum, HostError, Outcome};

impl Play for Guest {
    absent! { fact }

    fn probe(at: &mut Place, Probe { name }: &Probe) -> Answer<Finding> {
        let known = at.world.guests.known();
        let seen = known.map(|guests| Finding::Guest {
            state: guests.up.get(name).cloned(),
            has_image: guests.images.contains(name),
        });
        seen.into()
    }

    fn step(at: &mut Place, Step { name, change, .. }: &Step) -> Answer<Outcome> {
        done(at.world.guests.known().map(|guests| match change {
            Move::Start => _ = guests.up.insert(name.clone(), "running".into()),
            // The unit did not start it, so it has nothing to stop.
            Move::Stop if guests.strays.contains(name) => {}
            Move::Stop | Move::Terminate => _ = guests.up.remove(name),
        }))
    }

    fn fingerprint(world: &World, Watch { name }: &Watch) -> Option<u64> {
        let guests = &world.guests;
        Some(hash(&(guests.are_gone, guests.up.get(name), guests.images.contains(name))))
    }
}
