//! Containers: the world's [`Containers`](crate::Containers).

pub(super) mod state;

use super::{Adds, Answer, Context, Play, Simulated, absent, done, exists, hash, no_such};
use crate::World;
use crate::vocab::container::{Finding, Phase, Probe, Step, Watch};
use crate::vocab::subjects::Container;
use crate::vocab::{Datum, HostError, Outcome};
use mclive_base::shapes::host::{Alteration, Thing};

impl Simulated for Container {
    type State = state::Containers;
}

impl Play for Container {
    const TITLE: &'static str = "Containers";
    const ADDS: Adds = &[("container", "", "web")];

    fn holds(world: &World) -> Vec<Thing> {
        let containers = world.subjects.container.all.iter().map(|(name, container)| {
            let thing = Thing::new(name).fixed("state", format!("{:?}", container.phase).to_lowercase());
            thing.verbs(if container.phase == Phase::Running { &["stop", "delete"] } else { &["start", "delete"] })
        });
        containers.collect()
    }

    fn add(world: &mut World, thing: &str) -> Result<(), HostError> {
        let engine = world.subjects.container.engine()?;
        if engine.all.contains_key(thing) {
            return Err(exists(&format!("container {thing}")));
        }
        engine.run(thing)
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let containers = &mut world.subjects.container;
        match how {
            Alteration::Do { verb } if containers.all.contains_key(thing) => match verb.as_str() {
                "delete" => {
                    containers.all.remove(thing);
                    Ok(())
                }
                "start" => containers.set(thing, Phase::Running),
                "stop" => containers.set(thing, Phase::Stopped),
                _ => Err(no_such(thing, how)),
            },
            Alteration::Do { .. } | Alteration::Set { .. } => Err(no_such(thing, how)),
        }
    }

    absent! { fact }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        let engine = at.world.subjects.container.engine();
        let seen = engine.map(|engine| match probe {
            Probe::Image { reference, .. } => Finding::Image(engine.images.get(reference).cloned()),
            Probe::Container { name, .. } => Finding::Container(engine.all.get(name).cloned()),
        });
        seen.into()
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        let engine = at.world.subjects.container.engine();
        done(engine.and_then(|engine| match step {
            Step::Pull { reference, .. } => engine.pull(reference),
            Step::RemoveImage { reference, .. } => engine.remove_image(reference),
            Step::Create { name, spec, .. } => engine.create(name, spec),
            Step::Replace { name, spec, .. } => engine.replace(name, spec),
            Step::Start { name, .. } => engine.start(name),
            Step::Unpause { name, .. } => engine.set(name, Phase::Running),
            Step::Stop { name, .. } => engine.set(name, Phase::Stopped),
            Step::Remove { name, .. } => {
                engine.all.remove(name);
                Ok(())
            }
        }))
    }

    fn fingerprint(world: &World, watch: &Watch) -> Option<u64> {
        let all = &world.subjects.container;
        let seen = match watch {
            Watch::Images => hash(&all.images),
            Watch::Container { name } => hash(&all.all.get(name)),
        };
        Some(hash(&(all.are_gone, seen)))
    }
}
