//! [`Files`]: the files of units, to detect a changed file of a unit that could not be loaded or started.
//!
//! A manager caches the error of a unit file, and cannot always tell whether the file has changed since. So it is
//! checked here, and the manager reloads all files once for each version of such a file.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The directories of unit files, by precedence.
const OF_SYSTEM: [&str; 5] = [
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
];
const OF_SESSION: [&str; 3] = ["/etc/systemd/user", "/run/systemd/user", "/usr/lib/systemd/user"];

/// The file and its drop-in directories, each with what distinguishes versions.
type Version = Vec<(PathBuf, u64, i64, i64)>;

#[derive(Default)]
pub(super) struct Files {
    read: BTreeMap<String, Version>,
}

impl Files {
    /// Whether the recorded version of this unit's file is missing or differs from the current one.
    pub(super) fn differs(&self, name: &str, session: bool) -> bool {
        self.read.get(name) != Some(&version(name, session))
    }

    /// Whether the recorded version of this unit's file exists and differs from the current one.
    pub(super) fn is_another(&self, name: &str, session: bool) -> bool {
        self.read.contains_key(name) && self.differs(name, session)
    }

    /// Records the version of this unit's file before it is read.
    pub(super) fn note(&mut self, name: &str, session: bool) {
        self.read.insert(name.to_owned(), version(name, session));
    }
}

fn version(name: &str, session: bool) -> Version {
    let own = std::env::var_os("HOME").filter(|_| session).map(|home| PathBuf::from(home).join(".config/systemd/user"));
    let dirs: &[&str] = if session { &OF_SESSION } else { &OF_SYSTEM };
    let dirs: Vec<PathBuf> = own.into_iter().chain(dirs.iter().map(PathBuf::from)).collect();
    version_in(&dirs, name)
}

fn version_in(dirs: &[PathBuf], name: &str) -> Version {
    // The file of `name@instance.service` is that of `name@.service`.
    let template = name.split_once('@').and_then(|(stem, rest)| Some(format!("{stem}@.{}", rest.rsplit_once('.')?.1)));
    let names: Vec<&str> = std::iter::once(name).chain(template.as_deref()).collect();
    let paths = |suffix: &'static str| {
        dirs.iter().flat_map(|dir| names.iter().map(|name| dir.join(format!("{name}{suffix}")))).collect::<Vec<_>>()
    };
    let main = paths("").into_iter().find_map(|path| about(&path));
    main.into_iter().chain(paths(".d").iter().filter_map(|path| about(path))).collect()
}

fn about(path: &Path) -> Option<(PathBuf, u64, i64, i64)> {
    let about = std::fs::metadata(path).ok()?;
    Some((path.to_owned(), about.ino(), about.ctime(), about.ctime_nsec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_that_of_the_first_file_and_of_what_adds_to_it() {
        let dir = std::env::temp_dir().join(format!("mclive-units-{}", std::process::id()));
        let dirs = ["etc", "usr"].map(|name| dir.join(name));
        dirs.iter().for_each(|dir| std::fs::create_dir_all(dir).unwrap());
        assert!(version_in(&dirs, "a@1.service").is_empty());
        std::fs::write(dirs[1].join("a@.service"), "").unwrap();
        let of_template = version_in(&dirs, "a@1.service");
        assert_eq!(of_template.len(), 1);
        std::fs::write(dirs[1].join("a@1.service"), "").unwrap();
        let own = version_in(&dirs, "a@1.service");
        assert!(own != of_template && own.len() == 1);
        std::fs::create_dir(dirs[0].join("a@1.service.d")).unwrap();
        let added = version_in(&dirs, "a@1.service");
        assert_eq!((added.len(), &added[0]), (2, &own[0]));
        std::fs::remove_dir_all(dir).unwrap();
    }
}
