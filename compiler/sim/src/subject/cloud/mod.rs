//! Cloud machines: the world's [`Clouds`](crate::Clouds).

pub(super) mod state;

use super::{Answer, Context, Play, Simulated, absent, done};
use crate::World;
use crate::vocab::cloud::{Finding, Probe, Step};
use crate::vocab::subjects::Cloud;
use crate::vocab::{Datum, HostError, Outcome};

impl Simulated for Cloud {
    type State = state::Clouds;
}

impl Play for Cloud {
    absent! { fact }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        let clouds = &at.world.subjects.cloud;
        match probe {
            Probe::Machine(machine) => clouds.look(machine).map(|found| Finding::Machine(found.cloned())),
            Probe::Image { cloud, image } => clouds.has(cloud, image).map(Finding::Image),
        }
        .into()
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        done(at.world.subjects.cloud.act(&step.machine, &step.action))
    }
}
