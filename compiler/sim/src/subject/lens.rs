//! Values seen by lenses: a table in the world. A file without an entry cannot be read by its lens.

use super::{Answer, Context, Play, Simulated, absent, done};
use crate::World;
use crate::vocab::lens::{Finding, Probe, Step};
use crate::vocab::subjects::Lens;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use std::collections::BTreeMap;

impl Simulated for Lens {
    /// The values that lenses see, by file and path.
    type State = BTreeMap<String, BTreeMap<String, String>>;
}

impl Play for Lens {
    absent! { fact }

    fn probe(at: &mut Context, Probe { file, lens, paths }: &Probe) -> Answer<Finding> {
        let values =
            nodes(at.world, file, lens).map(|nodes| paths.iter().map(|path| nodes.get(path).cloned()).collect());
        values.map(Finding::Values).into()
    }

    fn step(at: &mut Context, Step { file, lens, sets }: &Step) -> Answer<Outcome> {
        let set = nodes(at.world, file, lens).map(|nodes| {
            nodes.extend(sets.iter().map(|set| (set.path.clone(), set.value.clone())));
            nodes.iter().map(|(path, value)| format!("{path} = {value}\n")).collect::<String>()
        });
        done(set.and_then(|text| at.world.write(file, text)))
    }
}

fn nodes<'a>(world: &'a mut World, file: &str, lens: &str) -> Result<&'a mut BTreeMap<String, String>, HostError> {
    let failed = || HostError::new(HostErrorKind::Other, format!("{lens} cannot read {file}"));
    world.subjects.lens.get_mut(file).ok_or_else(failed)
}
