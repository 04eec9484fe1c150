//! Applies events, of scenarios and of players, to the world of a host.

use super::command::{Command, Scripted};
use super::world::World;
use crate::vocab::unit::Unit;
use crate::vocab::{HostError, HostErrorKind};
use mclive_base::scenario::{Event, UnitEvent};

impl World {
    /// Applies a manual change to the host. Events about the agent or the whole host have no effect here. Errors: why
    /// it is impossible.
    pub fn happen(&mut self, event: &Event) -> Result<(), HostError> {
        let world = self;
        match event {
            Event::Write { path, text } => {
                make_parent(world, path)?;
                world.write(path, text.as_bytes())
            }
            Event::Replace { path, text } => {
                make_parent(world, path)?;
                let beside = format!("{path}.new");
                world.write(&beside, text.as_bytes())?;
                world.rename(&beside, path)
            }
            Event::Append { path, text } => {
                make_parent(world, path)?;
                let mut content = world.read(path).map(<[u8]>::to_vec).unwrap_or_default();
                content.extend_from_slice(text.as_bytes());
                world.write(path, content)
            }
            Event::Remove { path } => world.remove(path),
            Event::Rename { path, to } => world.rename(path, to),
            Event::MakeFolder { path } => world.make_dir(path),
            Event::Mode { path, mode } => world.chmod(path, *mode),
            Event::Own { path, user, group } => {
                let unknown = |what: &str, name: &str| {
                    HostError::new(HostErrorKind::NotFound, format!("cannot find {what} {name} on the host"))
                };
                let account = world.users.get(user).ok_or_else(|| unknown("user", user))?;
                let (uid, mut gid) = (account.id, account.gid);
                if let Some(name) = group {
                    gid = world.groups.get(name).ok_or_else(|| unknown("group", name))?.id;
                }
                world.chown(path, uid, gid)
            }
            Event::Link { path, to } => {
                make_parent(world, path)?;
                if world.stat(path).is_some() {
                    world.remove(path)?;
                }
                world.symlink(path, to)
            }
            Event::Command { line, prints, status, takes } => {
                let run =
                    Scripted { status: *status, stdout: prints.clone(), duration_ms: *takes, ..Scripted::default() };
                world.set_command(Command { line: line.clone(), runs: vec![run] });
                Ok(())
            }
            Event::Environment { name, value } => {
                world.env.insert(name.clone(), value.clone());
                Ok(())
            }
            Event::Hostname { name } => {
                world.hostname.clone_from(name);
                Ok(())
            }
            Event::Load { load } => {
                world.subjects.machine.load = [*load; 3];
                Ok(())
            }
            Event::Unit { name, what } => {
                let unit = Unit::new(name.as_str(), false);
                match what {
                    UnitEvent::Dies => {
                        world.kill_unit(name);
                        Ok(())
                    }
                    UnitEvent::Enabled => world.enable_unit(&unit, true),
                    UnitEvent::Disabled => world.enable_unit(&unit, false),
                }
            }
            Event::Uninstall { package } => {
                world.uninstall(package);
                Ok(())
            }
            Event::Unmount { path } => {
                world.subjects.mount.retain(|mounted| mounted.target != *path);
                Ok(())
            }
            Event::Post { url, form } => match world.post(url, form)? {
                200..=299 => Ok(()),
                status => Err(HostError::new(HostErrorKind::Other, format!("{url} answered with {status}"))),
            },
            Event::Alter { subject, thing, how } => world.alter(subject, thing, how),
            Event::Clock { seconds } => {
                let now = world.tree.now_ns.div_euclid(1_000_000_000);
                let wanted = i64::try_from(*seconds).unwrap_or(0);
                world.epoch_ns += (wanted - now).rem_euclid(86_400) * 1_000_000_000;
                Ok(())
            }
            Event::Join { .. }
            | Event::Leave
            | Event::Pause
            | Event::Resume
            | Event::Disconnect
            | Event::Reconnect
            | Event::Run { .. }
            | Event::Deploy { .. }
            | Event::Stop(_)
            | Event::Kill
            | Event::Given { .. } => Ok(()),
        }
    }
}

/// Makes the parent folder of a path, so that scenarios need not.
fn make_parent(world: &mut World, path: &str) -> Result<(), HostError> {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some((parent, _)) if !parent.is_empty() && world.stat(parent).is_none() => world.make_dir(parent),
        _ => Ok(()),
    }
}
