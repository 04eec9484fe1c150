//! Acceptance scenarios on the simulated host. Those of the folder `MCLIVE_SCENARIOS` are played as
//! well, when it is set.

#![allow(clippy::disallowed_methods, reason = "a test reads its cases")]

mod player;

use std::path::{Path, PathBuf};

fn folders(of: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(of).unwrap_or_else(|error| panic!("{}: {error}", of.display()));
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.retain(|folder| folder.join("expected.json").exists());
    folders.sort();
    folders
}

/// Plays all, and fails with what failed.
fn play_all(of: &Path) {
    let folders = folders(of);
    assert!(!folders.is_empty(), "{} holds no scenarios", of.display());
    let mut failures = Vec::new();
    for folder in &folders {
        if let Err(why) = player::play(folder) {
            failures.push(format!("{}: {why}", folder.display()));
        }
    }
    let (n_failed, n_all) = (failures.len(), folders.len());
    assert!(failures.is_empty(), "{n_failed} of {n_all} scenarios failed:\n{}", failures.join("\n\n"));
}

#[test]
fn scenarios_elsewhere() {
    if let Ok(folder) = std::env::var("MCLIVE_SCENARIOS") {
        play_all(Path::new(&folder));
    }
}

#[test]
fn scenarios_of_our_own() {
    play_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/cases"));
}
