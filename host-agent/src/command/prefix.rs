//! Where the agent keeps its files (engine spec, 20), and the name of the host.

use crate::cli::Work;
use crate::home::usual;
use crate::host::{StateDir, random_name};
use mclive_base::vocab::HostErrorKind;
use std::path::{Path, PathBuf};

/// Opens the agent's state for writing; creates the directory if it is missing.
pub(super) fn open(work: &Work, hostname: &str) -> Result<StateDir, String> {
    if work.tmp_prefix {
        return temporary(hostname);
    }
    let wanted = known(work.prefix.as_deref())?;
    match StateDir::open(&wanted) {
        Ok(state) => Ok(state),
        // A wrong owner or another agent must not silently lead to another directory.
        Err(error) if matches!(error.kind, HostErrorKind::Exists | HostErrorKind::Refused) => Err(error.message),
        Err(_) if work.allow_tmp_prefix => temporary(hostname),
        Err(error) => Err(format!("{error}; use --prefix DIR, --tmp-prefix or --allow-tmp-prefix")),
    }
}

/// Opens the state read-only and creates nothing. Without a directory the state is empty.
pub(super) fn look(work: &Work) -> Result<StateDir, String> {
    let prefix = if work.tmp_prefix { nowhere()? } else { known(work.prefix.as_deref())? };
    StateDir::look(&prefix).map_err(|error| error.message)
}

/// Opens the state of the agent that usually runs here, read-only.
pub(super) fn look_usual() -> Result<StateDir, String> {
    let prefix = usual().map_or_else(nowhere, Ok)?;
    StateDir::look(&prefix).map_err(|error| error.message)
}

/// A path in the temporary directory that does not exist and that no other user can create.
fn nowhere() -> Result<PathBuf, String> {
    Ok(std::env::temp_dir().join(format!("mclive-plan-{}", random_name()?)))
}

/// The directory that an agent uses or would use.
pub(super) fn known(given: Option<&Path>) -> Result<PathBuf, String> {
    match given {
        Some(prefix) => Ok(prefix.to_path_buf()),
        None => Ok(usual().ok_or("no home directory found for the agent's state; use --prefix DIR or --tmp-prefix")?),
    }
}

fn temporary(hostname: &str) -> Result<StateDir, String> {
    use std::os::unix::fs::DirBuilderExt;
    crate::output::tell("mclive: warning: the agent's state is kept in a temporary directory");
    for attempt in 0..1000 {
        let dir = std::env::temp_dir().join(format!("mclive-{hostname}-{}-{attempt}", std::process::id()));
        match std::fs::DirBuilder::new().mode(0o700).create(&dir) {
            Ok(()) => return StateDir::open(&dir).map_err(|error| error.message),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(crate::host::io_failed("mkdir", &dir.to_string_lossy(), &error).message),
        }
    }
    Err("cannot find an unused name for a temporary directory".into())
}

/// The name of this host as the system has it.
pub(super) fn own_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

pub(super) fn hostname(work: &Work) -> Result<String, String> {
    let name = match &work.hostname {
        Some(name) => name.clone(),
        None => own_name(),
    };
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    let whole = (1..=253).contains(&name.len()) && name.bytes().any(|byte| byte.is_ascii_alphanumeric());
    if letters && whole && !name.starts_with(['.', '-']) { Ok(name) } else { Err(format!("invalid hostname: {name}")) }
}
