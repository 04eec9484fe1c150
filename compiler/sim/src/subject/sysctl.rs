//! Kernel parameters: files below `/proc/sys`.

use super::{Adds, Answer, Context, Play, Simulated, absent, done, exists, no_such};
use crate::vocab::subjects::Sysctl;
use crate::vocab::sysctl::{Finding, Probe, Step, Watch, changed_with, path, source};
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome, file};
use crate::{SimHost, World};
use mclive_base::protocol::Ticket;
use mclive_base::shapes::host::{Alteration, Thing};

impl Simulated for Sysctl {
    type State = ();
}

impl Play for Sysctl {
    const TITLE: &'static str = "Kernel parameters";
    const ADDS: Adds = &[("kernel parameter", "", "vm.max_map_count")];

    fn holds(world: &World) -> Vec<Thing> {
        let parameters = world.tree.all().filter_map(|(path, _)| {
            let value = world.tree.read(path).ok()?;
            let name = path.strip_prefix("/proc/sys/")?.replace('/', ".");
            let value = String::from_utf8_lossy(value).split_whitespace().collect::<Vec<_>>().join(" ");
            Some(Thing::new(name).field("value", value))
        });
        parameters.collect()
    }

    /// It is there from then on, as after its module is loaded.
    fn add(world: &mut World, thing: &str) -> Result<(), HostError> {
        if !is_name(thing) {
            let message = format!("`{thing}` is not a valid kernel parameter name such as `vm.max_map_count`");
            return Err(HostError::new(HostErrorKind::Other, message));
        }
        let path = path(thing);
        if world.read(&path).is_ok() {
            return Err(exists(&format!("kernel parameter {thing}")));
        }
        world.make_dir(crate::path::parent(&path).unwrap_or("/"))?;
        world.write(&path, "0\n")
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        match how {
            Alteration::Set { field, value } if field == "value" => world.write(&path(thing), format!("{value}\n")),
            Alteration::Set { .. } | Alteration::Do { .. } => Err(no_such(thing, how)),
        }
    }

    absent! { fact }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        let text = at.world.tree.read(&path(&probe.name)).map_err(|error| unknown(&probe.name, &error));
        text.map(|text| Finding::Value(String::from_utf8_lossy(text).trim_end_matches('\n').to_owned())).into()
    }

    /// The kernel separates several values with tabs.
    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        let path = path(&step.name);
        let value = step.value.split_whitespace().collect::<Vec<_>>().join("\t") + "\n";
        if let Err(error) = at.world.tree.read(&path) {
            return Answer::Now(Err(unknown(&step.name, &error)));
        }
        if value.len() > 4096 {
            let message = format!("write {path}: invalid argument");
            return Answer::Now(Err(HostError::new(HostErrorKind::Other, message)));
        }
        done(at.world.tree.write(&path, value.into_bytes(), None))
    }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        for name in names(watch) {
            host.watches.add(ticket, &file::Watch { path: path(&name), recursive: false });
        }
        Ok(())
    }

    fn leave(host: &mut SimHost, ticket: Ticket, watch: &Watch) {
        names(watch).for_each(|name| host.watches.remove(ticket, &path(&name)));
    }
}

fn unknown(name: &str, error: &HostError) -> HostError {
    HostError::new(error.kind, format!("unknown kernel parameter {name}{}", source(name)))
}

/// Whether it is words between dots, at least two.
fn is_name(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    };
    name.contains('.') && name.split('.').all(is_word)
}

/// The parameter, and those that change it.
fn names(watch: &Watch) -> impl Iterator<Item = String> {
    std::iter::once(watch.name.clone()).chain(changed_with(&watch.name))
}
