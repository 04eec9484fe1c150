//! [`Reload`]: deploys a program again when its files change.
//!
//! ```text
//! change > pause > read > check, in a separate sandbox > deploy
//! ```
//!
//! Editors write a file in several steps: they truncate and fill it, or rename a new one into its place. So the agent
//! pauses after a change, and waits for a file that is open for writing. The previous program runs until the changed
//! one is valid; a problem is reported once.

use super::compile;
use super::replace::{Problem, Replacement};
use crate::cli::{Input as Named, Partial};
use crate::embed::contract::{Program, Report, Shown};
use crate::embed::{STACK, Sandbox};
use crate::host::is_being_written;
use crate::host::watch::{Listener, Watcher};
use crate::program::{self, Failure, Loaded, Looked};
use mclive_base::diag::render_text;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long it must be quiet after a change.
const PAUSE: Duration = Duration::from_millis(150);
/// The longest time to wait for quiet, and for writers.
const PATIENCE: Duration = Duration::from_secs(5);
/// The number of changed files that are named.
const MOST_NAMED: usize = 3;

/// What a program is reloaded with.
pub(super) struct Reload {
    pub(super) input: Named,
    pub(super) partial: Partial,
    pub(super) replacement: Replacement,
}

/// The files of a program as digests, by path.
type Digests = BTreeMap<String, [u8; 32]>;

/// What is known of the program's versions.
struct Versions {
    running: Digests,
    /// The last version that was read; `None`: it could not be read.
    tried: Option<Digests>,
    /// The reported problem of that version.
    problem: Option<String>,
}

impl Reload {
    /// Starts the thread, unless the program is not from files.
    pub(super) fn start(self, loaded: &Loaded) -> std::io::Result<()> {
        let Some(places) = loaded.places().cloned() else { return Ok(()) };
        let running = digests(&loaded.program);
        let versions = Versions { tried: Some(running.clone()), running, problem: None };
        let (sender, changes) = channel();
        let watcher = Watcher::start(move |_| {
            // This fails only if the receiver has ended: there are no reloads any more.
            let _ = sender.send(());
        })?;
        let run = move || self.follow(&watcher, &changes, places, versions);
        std::thread::Builder::new().name("reload".into()).stack_size(STACK).spawn(run)?;
        Ok(())
    }

    /// Follows the program's files until the process ends.
    fn follow(&self, watcher: &Watcher, changes: &Receiver<()>, mut places: BTreeSet<Looked>, mut versions: Versions) {
        let mut listener = Listener(0);
        watch(watcher, listener, &places);
        // Files may have changed before they were watched.
        loop {
            let (read, looked) = self.read();
            if let Some(looked) = looked.filter(|looked| *looked != places) {
                let before = listener;
                listener = Listener(before.0 + 1);
                places = looked;
                watch(watcher, listener, &places);
                watcher.remove(before);
                continue;
            }
            let is_last = !has_news(changes) && self.take(read, &mut versions, changes);
            if is_last && changes.recv().is_err() || settle(changes, &places).is_err() {
                return;
            }
        }
    }

    /// Reads the program, and returns the paths that were looked at.
    fn read(&self) -> (Result<Loaded, Failure>, Option<BTreeSet<Looked>>) {
        let Some(whole) = &self.partial.partial else { return self.read_one(&self.input.input) };
        let (whole, looked) = self.read_one(whole);
        let (part, others) = self.read_one(&self.input.input);
        let merged = whole.and_then(|whole| Ok(whole.with_part(part?, &self.partial.delete_resource_set)?));
        let looked = looked.zip(others).map(|(mut looked, others)| {
            looked.extend(others);
            looked
        });
        (merged, looked)
    }

    fn read_one(&self, input: &str) -> (Result<Loaded, Failure>, Option<BTreeSet<Looked>>) {
        let mut search = compile::search(&self.input);
        search.download.update = false;
        let mut loaded = match program::load(input, &search) {
            Ok(loaded) => loaded,
            Err(why) => return (Err(why.into()), None),
        };
        loaded.program.environment.clone_from(&self.replacement.environment);
        let completed = Sandbox::start().map_err(Failure::from).and_then(|mut sandbox| loaded.complete(&mut sandbox));
        let places = loaded.places().cloned();
        (completed.map(|()| loaded), places)
    }

