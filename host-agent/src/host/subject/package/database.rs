//! dpkg's database: the installed packages, their states, and their files. Source: dpkg(1), "package states".

use crate::host::io_failed;
use crate::lock::Mutex;
use mclive_base::vocab::package::{self, Installed};
use mclive_base::vocab::{HostError, HostErrorKind};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;

pub(super) const STATUS: &str = "/var/lib/dpkg/status";
/// Updates that an interrupted dpkg had not yet written to the status file.
const UPDATES: &str = "/var/lib/dpkg/updates";
const INFO: &str = "/var/lib/dpkg/info";
/// Larger than any list of files.
const LONGEST_LIST: u64 = 64 << 20;

pub(super) struct Database {
    /// By name; there may be several architectures of one package.
    entries: HashMap<String, Vec<Paragraph>>,
    /// dpkg was interrupted, or left something unfinished.
    pub(super) is_unfinished: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Paragraph {
    name: String,
    arch: String,
    version: String,
    is_held: bool,
    /// Several architectures can be installed at the same time.
    is_multi: bool,
    pub(super) state: Condition,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Condition {
    Installed,
    /// The state in dpkg's words.
    Broken(String),
    /// Not installed, though configuration files may be left.
    Gone,
}

impl Paragraph {
    pub(super) fn installed(&self) -> Option<Installed> {
        let broken = match &self.state {
            Condition::Gone => return None,
            Condition::Installed => String::new(),
            Condition::Broken(word) => word.clone(),
        };
        Some(Installed { version: self.version.clone(), broken, is_held: self.is_held })
    }

    /// Whether a name with this architecture means it. This machine's own architecture includes packages for all.
    fn is_of(&self, arch: &str) -> bool {
        match arch {
            "any" => true,
            arch if arch == "native" || arch == native_arch() => self.arch == native_arch() || self.arch == "all",
            arch => self.arch == arch,
        }
    }
}

impl Database {
    fn parse(status: &str, updates: &[String]) -> Database {
        let mut database = Database { entries: HashMap::new(), is_unfinished: !updates.is_empty() };
        let later = updates.iter().map(String::as_str);
        for stanza in std::iter::once(status).chain(later).flat_map(|text| text.split("\n\n")) {
            let Some(entry) = parse_entry(stanza) else { continue };
            let known = database.entries.entry(entry.name.clone()).or_default();
            // Later entries replace earlier ones.
            known.retain(|other| other.arch != entry.arch);
            known.push(entry);
        }
        let is_broken = |entry: &Paragraph| matches!(entry.state, Condition::Broken(_));
        database.is_unfinished |= database.entries.values().flatten().any(is_broken);
        database
    }

    /// `name` or `name:arch`. Without an architecture an installed one comes first, and of those `all` or this
    /// machine's architecture.
    pub(super) fn find(&self, name: &str) -> Option<&Paragraph> {
        let (name, arch) = name.split_once(':').map_or((name, None), |(name, arch)| (name, Some(arch)));
        let entries = self.entries.get(name)?.iter();
        let fits = |entry: &&Paragraph| arch.is_none_or(|arch| entry.is_of(arch));
        let native = native_arch();
        let rank = |entry: &&Paragraph| {
            (entry.state == Condition::Gone, entry.arch != "all" && entry.arch != native, entry.arch.clone())
        };
        entries.filter(fits).min_by_key(rank)
    }

    /// Whether a package is held without being installed: apt does not install it.
    pub(super) fn holds_absent(&self, name: &str) -> bool {
        self.find(name).is_some_and(|entry| entry.is_held && entry.state == Condition::Gone)
    }
}

/// The architecture of this machine's packages, in dpkg's terms.
pub(super) fn native_arch() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "x86" => "i386",
        "arm" => "armhf",
        "powerpc64" => "ppc64el",
        other => other,
    }
}

fn parse_entry(stanza: &str) -> Option<Paragraph> {
    let [mut name, mut status, mut arch, mut version, mut multi] = [""; 5];
    for line in stanza.lines() {
        // Continuation lines begin with a space, which no field name has.
        let Some((field, value)) = line.split_once(':') else { continue };
        match field {
            "Package" => name = value.trim(),
            "Status" => status = value.trim(),
            "Architecture" => arch = value.trim(),
            "Version" => version = value.trim(),
            "Multi-Arch" => multi = value.trim(),
            _ => {}
        }
    }
    let mut words = status.split(' ');
    let (want, error, state) = (words.next()?, words.next()?, words.next()?);
    if name.is_empty() {
        return None;
    }
    let state = match (state, error) {
        ("not-installed" | "config-files", _) => Condition::Gone,
        ("installed", "ok") => Condition::Installed,
        // Its triggers run with the next transaction; it works.
        ("triggers-pending", "ok") => Condition::Installed,
        (_, "reinstreq") => Condition::Broken(format!("{state}, to be reinstalled")),
        (word, _) => Condition::Broken(word.to_owned()),
    };
    Some(Paragraph {
        name: name.to_owned(),
        arch: arch.to_owned(),
        version: version.to_owned(),
        is_held: want == "hold",
        is_multi: multi == "same",
        state,
    })
}

