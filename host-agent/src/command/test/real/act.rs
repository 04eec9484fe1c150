//! Events: changes of a scenario to the host of its room, and to the agent.

use super::stage::Stage;
use mclive_base::scenario::{Event, StopSignal};
use rustix::process::Signal;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;

/// Carries out an event. Errors: why it cannot be done.
pub(super) fn act(stage: &mut Stage, event: &Event) -> Result<(), String> {
    stage.listen();
    stage.steps.clear();
    let done = match event {
        Event::Run { program, flags } => return stage.run(program.as_deref(), flags),
        Event::Stop(signal) => {
            stage.signal(match signal {
                StopSignal::Interrupt => Signal::INT,
                StopSignal::Terminate => Signal::TERM,
            });
            return Ok(());
        }
        Event::Kill => {
            stage.leave();
            return Ok(());
        }
        Event::Environment { name, value } => {
            stage.environment.insert(name.clone(), value.clone());
            return Ok(());
        }
        Event::Hostname { name } => rustix::system::sethostname(name.as_bytes()).map_err(io::Error::from),
        Event::Write { path, text } => make_parent(path).and_then(|()| fs::write(path, text)),
        Event::Replace { path, text } => make_parent(path).and_then(|()| {
            let beside = format!("{path}.new");
            fs::write(&beside, text)?;
            fs::rename(beside, path)
        }),
        Event::Append { path, text } => make_parent(path).and_then(|()| {
            let mut file = OpenOptions::new().create(true).append(true).open(path)?;
            file.write_all(text.as_bytes())
        }),
        Event::Remove { path } => remove(Path::new(path)),
        Event::Rename { path, to } => fs::rename(path, to),
        Event::MakeFolder { path } => again(|| fs::create_dir_all(path)),
        Event::Mode { path, mode } => fs::set_permissions(path, Permissions::from_mode(*mode)),
        Event::Own { path, user, group } => own(path, user, group.as_deref()),
        Event::Link { path, to } => again(|| {
            make_parent(path)?;
            if Path::new(path).symlink_metadata().is_ok() {
                remove(Path::new(path))?;
            }
            symlink(to, path)
        }),
        Event::Join { .. }
        | Event::Leave
        | Event::Pause
        | Event::Resume
        | Event::Disconnect
        | Event::Reconnect
        | Event::Alter { .. }
        | Event::Command { .. }
        | Event::Deploy { .. }
        | Event::Clock { .. }
        | Event::Load { .. }
        | Event::Unit { .. }
        | Event::Uninstall { .. }
        | Event::Unmount { .. }
        | Event::Post { .. }
        | Event::Given { .. } => return Err("not possible with --real".into()),
    };
    done.map_err(|error| error.to_string())
}

/// Creates the parent folder of a path, so that scenarios need not.
fn make_parent(path: &str) -> io::Result<()> {
    match Path::new(path).parent() {
        Some(parent) if parent.symlink_metadata().is_err() => fs::create_dir_all(parent),
        _ => Ok(()),
    }
}

/// Repeats, since the agent may restore something at the same time.
fn again(mut deed: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    (0..20).find_map(|_| deed().ok()).map_or_else(&mut deed, Ok)
}

fn remove(path: &Path) -> io::Result<()> {
    match path.is_dir() && !path.is_symlink() {
        true => again(|| match fs::remove_dir_all(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }),
        false => fs::remove_file(path),
    }
}

fn own(path: &str, user: &str, group: Option<&str>) -> io::Result<()> {
    let unknown = |what: &str, name: &str| io::Error::other(format!("cannot find {what} {name} on the host"));
    let account = super::judge::line("/etc/passwd", user).ok_or_else(|| unknown("user", user))?;
    let number = |text: Option<&String>| text.and_then(|text| text.parse().ok());
    let gid = match group {
        Some(name) => number(super::judge::line("/etc/group", name).ok_or_else(|| unknown("group", name))?.get(2)),
        None => number(account.get(3)),
    };
    chown(path, number(account.get(2)), gid)
}
