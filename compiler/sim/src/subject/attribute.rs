//! Attributes of a machine's firmware: files in the tree.

use super::{Answer, Context, Play, Simulated, absent, done};
use crate::World;
use crate::vocab::attribute::Step;
use crate::vocab::subjects::Attribute;
use crate::vocab::{Datum, HostError, Outcome};

impl Simulated for Attribute {
    type State = ();
}

impl Play for Attribute {
    absent! { probe fact }

    fn step(at: &mut Context, Step { path, value, .. }: &Step) -> Answer<Outcome> {
        if let Err(error) = at.world.tree.read(path) {
            return Answer::Now(Err(error));
        }
        done(at.world.tree.write(path, format!("{value}\n").into_bytes(), None))
    }
}
