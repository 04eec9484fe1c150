//! Events: what a scenario does to the host and its agent.

use crate::play::Program;
use crate::protocol::{Deploy, Input, Options};
use crate::sim::{Command, Scripted, World};
use crate::stage::Stage;
use crate::step::{Event, Flag, UnitEvent};
use crate::vocab::HostError;
use crate::vocab::unit::Unit;

/// Does it. Errors: why it cannot be done.
pub(crate) fn act(stage: &mut Stage, program: &Program, event: &Event) -> Result<(), String> {
    stage.steps.clear();
    match event {
        Event::Run { program: main, flags } => {
            if stage.has_agent {
                stage.leave();
            }
            let options = options(&stage.sim.host.world().hostname, flags);
            deploy(stage, program, main, options)?;
            stage.has_agent = true;
        }
        Event::Deploy { program: main } => {
            if !stage.has_agent || stage.sim.exit().is_some() {
                return Err("no agent runs that could take another program; `run` starts one".into());
            }
            let options = options(&stage.sim.host.world().hostname, &[]);
            deploy(stage, program, main, options)?;
        }
        Event::Stop(mode) => stage.sim.tell(Input::Stop(*mode)),
        Event::Kill => stage.leave(),
        Event::Clock { seconds } => {
            let passed_ns = i64::try_from(stage.sim.now().0).unwrap_or(i64::MAX);
            stage.sim.change(|world| {
                let now = world.epoch_ns.saturating_add(passed_ns).div_euclid(1_000_000_000);
                let wanted = i64::try_from(*seconds).unwrap_or(0);
                world.epoch_ns += (wanted - now).rem_euclid(86_400) * 1_000_000_000;
            });
        }
        event => stage.sim.change(|world| change(world, event)).map_err(|error| error.to_string())?,
    }
    stage.listen();
    Ok(())
}

fn options(hostname: &str, flags: &[Flag]) -> Options {
    let mut options = Options { hostname: hostname.to_owned(), ..Options::default() };
    for flag in flags {
        match flag {
            Flag::Noop => options.noop = true,
            Flag::Once => options.once = true,
            Flag::Hostname(name) => options.hostname.clone_from(name),
            Flag::Sema(most) => options.sema = *most,
            Flag::MaxRuntime(seconds) => options.max_runtime = *seconds,
            Flag::ConvergerTimeout(seconds) => options.converger_timeout = *seconds,
            Flag::ConvergedExit => options.converged_exit = true,
            Flag::NoAutoedges => options.no_autoedges = true,
            Flag::NoAutogroup => options.no_autogroup = true,
        }
    }
    options
}

fn deploy(stage: &mut Stage, program: &Program, main: &str, options: Options) -> Result<(), String> {
    let entry = format!("/{main}");
    let is_known = program.files.iter().any(|(path, _)| *path == entry || path.starts_with(&format!("{entry}/")));
    if !is_known {
        let files: Vec<&str> = program.files.iter().map(|(path, _)| path.trim_start_matches('/')).collect();
        return Err(format!("there is no program {main}; there are: {}", files.join(", ")));
    }
    stage.entry.clone_from(&entry);
    stage.sim.tell(Input::Deploy(Deploy { files: program.files.clone(), entry, options }));
    Ok(())
}

/// What a person or the system changes behind the agent's back.
fn change(world: &mut World, event: &Event) -> Result<(), HostError> {
    match event {
        Event::Write { path, text } => {
            make_parent(world, path)?;
            world.write(path, text.as_bytes())
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
                HostError::new(crate::vocab::HostErrorKind::NotFound, format!("the host has no {what} {name}"))
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
            let run = Scripted { status: *status, stdout: prints.clone(), duration_ms: *takes, ..Scripted::default() };
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
            world.load = [*load; 3];
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
            let files = world.packages.installed.get(package).map(|release| release.files.clone()).unwrap_or_default();
            world.packages.remove(package);
            files.iter().for_each(|(path, _)| drop(world.remove(path)));
            Ok(())
        }
        Event::Unmount { path } => {
            world.mounts.retain(|mounted| mounted.target != *path);
            Ok(())
        }
        Event::Post { url, form } => match world.post(url, form)? {
            200..=299 => Ok(()),
            status => Err(HostError::new(crate::vocab::HostErrorKind::Other, format!("{url} answered with {status}"))),
        },
        Event::Run { .. } | Event::Deploy { .. } | Event::Stop(_) | Event::Kill | Event::Clock { .. } => Ok(()),
    }
}

/// The folder that a path is in, so that a scenario need not make each.
fn make_parent(world: &mut World, path: &str) -> Result<(), HostError> {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some((parent, _)) if !parent.is_empty() && world.stat(parent).is_none() => world.make_dir(parent),
        _ => Ok(()),
    }
}