/// The paths of a package's files, in the order of [`package::files`].
pub(super) fn files(entry: &Paragraph) -> Result<Vec<String>, HostError> {
    let name = if entry.is_multi { format!("{}:{}", entry.name, entry.arch) } else { entry.name.clone() };
    let path = format!("{INFO}/{name}.list");
    let failed = |error: std::io::Error| io_failed("open", &path, &error);
    match std::fs::metadata(&path) {
        Ok(meta) if meta.len() > LONGEST_LIST => {
            return Err(HostError::new(HostErrorKind::Other, format!("{path} is too long")));
        }
        // It is being unpacked or removed.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
        Ok(_) => {}
    }
    let text = std::fs::read(&path).map_err(failed)?;
    let text = String::from_utf8_lossy(&text);
    Ok(package::files(text.lines()))
}

/// The database as last read.
#[derive(Default)]
pub(super) struct Cache(Mutex<Option<(Version, Arc<Database>)>>);

/// Inode, time and size of the status file, and the content of the directory of updates.
type Version = ((u64, i64, i64, u64), Vec<PathBuf>);

impl Cache {
    pub(super) fn read(&self) -> Result<Arc<Database>, HostError> {
        let meta = std::fs::metadata(STATUS).map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => {
                HostError::new(HostErrorKind::Unavailable, package::NO_SYSTEM)
            }
            _ => io_failed("open", STATUS, &error),
        })?;
        let updates = updates()?;
        let version = ((meta.ino(), meta.mtime(), meta.mtime_nsec(), meta.len()), updates);
        let mut known = self.0.lock();
        if let Some((of, database)) = &*known
            && *of == version
        {
            return Ok(database.clone());
        }
        let read = |path: &std::path::Path| {
            let bytes = std::fs::read(path).map_err(|error| io_failed("read", &path.to_string_lossy(), &error))?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        let updates: Vec<String> = version.1.iter().map(|path| read(path)).collect::<Result<_, HostError>>()?;
        let database = Arc::new(Database::parse(&read(STATUS.as_ref())?, &updates));
        *known = Some((version, database.clone()));
        Ok(database)
    }
}

/// The files with numeric names, in order.
fn updates() -> Result<Vec<PathBuf>, HostError> {
    let entries = match std::fs::read_dir(UPDATES) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| io_failed("open", UPDATES, &error))?,
    };
    let is_number = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(is_number))
        .map(|entry| entry.path())
        .collect();
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS_TEXT: &str = "Package: a\nStatus: install ok installed\nArchitecture: all\nVersion: 1.0\nDescription: x\n two\n\nPackage: b\nStatus: hold ok installed\nArchitecture: amd64\nVersion: 1:2-3\n\nPackage: c\nStatus: deinstall ok config-files\nArchitecture: all\nVersion: 1\n\nPackage: d\nStatus: install ok half-configured\nArchitecture: all\nVersion: 1\n";

    #[test]
    fn each_state_has_its_word() {
        let database = Database::parse(STATUS_TEXT, &[]);
        let of = |name: &str| database.find(name).and_then(Paragraph::installed);
        let installed = |version: &str, broken: &str, is_held| {
            Some(Installed { version: version.into(), broken: broken.into(), is_held })
        };
        assert_eq!(of("a"), installed("1.0", "", false));
        assert_eq!(of("b"), installed("1:2-3", "", true));
        assert_eq!(of("b:amd64"), installed("1:2-3", "", true));
        assert_eq!(of("b:i386"), None);
        assert_eq!(of("c"), None);
        assert_eq!(of("d"), installed("1", "half-configured", false));
        assert!(database.is_unfinished);
    }

    #[test]
    fn the_architecture_of_this_machine_includes_all() {
        let database = Database::parse(STATUS_TEXT, &[]);
        let is_there = |arch: &str| database.find(&format!("a:{arch}")).is_some();
        assert!([native_arch(), "native", "any", "all"].into_iter().all(is_there));
        assert!(!is_there("zz"));
    }

    #[test]
    fn one_that_is_not_installed_can_be_held() {
        let absent = "Package: e\nStatus: hold ok not-installed\nArchitecture: all\n\nPackage: f\nStatus: hold ok config-files\nArchitecture: all\nVersion: 1\n";
        let database = Database::parse(&format!("{STATUS_TEXT}\n{absent}"), &[]);
        let held = ["a", "b", "c", "e", "e:all", "f", "g"].map(|name| database.holds_absent(name));
        assert_eq!(held, [false, false, false, true, true, true, false]);
        assert_eq!(database.find("e").and_then(Paragraph::installed), None);
    }

    #[test]
    fn what_an_interrupted_dpkg_noted_counts() {
        let update = "Package: a\nStatus: install reinstreq half-installed\nArchitecture: all\nVersion: 1.0\n";
        let database = Database::parse(STATUS_TEXT, &[update.to_owned()]);
        let found = database.find("a").and_then(Paragraph::installed).unwrap();
        assert_eq!(found.broken, "half-installed, to be reinstalled");
        assert!(Database::parse("", &[String::new()]).is_unfinished);
    }

    #[test]
    fn an_architecture_that_is_installed_comes_first() {
        let both = "Package: a\nStatus: deinstall ok config-files\nArchitecture: amd64\nVersion: 1\n\nPackage: a\nStatus: install ok installed\nArchitecture: zz\nVersion: 2\n";
        let database = Database::parse(both, &[]);
        assert_eq!(database.find("a").and_then(Paragraph::installed).unwrap().version, "2");
    }
}