    /// Deploys a version if it is new and valid. Returns whether it is the last one so far.
    fn take(&self, read: Result<Loaded, Failure>, versions: &mut Versions, changes: &Receiver<()>) -> bool {
        let judged = match read {
            Err(failure) => {
                versions.tried = None;
                Err(Problem::Unreadable(failure))
            }
            Ok(loaded) => {
                let found = digests(&loaded.program);
                if versions.tried.as_ref() == Some(&found) {
                    return true;
                }
                let is_running = versions.running == found;
                versions.tried = Some(found);
                if is_running {
                    if versions.problem.take().is_some() {
                        self.replacement.say("the program is valid again and unchanged".into());
                    }
                    return true;
                }
                self.replacement.judge(&loaded).map(|report| (loaded, report))
            }
        };
        if has_news(changes) {
            // Another version follows: this one may be half-written.
            versions.tried = None;
            return false;
        }
        match judged {
            Ok((loaded, report)) => self.deploy(loaded, &report, versions),
            Err(problem) => {
                let text = problem.text();
                if versions.problem.as_ref() != Some(&text) {
                    self.replacement.reject(&problem, &text);
                    versions.problem = Some(text);
                }
            }
        }
        true
    }

    fn deploy(&self, loaded: Loaded, report: &Report, versions: &mut Versions) {
        let found = digests(&loaded.program);
        let changed = changed(&versions.running, &found, &loaded.shown(false));
        self.replacement.put(loaded, report, format!("deployed the changed program: {changed}"));
        (versions.running, versions.problem) = (found, None);
    }
}

fn watch(watcher: &Watcher, listener: Listener, places: &BTreeSet<Looked>) {
    for Looked { path, is_tree } in places {
        let Some(path) = path.to_str() else { continue };
        match is_tree {
            true => watcher.add(listener, &format!("{}/", path.trim_end_matches('/')), true),
            false => watcher.add(listener, if path.is_empty() { "." } else { path }, false),
        }
    }
}

fn has_news(changes: &Receiver<()>) -> bool {
    changes.try_recv().is_ok()
}

/// Waits until the files are quiet. Errors: the watcher is gone.
fn settle(changes: &Receiver<()>, places: &BTreeSet<Looked>) -> Result<(), RecvTimeoutError> {
    let began = Instant::now();
    loop {
        let is_quiet = match changes.recv_timeout(PAUSE) {
            Ok(()) => false,
            Err(RecvTimeoutError::Timeout) => true,
            Err(gone) => return Err(gone),
        };
        let is_written = || places.iter().any(|looked| is_being_written(&looked.path));
        if began.elapsed() > PATIENCE || is_quiet && !is_written() {
            changes.try_iter().for_each(drop);
            return Ok(());
        }
    }
}

/// The digests of the files, without those that editors keep beside them.
fn digests(program: &Program) -> Digests {
    let files = program.files.iter().filter(|file| !is_of_editor(&file.path));
    files.map(|file| (file.path.clone(), Sha256::digest(&file.content).into())).collect()
}

/// Whether it is a swap file, lock or backup of an editor.
fn is_of_editor(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_swap = name.starts_with('.') && [".swp", ".swo", ".swx"].iter().any(|end| name.ends_with(end));
    is_swap || name.ends_with('~') || name.starts_with(".#") || name == "4913"
}

/// The files that differ, by name.
fn changed(before: &Digests, after: &Digests, shown: &Shown) -> String {
    let shown = render_text::Shown { root: &shown.root, elsewhere: &shown.elsewhere, ..render_text::Shown::PLAIN };
    let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differ: Vec<String> =
        paths.into_iter().filter(|path| before.get(*path) != after.get(*path)).map(|path| shown.path(path)).collect();
    let named = differ.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    match differ.len().saturating_sub(MOST_NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::contract::SourceFile;

    #[test]
    fn changed_files_are_named_and_those_of_editors_ignored() {
        let program = |files: &[(&str, &str)]| {
            let files = files.iter().map(|(path, text)| SourceFile { path: (*path).into(), content: (*text).into() });
            digests(&Program { files: files.collect(), entry: "/main.mcl".into(), environment: Vec::new() })
        };
        let before =
            program(&[("/main.mcl", "a"), ("/lib/x.mcl", "b"), ("/lib/.x.mcl.swp", "c"), ("/lib/x.mcl~", "d")]);
        let after = program(&[("/main.mcl", "a"), ("/lib/x.mcl", "c"), ("/lib/y.mcl", "")]);
        let shown = |root: &str| Shown {
            colour: false,
            root: root.to_owned(),
            elsewhere: vec![("/partial/1/".to_owned(), "web/".to_owned())],
        };
        assert_eq!(changed(&before, &after, &shown("./")), "./lib/x.mcl, ./lib/y.mcl");
        assert_eq!(before.len(), 2);
        let many: Vec<(String, String)> = (0..5).map(|n| (format!("/{n}"), String::new())).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (&path[..], &text[..])).collect();
        assert_eq!(changed(&program(&[]), &program(&many), &shown("a/")), "a/0, a/1, a/2 and 2 more");
        let part = program(&[("/partial/1/main.cf", "a")]);
        assert_eq!(changed(&program(&[]), &part, &shown("a/")), "web/main.cf");
    }
}
