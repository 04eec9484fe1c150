//! `mclive key`, and the keys of the commands that sign or check signatures.

pub(super) use crate::host::operators;

use super::{Done, GOOD, is_file_name, unusable};
use crate::cli::{self, KeyCommand};
use crate::deploy::OperatorKey;
use crate::home::operator_key;
use crate::host::{create_private, io_words, read_private};
use crate::key_line::is_name;
use crate::output::{print, tell};
use crate::program::Failure;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub(super) fn key(args: &cli::Keys) -> Done {
    let (key, sealing) = match &args.command {
        KeyCommand::New { file, name, sealing } => {
            let path = place(file.as_deref()).map_err(unusable)?;
            let name = name.as_deref().map_or_else(super::deploy::by, |name| name.trim().to_owned());
            let key = new(&path, &name).map_err(unusable)?;
            tell(&format!("mclive: the private key is in {}: keep it secret, and back it up", path.display()));
            (key, *sealing)
        }
        KeyCommand::Show { file, sealing } => {
            (read("FILE", &place(file.as_deref()).map_err(unusable)?).map_err(unusable)?, *sealing)
        }
    };
    print(&format!("{}\n", key.line()));
    if sealing {
        print(&format!("{}\n", key.sealing_line()));
    }
    Ok(GOOD)
}

/// The given file, or the default one. Errors: there is none.
fn place(file: Option<&Path>) -> Result<PathBuf, String> {
    let usual = || operator_key().ok_or_else(|| "no home directory found for the key; use FILE".to_owned());
    file.map_or_else(usual, |file| Ok(file.to_path_buf()))
}

/// Creates a key. Errors: why there is none.
fn new(path: &Path, name: &str) -> Result<OperatorKey, String> {
    if !is_name(name) {
        return Err("invalid --name: use at most 320 bytes without control characters".into());
    }
    let (key, text) = OperatorKey::generate(name)?;
    create_private(path, &text).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            format!(
                "`{}` already exists; nothing was written. `mclive key show` prints its public line",
                path.display()
            )
        }
        _ => format!("cannot create `{}`: {}", path.display(), io_words(&error)),
    })?;
    Ok(key)
}

fn read(option: &str, path: &Path) -> Result<OperatorKey, String> {
    is_file_name(option, path)?;
    let wrong = |why: &str| format!("cannot use the key {}: {why}", path.display());
    let bytes = read_private(path).map_err(|error| wrong(&error.to_string()))?;
    let key = std::str::from_utf8(&bytes).ok().and_then(OperatorKey::read);
    key.ok_or_else(|| wrong("it is not an ed25519 private key; create one with `mclive key new`"))
}

/// The key to sign with: the given one, or the default one if it exists.
pub(super) fn signing(file: Option<&Path>) -> Result<Option<OperatorKey>, Failure> {
    let usual = || operator_key().filter(|path| path.symlink_metadata().is_ok());
    let path = file.map(Path::to_path_buf).or_else(usual);
    path.map(|path| read("--key", &path)).transpose().map_err(unusable)
}

/// The key of a host, for a run that creates none. Errors: why it cannot be used.
pub(super) fn known_host_key(path: &Path) -> Result<Option<OperatorKey>, String> {
    match path.symlink_metadata() {
        Ok(_) => read("--host-key", path).map(Some),
        Err(_) => Ok(None),
    }
}

/// The key with which a host signs what it exports, and opens what is sealed for it; it is created if the file does not exist.
/// Errors: why there is none.
pub(super) fn host_key(path: &Path, hostname: &str) -> Result<OperatorKey, String> {
    // Also a link that leads nowhere is something else.
    if path.symlink_metadata().is_ok() {
        let key = read("--host-key", path)?;
        if key.name() != hostname {
            tell(&format!(
                "mclive: warning: the key in {} is not named after this host; hosts that require signatures need this \
                 line: {}",
                path.display(),
                key.public().line(hostname)
            ));
        }
        return Ok(key);
    }
    let key = new(path, hostname)?;
    tell(&format!(
        "mclive: created the key of this host in {}; hosts that require signatures need this line: {}",
        path.display(),
        key.line()
    ));
    Ok(key)
}
