//! Removes leftovers of runs: processes, control groups, temporary folders.

use crate::run::Run;
use crate::{cgroup, processes};
use std::fs;
use std::path::{Path, PathBuf};

/// Removes the leftovers of a finished run, of which nothing is alive.
pub(crate) fn run(run: Run, folder: &Path) {
    clear(|it| it == run, &[folder.to_owned()]);
}

/// The same, but keeps the folder. Returns whether it contains anything.
pub(crate) fn keep(run: Run, folder: &Path) -> bool {
    clear(|it| it == run, &[]);
    // This removes only an empty one.
    fs::remove_dir(folder).is_err()
}

/// Removes the leftovers of runs that were killed together with their supervisors, and kept folders. `base` is the
/// parent of the temporary folders.
pub(crate) fn dead_runs(base: &Path) {
    let entries = fs::read_dir(base).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_of_dead = |path: &PathBuf| {
        let run = path.file_name().and_then(|name| Run::parse(name.to_str()?));
        run.is_some_and(Run::is_dead) && path.is_dir()
    };
    let folders: Vec<PathBuf> = entries.filter(is_of_dead).collect();
    clear(Run::is_dead, &folders);
}

fn clear(is_meant: impl Fn(Run) -> bool, folders: &[PathBuf]) {
    let of_run = |process: &processes::Process| {
        let run = process.variable(Run::VARIABLE).and_then(|name| Run::parse(&name));
        process.pid != std::process::id() && run.is_some_and(&is_meant)
    };
    processes::all().iter().filter(|process| of_run(process)).for_each(|process| processes::kill(process.pid));
    let groups = cgroup::of_runs(&is_meant).into_iter().map(|group| cgroup::remove(&group));
    let folders = folders.iter().map(|folder| remove(folder));
    for why in groups.chain(folders).filter_map(Result::err) {
        eprintln!("mclive-kit: {why}");
    }
}

/// Removes a folder with everything in it, without anything mounted there.
fn remove(folder: &Path) -> Result<(), String> {
    for mounted in mounts_below(folder) {
        let detached = rustix::mount::unmount(&mounted, rustix::mount::UnmountFlags::DETACH);
        detached.map_err(|error| {
            format!("cannot remove {}: {} is mounted there: {error}", folder.display(), mounted.display())
        })?;
    }
    match fs::remove_dir_all(folder) {
        Err(error) if folder.exists() => Err(format!("cannot remove {}: {error}", folder.display())),
        // Someone else who started now was quicker.
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The mount points below a folder, the last one first.
fn mounts_below(folder: &Path) -> Vec<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let places = mounts.lines().filter_map(|line| line.split(' ').nth(4));
    // The kernel escapes spaces and similar characters in octal.
    let plain = |place: &str| PathBuf::from(place.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"));
    let mut below: Vec<PathBuf> = places.map(plain).filter(|place| place.starts_with(folder)).collect();
    below.reverse();
    below
}
