//! Images of virtual machines: files that describe how they were made.

use super::{Answer, Context, Play, Simulated, absent, done};
use crate::World;
use crate::vocab::builder::{Finding, Probe, Step};
use crate::vocab::subjects::Builder;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};

impl Simulated for Builder {
    type State = ();
}

impl Play for Builder {
    absent! { fact }

    fn probe(at: &mut Context, _: &Probe) -> Answer<Finding> {
        Answer::Now(Ok(Finding::Tool(at.world.stat("/usr/bin/virt-builder").is_some())))
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        if step.template.starts_with("unknown") {
            let why = format!("virt-builder: cannot find os-version '{}'", step.template);
            return done(Err(HostError::new(HostErrorKind::Other, why)));
        }
        let words = [&step.words[..], &step.last_words].concat().join(" ");
        done(at.world.write(&step.output, format!("{} {words}\n", step.template)))
    }
}
