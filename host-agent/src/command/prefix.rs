//! Where the agent keeps its own files (engine spec, 20), and what the host is called.

use crate::cli::Work;
use crate::home::usual;
use std::path::{Path, PathBuf};

/// The directory for the agent's own state, made if need be.
pub(super) fn prefix(work: &Work, hostname: &str) -> Result<PathBuf, String> {
    if work.tmp_prefix {
        return temporary(hostname);
    }
    let wanted = known(work.prefix.as_deref())?;
    match std::fs::create_dir_all(&wanted) {
        Ok(()) => std::path::absolute(&wanted).map_err(|error| error.to_string()),
        Err(_) if work.allow_tmp_prefix => temporary(hostname),
        Err(error) => {
            let why = crate::host::io_failed("mkdir", &wanted.to_string_lossy(), &error);
            Err(format!("{why}; give --prefix DIR, --tmp-prefix or --allow-tmp-prefix"))
        }
    }
}

/// The directory that an agent has, or would have.
pub(super) fn known(given: Option<&Path>) -> Result<PathBuf, String> {
    match given {
        Some(prefix) => Ok(prefix.to_path_buf()),
        None => {
            Ok(usual().ok_or("there is no home directory for the agent's state; give --prefix DIR or --tmp-prefix")?)
        }
    }
}

fn temporary(hostname: &str) -> Result<PathBuf, String> {
    use std::os::unix::fs::DirBuilderExt;
    eprintln!("mclive: warning: working prefix directory is temporary!");
    for attempt in 0..1000 {
        let dir = std::env::temp_dir().join(format!("mclive-{hostname}-{}-{attempt}", std::process::id()));
        match std::fs::DirBuilder::new().mode(0o700).create(&dir) {
            Ok(()) => return Ok(dir),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(crate::host::io_failed("mkdir", &dir.to_string_lossy(), &error).message),
        }
    }
    Err("no free name for a temporary directory".into())
}

/// The host's name: as given, or the system's.
pub(super) fn hostname(work: &Work) -> Result<String, String> {
    let name = match &work.hostname {
        Some(name) => name.clone(),
        None => rustix::system::uname().nodename().to_string_lossy().into_owned(),
    };
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    let whole = (1..=253).contains(&name.len()) && name.bytes().any(|byte| byte.is_ascii_alphanumeric());
    if letters && whole && !name.starts_with(['.', '-']) { Ok(name) } else { Err(format!("invalid hostname: {name}")) }
}
