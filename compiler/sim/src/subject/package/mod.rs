//! Packages: the world's [`Packages`](crate::Packages).

pub(super) mod state;

use super::{Adds, Answer, Context, Play, Simulated, done, hash, no_such};
use crate::World;
use crate::vocab::package::{
    Fact, Finding, OLD_LISTS_S, PackageChange, Preview, Probe, Step, Transaction, Watch, files,
};
use crate::vocab::subjects::Package;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use mclive_base::shapes::host::{Alteration, Thing};

impl Simulated for Package {
    type State = state::Packages;
}

impl Play for Package {
    const TITLE: &'static str = "Packages";
    const ADDS: Adds = &[("package", "", "nginx")];

    fn holds(world: &World) -> Vec<Thing> {
        let packages = &world.subjects.package;
        let there = if packages.unreachable.is_some() { ("unreachable", "restore") } else { ("answers", "offline") };
        let repository = Thing::new("the repository").fixed("state", there.0).verbs(&[there.1]);
        let installed = packages
            .installed
            .values()
            .map(|release| Thing::new(&release.name).fixed("version", &release.version).verbs(&["uninstall"]));
        std::iter::once(repository).chain(installed).collect()
    }

    /// Installs a package with what it depends on, from the lists that the host has.
    fn add(world: &mut World, thing: &str) -> Result<(), HostError> {
        world.subjects.package.is_there()?;
        if world.subjects.package.installed.contains_key(thing) {
            let message = format!("package {thing} is already installed");
            return Err(HostError::new(HostErrorKind::Exists, message));
        }
        let Some(version) = world.subjects.package.package(thing, true).candidate else {
            let mut known: Vec<&str> =
                world.subjects.package.lists.iter().map(|release| release.name.as_str()).collect();
            known.dedup();
            let message = format!("cannot find package `{thing}`; the repository has {}", known.join(", "));
            return Err(HostError::new(HostErrorKind::NotFound, message));
        };
        let change = PackageChange { name: thing.to_owned(), now: None, to: Some(version), is_pinned: false };
        let transaction = Transaction {
            changes: vec![change],
            allow_downgrade: false,
            allow_untrusted: true,
            also: Preview::default(),
        };
        world.subjects.package.commit(&transaction, &mut world.tree)
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        match how {
            Alteration::Do { verb } if verb == "uninstall" && world.subjects.package.installed.contains_key(thing) => {
                world.uninstall(thing);
            }
            Alteration::Do { verb } if verb == "offline" => {
                world.subjects.package.unreachable = Some("the repository does not respond".to_owned());
            }
            Alteration::Do { verb } if verb == "restore" => world.subjects.package.unreachable = None,
            Alteration::Do { .. } | Alteration::Set { .. } => return Err(no_such(thing, how)),
        }
        Ok(())
    }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        let (packages, now_ns) = (&at.world.subjects.package, at.world.tree.now_ns);
        let seen = packages.is_there().and_then(|()| match probe {
            Probe::Packages { names, offers } => {
                let age = packages.fetched_ns.map(|at| u64::try_from((now_ns - at) / 1_000_000_000).unwrap_or(0));
                let is_absent =
                    |name: &&String| packages.held.contains(*name) && !packages.installed.contains_key(*name);
                let held = names.iter().filter(is_absent).cloned().collect();
                let found: Vec<_> = names.iter().map(|name| packages.package(name, *offers)).collect();
                // In a group, it is left out first, and then checked alone.
                let is_current = age.is_some_and(|age| age < OLD_LISTS_S);
                if let [package] = &*found
                    && *offers
                    && is_current
                {
                    packages.check_not_virtual(package)?;
                }
                Ok(Finding::of(found, age, held))
            }
            Probe::Preview(transaction) => packages.preview(transaction).map(Finding::Preview),
        });
        seen.into()
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        let world = &mut *at.world;
        let now_ns = world.tree.now_ns;
        world.n_package_steps += 1;
        done(world.subjects.package.is_there().and_then(|()| match step {
            Step::Refresh { must } => match world.subjects.package.fetch(now_ns) {
                Err(why) if *must => {
                    Err(HostError::new(HostErrorKind::Other, format!("cannot refresh the package lists: {why}")))
                }
                Err(why) => {
                    at.printed.push(format!("cannot refresh the package lists: {why}"));
                    Ok(())
                }
                Ok(()) => Ok(()),
            },
            Step::Transaction(transaction) => world.subjects.package.commit(transaction, &mut world.tree),
        }))
    }

    fn fingerprint(world: &World, _: &Watch) -> Option<u64> {
        Some(hash(&world.subjects.package))
    }

    fn stamp(world: &World) -> Option<u64> {
        Some(hash(&(world.n_by_hand, world.n_package_steps)))
    }

    fn fact(world: &mut World, _: u64, Fact::Files { name }: &Fact) -> Result<Datum, HostError> {
        world.subjects.package.is_there()?;
        let brought =
            world.subjects.package.installed.get(name).map(|release| release.files.as_slice()).unwrap_or_default();
        // With all parent directories, as package systems list them.
        let above = |path: &str| {
            let ends: Vec<usize> = path.match_indices('/').map(|(at, _)| at).collect();
            ends.into_iter().filter(|end| *end > 0).map(|end| path[..end].to_owned()).collect::<Vec<_>>()
        };
        let mut paths: Vec<String> = brought.iter().flat_map(|(path, _)| above(path)).collect();
        paths.extend(brought.iter().map(|(path, _)| path.clone()));
        Ok(Datum::List(files(paths.iter().map(String::as_str)).into_iter().map(Datum::text).collect()))
    }
}
