//! Passwords: tokens by resource name, and letters from the world's seed.

use super::{Answer, Place, Play, absent, hash, mix};
use crate::World;
use crate::vocab::password::{Finding, Probe, Secret, Step, Watch, password};
use crate::vocab::subjects::Password;
use crate::vocab::{Datum, HostError, Outcome};

impl Play for Password {
    absent! { fact }

    fn probe(at: &mut Place, probe: &Probe) -> Answer<Finding> {
        let world = &mut *at.world;
        Answer::Now(Ok(match probe {
            Probe::Token => Finding::Token(world.tokens.get(&*at.id.name).cloned().map(Secret)),
            Probe::Draw { length } => {
                world.n_drawn += 1;
                let start = mix(world.seed ^ mix(world.n_drawn));
                let bytes = (0..).map(|n: u64| mix(start.wrapping_add(n)) as u8);
                Finding::Drawn(password(*length, bytes).unwrap_or_default())
            }
        }))
    }

    fn step(at: &mut Place, step: &Step) -> Answer<Outcome> {
        at.world.tokens.insert(at.id.name.to_string(), step.token.0.clone());
        Answer::Now(Ok(Outcome::Done))
    }

    fn fingerprint(world: &World, watch: &Watch) -> Option<u64> {
        Some(hash(&world.tokens.get(&watch.name)))
    }
}
