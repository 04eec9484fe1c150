//! Management controllers: the world's [`Controllers`](crate::Controllers).

pub(super) mod state;

use super::{Answer, Context, Play, Simulated, absent, done};
use crate::World;
use crate::vocab::controller::{Finding, Probe, Step};
use crate::vocab::subjects::Controller;
use crate::vocab::{Datum, HostError, Outcome};

impl Simulated for Controller {
    type State = state::Controllers;
}

impl Play for Controller {
    absent! { fact }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        let all = &at.world.subjects.controller;
        match probe {
            Probe::Power(controller) => all.power(controller).map(Finding::Power),
            Probe::Firmware(controller) => all.firmware(controller).map(Finding::Firmware),
        }
        .into()
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        done(at.world.subjects.controller.act(step))
    }
}
