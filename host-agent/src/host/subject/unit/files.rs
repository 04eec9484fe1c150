//! [`Files`]: the files of units, to notice another one in the place of the one that could not be loaded or started.
//!
//! A manager keeps the error with which it read the file of a unit, and whether the file has changed since it cannot tell for
//! each of them. So it is looked at here, and the manager reads all files anew once for each version of such a file.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// Where files of units are, the first that exists counts.
const OF_SYSTEM: [&str; 5] = [
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
];
const OF_SESSION: [&str; 3] = ["/etc/systemd/user", "/run/systemd/user", "/usr/lib/systemd/user"];

/// The path, and what differs from one version of a file to the next.
type Version = Option<(PathBuf, u64, i64, i64)>;

#[derive(Default)]
pub(super) struct Files {
    read: BTreeMap<String, Version>,
}

impl Files {
    /// Is there another file than the one that was read last for this unit?
    pub(super) fn differs(&self, name: &str, session: bool) -> bool {
        self.read.get(name) != Some(&version(name, session))
    }

    /// The file of this unit is about to be read.
    pub(super) fn note(&mut self, name: &str, session: bool) {
        self.read.insert(name.to_owned(), version(name, session));
    }
}

fn version(name: &str, session: bool) -> Version {
    let own = std::env::var_os("HOME").filter(|_| session).map(|home| PathBuf::from(home).join(".config/systemd/user"));
    let dirs: &[&str] = if session { &OF_SESSION } else { &OF_SYSTEM };
    let dirs = own.into_iter().chain(dirs.iter().map(PathBuf::from));
    // `name@instance.service` has the file of `name@.service`.
    let template = name.split_once('@').and_then(|(stem, rest)| Some(format!("{stem}@.{}", rest.rsplit_once('.')?.1)));
    let names = [Some(name.to_owned()), template];
    let paths = dirs.flat_map(|dir| names.clone().into_iter().flatten().map(move |name| dir.join(name)));
    paths.into_iter().find_map(|path| {
        let about = std::fs::metadata(&path).ok()?;
        Some((path, about.ino(), about.ctime(), about.ctime_nsec()))
    })
}
