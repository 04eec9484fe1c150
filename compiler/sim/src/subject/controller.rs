//! Management controllers: the world's [`Controllers`](crate::Controllers).

use super::{Answer, Place, Play, absent, done};
use crate::World;
use crate::vocab::controller::{Finding, Probe, Step};
use crate::vocab::subjects::Controller;
use crate::vocab::{Datum, HostError, Outcome};

impl Play for Controller {
    absent! { fact }

    fn probe(at: &mut Place, probe: &Probe) -> Answer<Finding> {
        let all = &at.world.controllers;
        match probe {
            Probe::Power(controller) => all.power(controller).map(Finding::Power),
            Probe::Firmware(controller) => all.firmware(controller).map(Finding::Firmware),
        }
        .into()
    }

    fn step(at: &mut Place, step: &Step) -> Answer<Outcome> {
        done(at.world.controllers.act(step))
    }
}
