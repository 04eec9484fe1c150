//! Downloads modules that have a URL (language spec, 7.4 and 14).
//!
//! A module is data. It is read from a repository that is kept elsewhere ([`repository`]) and written as plain files
//! ([`tree`]): its place never contains a repository, so nothing in a module is ever used as one. A module is written
//! atomically, and is only replaced if mclive put it there ([`ledger`]) and it is unmodified.

mod git;
mod ledger;
mod repository;
mod tree;

use super::Unusable;
use ledger::{Ledger, Mark};
use repository::Repository;
use std::path::{Path, PathBuf};

/// What may be downloaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Download {
    /// Download modules that are missing.
    pub(crate) missing: bool,
    /// Also update modules that were downloaded earlier.
    pub(crate) update: bool,
    /// Maximum import depth: 1 means direct imports only. `None`: any.
    pub(crate) depth: Option<usize>,
}

/// The directory of a module: a path below a directory that the user named.
pub(super) struct ModuleDir {
    pub(super) base: PathBuf,
    pub(super) below: PathBuf,
}

impl ModuleDir {
    fn path(&self) -> PathBuf {
        self.base.join(&self.below)
    }
}

/// Downloads a module into its directory.
pub(super) fn download(url: &str, dir: &ModuleDir) -> Result<(), Unusable> {
    let path = dir.path();
    crate::output::tell(&format!("mclive: downloading {url} into {}", path.display()));
    let fetched = Ledger::open().and_then(|ledger| {
        let slot = tree::Slot::make(&dir.base, &dir.below)?;
        let key = slot.canonical();
        let (commit, files) = fetch(&ledger, &key, url)?;
        let digest = files.digest();
        slot.put(&files)?;
        ledger.write(&Mark { place: key, url: url.to_owned(), commit, digest })
    });
    fetched.map_err(|why| Unusable(format!("cannot download `{url}`: {why}")))
}

/// Updates a module. Modules that mclive did not download, or that were modified, are left alone.
pub(super) fn update(url: &str, dir: &ModuleDir) -> Result<(), Unusable> {
    let path = dir.path();
    let updated = Ledger::open().and_then(|ledger| {
        let slot = tree::Slot::make(&dir.base, &dir.below)?;
        let key = slot.canonical();
        let Some(mark) = ledger.read(&key)? else {
            let remedy = "remove it and use --download to download it";
            crate::output::tell(&format!(
                "mclive: warning: not updating {}: mclive did not download it; {remedy}",
                path.display()
            ));
            return Ok(());
        };
        if mark.url == url && Repository::open(&ledger.scratch(&key))?.head(url)? == mark.commit {
            return Ok(());
        }
        let judge = |dir: &Path| unmodified(dir, &mark.digest);
        judge(&path)?;
        crate::output::tell(&format!("mclive: updating {}", path.display()));
        let (commit, files) = fetch(&ledger, &key, url)?;
        let digest = files.digest();
        slot.replace(&files, &judge)?;
        ledger.write(&Mark { place: key, url: url.to_owned(), commit, digest })
    });
    updated.map_err(|why| Unusable(format!("cannot update `{}`: {why}", path.display())))
}

/// Errors: a directory is not as it was downloaded, with this digest.
fn unmodified(dir: &Path, digest: &str) -> Result<(), String> {
    match tree::digest_on_disk(dir, repository::MAX_BYTES)? {
        Some(now) if now == digest => Ok(()),
        Some(_) | None => {
            Err("it was modified after the download; remove it and use --download to download it again".into())
        }
    }
}

/// The newest commit of a repository, and its files.
fn fetch(ledger: &Ledger, key: &Path, url: &str) -> Result<(String, tree::Files), String> {
    let mut repository = Repository::open(&ledger.scratch(key))?;
    let commit = repository.fetch(url)?;
    let (files, left_out) = repository.files(&commit)?;
    if !files.has("metadata.yaml") {
        return Err("it is not a module: it has no metadata.yaml".into());
    }
    if left_out > 0 {
        let what = if left_out == 1 { "entry" } else { "entries" };
        crate::output::tell(&format!(
            "mclive: warning: skipped {left_out} {what} of {url}: only regular files are downloaded"
        ));
    }
    Ok((commit, files))
}
