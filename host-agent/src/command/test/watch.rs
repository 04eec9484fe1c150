//! `test --watch`: runs again whenever a file changes.

use super::super::{Done, unusable};
use crate::host::watch::{Listener, Watcher};
use crate::output::tell;
use crate::program::Failure;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// An editor writes a file in several steps, and a checkout changes file by file: a round waits for a pause.
const PAUSE: Duration = Duration::from_millis(120);

/// Runs once, and again after each change below these paths, until the process is interrupted. Failures are reported,
/// and the next change is awaited.
pub(super) fn rounds(paths: &[PathBuf], mut round: impl FnMut() -> Done) -> Done {
    let (sender, changes) = channel();
    let watcher = Watcher::start(move |changed| {
        // This fails only if the receiver is gone: the process ends.
        let _ = sender.send(changed.len());
    })?;
    for (number, folder) in (0..).zip(watched(paths)?) {
        watcher.add(Listener(number), &folder, true);
    }
    loop {
        match round() {
            Ok(_) => {}
            Err(Failure::Unusable(why)) => tell(&format!("mclive: error: {why}")),
            Err(trap @ Failure::Trap(_)) => return Err(trap),
        }
        tell("waiting for changes (press Ctrl+C to stop)");
        wait(&changes);
    }
}

/// The folders to watch, each with a trailing slash: for a file its parent folder, where its program is as well.
fn watched(paths: &[PathBuf]) -> Result<Vec<String>, Failure> {
    let here = [PathBuf::from(".")];
    let paths = if paths.is_empty() { &here } else { paths };
    let folder = |path: &PathBuf| {
        let real = path.canonicalize().map_err(|error| {
            unusable(format!("cannot watch `{}`: {}", path.display(), crate::host::io_words(&error)))
        })?;
        let folder = if real.is_dir() { real.as_path() } else { real.parent().unwrap_or(Path::new("/")) };
        Ok(format!("{}/", folder.display().to_string().trim_end_matches('/')))
    };
    paths.iter().map(folder).collect()
}

/// Waits for a change, and then for a pause.
fn wait(changes: &Receiver<usize>) {
    let _ = changes.recv();
    while changes.recv_timeout(PAUSE).is_ok() {}
}
