//! Fetching modules that have a URL, with the `git` program (language spec, 7.4 and 14).
//!
//! A module appears in its place whole or not at all: it is cloned beside it and then renamed. Nothing of
//! it is run: no hooks, no protocols that are commands.

use super::Unusable;
use std::path::{Component, Path};
use std::process::{Command, Stdio};

/// What may be fetched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Download {
    /// Fetch modules that are not there.
    pub(crate) missing: bool,
    /// Also bring those that are there up to date.
    pub(crate) update: bool,
    /// How far from the program a module may be: 1 is what the program itself imports. `None`: any.
    pub(crate) depth: Option<usize>,
}

/// Clones a module into its place.
pub(super) fn clone(url: &str, place: &Path) -> Result<(), Unusable> {
    let fails = |why: String| Unusable(format!("cannot download `{url}`: {why}"));
    if place.components().any(|part| part == Component::ParentDir) {
        return Err(fails("its path leads out of the modules directory".into()));
    }
    let above = place.parent().ok_or_else(|| fails("it has no place".into()))?;
    std::fs::create_dir_all(above).map_err(|error| fails(format!("{}: {error}", above.display())))?;
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let beside = above.join(format!(".{name}.{}", std::process::id()));
    eprintln!("mclive: downloading {url} into {}", place.display());
    let cloned = git(Path::new("."), &["clone", "--quiet", "--depth", "1", "--", url, &beside.to_string_lossy()]);
    let placed = cloned.and_then(|()| std::fs::rename(&beside, place).map_err(|error| error.to_string()));
    if placed.is_err() {
        let _ = std::fs::remove_dir_all(&beside);
    }
    placed.map_err(fails)?;
    if !place.join("metadata.yaml").is_file() {
        return Err(fails("it is no module: it has no metadata.yaml".into()));
    }
    Ok(())
}

/// Brings a module that is there up to date; changes that somebody made in it are kept, and told.
pub(super) fn pull(place: &Path) -> Result<(), Unusable> {
    eprintln!("mclive: updating {}", place.display());
    git(place, &["pull", "--quiet", "--ff-only"])
        .map_err(|why| Unusable(format!("cannot update `{}`: {why}", place.display())))
}

fn git(dir: &Path, args: &[&str]) -> Result<(), String> {
    let output = Command::new("git")
        .args(["-c", "core.hooksPath=/dev/null"])
        .args(args)
        .current_dir(dir)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ALLOW_PROTOCOL", "https:http:git:ssh:file")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => "the program `git` is not installed".to_owned(),
            _ => error.to_string(),
        })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("git failed");
    Err(last.trim().to_owned())
}
