//! Mounts: a list. A mount hides nothing in this host's tree.

use super::{Adds, Answer, Context, Play, Simulated, absent, done, exists, hash, no_such};
use crate::gather;
use crate::vocab::file::FileKind;
use crate::vocab::mount::{Finding, Mounted, Probe, Step, Watch, with_implied};
use crate::vocab::subjects::Mount;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use crate::{World, path};
use mclive_base::shapes::host::{Alteration, Thing};

impl Simulated for Mount {
    /// Mounts; a later one covers an earlier one.
    type State = Vec<Mounted>;
}

impl Play for Mount {
    const TITLE: &'static str = "Mounts";
    const ADDS: Adds = &[("tmpfs mount", "", "/srv")];

    /// Of several at one place, the last one: it covers the others.
    fn holds(world: &World) -> Vec<Thing> {
        let mounts = &world.subjects.mount;
        let last = gather::map(mounts.iter().enumerate().map(|(at, mounted)| (mounted.target.as_str(), at)));
        let is_seen = |(at, mounted): &(usize, &Mounted)| last.get(mounted.target.as_str()) == Some(at);
        let mount = |(_, mounted): (usize, &Mounted)| {
            let thing = Thing::new(&mounted.target).fixed("source", &mounted.source).fixed("type", &mounted.kind);
            thing.fixed("options", mounted.options.join(",")).verbs(&["unmount"])
        };
        mounts.iter().enumerate().filter(is_seen).map(mount).collect()
    }

    fn add(world: &mut World, thing: &str) -> Result<(), HostError> {
        if world.subjects.mount.iter().any(|mounted| mounted.target == *thing) {
            return Err(exists(&format!("a mount at {thing}")));
        }
        let is_folder = matches!(world.tree.stat(thing, true), Ok(Some(stat)) if stat.kind == FileKind::Dir);
        if !is_folder || path::clean(thing) != thing {
            let message = format!("`{thing}` is not the path of a directory on this host");
            return Err(HostError::new(HostErrorKind::NotADirectory, message));
        }
        let (source, kind) = ("tmpfs".to_owned(), "tmpfs".to_owned());
        world.subjects.mount.push(Mounted { target: thing.to_owned(), source, kind, options: shown(&[]) });
        Ok(())
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let at = world.subjects.mount.iter().rposition(|mounted| mounted.target == *thing);
        match (how, at) {
            (Alteration::Do { verb }, Some(at)) if verb == "unmount" => {
                world.subjects.mount.remove(at);
                Ok(())
            }
            (Alteration::Do { .. } | Alteration::Set { .. }, _) => Err(no_such(thing, how)),
        }
    }

    absent! { fact }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        let world = &at.world;
        Answer::Now(Ok(match probe {
            Probe::Table => Finding::Table(world.subjects.mount.clone()),
            Probe::Device { spec } => Finding::Device(device(world, spec)),
        }))
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        let world = &mut *at.world;
        let other = |message: String| HostError::new(HostErrorKind::Other, message);
        done(match step {
            Step::Mount { target, source, kind, options } => match world.tree.stat(target, true) {
                Ok(Some(_)) => {
                    let source = device(world, source).unwrap_or_else(|| source.clone());
                    let (target, kind) = (point(world, target), kind.clone());
                    world.subjects.mount.push(Mounted { target, source, kind, options: shown(options) });
                    Ok(())
                }
                _ => Err(other(format!("mount: {target}: mount point does not exist"))),
            },
            Step::Remount { target, options, .. } => {
                let place = point(world, target);
                match world.subjects.mount.iter_mut().rfind(|mounted| mounted.target == place) {
                    Some(mounted) => {
                        let is_kept = |option: &&String| {
                            mounted.kind == "tmpfs"
                                && ["mode=", "uid=", "gid="].iter().any(|key| option.starts_with(key))
                        };
                        let kept: Vec<String> = mounted.options.iter().filter(is_kept).cloned().collect();
                        let changed = shown(options).into_iter().filter(|option| !is_kept(&option));
                        mounted.options = changed.chain(kept).collect();
                        Ok(())
                    }
                    None => Err(other(format!("mount: {target}: not mounted"))),
                }
            }
            Step::Unmount { target } => {
                let place = point(world, target);
                match world.subjects.mount.iter().rposition(|mounted| mounted.target == place) {
                    Some(at) => {
                        world.subjects.mount.remove(at);
                        Ok(())
                    }
                    None => Err(other(format!("umount: {target}: not mounted"))),
                }
            }
        })
    }

    fn fingerprint(world: &World, _: &Watch) -> Option<u64> {
        Some(hash(&world.subjects.mount))
    }
}

/// A mount point as a kernel reports it: without links.
fn point(world: &World, target: &str) -> String {
    world.tree.resolve(target, true).unwrap_or_else(|_| target.to_owned())
}

/// The path in the tree that a path shows: at a bind mount, its source. With `follow`, also if a link leads there.
pub(super) fn behind<'a>(world: &'a World, path: &'a str, follow: bool) -> &'a str {
    let mounts = &world.subjects.mount;
    if mounts.is_empty() {
        return path;
    }
    let place = world.tree.resolve(path, follow).unwrap_or_else(|_| path.to_owned());
    let Some(mounted) = mounts.iter().rfind(|mounted| mounted.target == place) else { return path };
    let is_folder = matches!(world.tree.stat(&mounted.source, true), Ok(Some(stat)) if stat.kind == FileKind::Dir);
    if is_folder { &mounted.source } else { path }
}

/// The path of a device named by path or tag.
fn device(world: &World, spec: &str) -> Option<String> {
    let path = match spec.split_once('=').filter(|(tag, _)| !tag.starts_with('/')) {
        Some((tag, value)) => format!("/dev/disk/by-{}/{value}", tag.to_ascii_lowercase()),
        None => spec.to_owned(),
    };
    let real = world.tree.resolve(&path, true).ok().filter(|_| path.starts_with('/'))?;
    matches!(world.tree.get(&real, false), Ok(Some(_))).then_some(real)
}

/// Options as a kernel reports them.
fn shown(options: &[String]) -> Vec<String> {
    let options = with_implied(options);
    let has = |word: &str| options.iter().any(|option| option == word);
    let mut shown = vec![if has("ro") { "ro".to_owned() } else { "rw".to_owned() }];
    if !has("noatime") {
        shown.push("relatime".into());
    }
    let hidden = [
        "ro", "rw", "relatime", "defaults", "auto", "noauto", "nofail", "bind", "rbind", "user", "users", "owner",
        "group", "exec", "suid", "dev",
    ];
    shown.extend(options.iter().filter(|option| !hidden.contains(&option.as_str())).cloned());
    shown
}
