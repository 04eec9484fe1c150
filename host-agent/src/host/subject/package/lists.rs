//! apt's package lists: their age.

use std::time::{Duration, SystemTime};

pub(super) const DIR: &str = "/var/lib/apt/lists/";
pub(super) const SOURCES: &str = "/etc/apt/sources.list";
pub(super) const SOURCES_DIR: &str = "/etc/apt/sources.list.d/";
/// What prefers one version to another.
pub(super) const PREFERENCES: &str = "/etc/apt/preferences";
pub(super) const PREFERENCES_DIR: &str = "/etc/apt/preferences.d";
/// Touched after a fetch, the first by `TOUCH`, the second by apt's timer. If a fetch finds nothing new, apt changes
/// neither the lists nor their times.
const STAMPS: [&str; 2] = ["/var/lib/apt/periodic/update-success-stamp", "/var/lib/apt/periodic/update-stamp"];
/// The setting of apt that does so.
pub(super) const TOUCH: &str = "APT::Update::Post-Invoke-Success::=mkdir -p /var/lib/apt/periodic && \
                                touch /var/lib/apt/periodic/update-success-stamp || true";

/// Seconds since the lists were fetched; `None` if they never were, or not since their sources changed.
pub(super) fn age_s() -> Option<u64> {
    let entries = || std::fs::read_dir(DIR).into_iter().flatten().flatten();
    // A repository has at least one of these.
    let is_index = |name: &str| ["Packages", "InRelease", "Release"].iter().any(|end| name.contains(end));
    if !entries().any(|entry| entry.file_name().to_str().is_some_and(is_index)) {
        return None;
    }
    let partial = format!("{DIR}partial");
    let fetched = [DIR, &partial].into_iter().chain(STAMPS).filter_map(modified).max()?;
    let mut sources = vec![SOURCES.to_owned(), SOURCES_DIR.to_owned()];
    let files = std::fs::read_dir(SOURCES_DIR).into_iter().flatten().flatten();
    sources.extend(files.filter_map(|file| file.path().to_str().map(str::to_owned)));
    // A time in the future would be later than each fetch.
    let now = SystemTime::now();
    if sources.iter().filter_map(|path| modified(path)).any(|at| at > fetched && at <= now) {
        return None;
    }
    Some(now.duration_since(fetched).unwrap_or(Duration::ZERO).as_secs())
}

fn modified(path: &str) -> Option<SystemTime> {
    std::fs::metadata(path).ok()?.modified().ok()
}
