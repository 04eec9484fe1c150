//! [`AccountFile`]: `/etc/passwd` and `/etc/group`, read once for each change, indexed by name and by number.
//!
//! A thousand users mean a thousand lookups; reading the file for each would process a million lines.

use super::errno::io_failed;
use crate::lock::Mutex;
use mclive_base::vocab::HostError;
use std::collections::{BTreeSet, HashMap};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

pub(super) static PASSWD: AccountFile = AccountFile::new("/etc/passwd");
pub(super) static GROUP: AccountFile = AccountFile::new("/etc/group");

/// A file that changed so recently may change again with the same timestamp, since file system clocks tick every few
/// milliseconds. Content read then is not cached.
const TICK: Duration = Duration::from_millis(50);

pub(super) struct AccountFile {
    pub(super) path: &'static str,
    last: Mutex<Option<(Version, Arc<Accounts>)>>,
}

/// Device, inode, times of content and of status, size.
type Version = (u64, u64, (i64, i64), (i64, i64), u64);

/// The lines of an account file. Of duplicate names or numbers the first line counts.
#[derive(Default)]
pub(super) struct Accounts {
    lines: Vec<String>,
    by_name: HashMap<String, usize>,
    by_number: HashMap<String, usize>,
    /// From `/etc/group`: the groups that list a user.
    groups: HashMap<String, BTreeSet<String>>,
}

impl AccountFile {
    pub(super) const fn new(path: &'static str) -> AccountFile {
        AccountFile { path, last: Mutex::new(None) }
    }

    /// The current content. A host without the file may have other sources; an unreadable file is an error, never a
    /// missing account.
    pub(super) fn read(&self) -> Result<Arc<Accounts>, HostError> {
        let failed = |error: &std::io::Error| io_failed("read", self.path, error);
        let mut file = match std::fs::File::open(self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Arc::default()),
            opened => opened.map_err(|error| failed(&error))?,
        };
        let meta = file.metadata().map_err(|error| failed(&error))?;
        let times = ((meta.mtime(), meta.mtime_nsec()), (meta.ctime(), meta.ctime_nsec()));
        let version = (meta.dev(), meta.ino(), times.0, times.1, meta.len());
        let mut last = self.last.lock();
        if let Some((of, accounts)) = &*last
            && *of == version
        {
            return Ok(accounts.clone());
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        let accounts = Arc::new(Accounts::parse(&String::from_utf8_lossy(&bytes)));
        let is_settled =
            meta.modified().is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age > TICK));
        *last = is_settled.then(|| (version, accounts.clone()));
        Ok(accounts)
    }
}

impl Accounts {
    pub(super) fn parse(text: &str) -> Accounts {
        let mut accounts = Accounts::default();
        for (at, line) in text.lines().enumerate() {
            let mut parts = line.split(':');
            let name = parts.next().unwrap_or_default();
            accounts.by_name.entry(name.to_owned()).or_insert(at);
            if let Some(number) = parts.nth(1) {
                accounts.by_number.entry(number.to_owned()).or_insert(at);
            }
            for member in parts.next().into_iter().flat_map(|members| members.split(',')) {
                accounts.groups.entry(member.to_owned()).or_default().insert(name.to_owned());
            }
            accounts.lines.push(line.to_owned());
        }
        accounts
    }

    pub(super) fn named(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).map(|at| self.lines[*at].as_str())
    }

    pub(super) fn numbered(&self, number: &str) -> Option<&str> {
        self.by_number.get(number).map(|at| self.lines[*at].as_str())
    }

    /// The first line with this name, or with this number if the key is numeric.
    pub(super) fn known_as(&self, key: &str) -> Option<&str> {
        let is_number = key.bytes().all(|byte| byte.is_ascii_digit());
        let by_number = is_number.then(|| self.by_number.get(key)).flatten();
        self.by_name.get(key).into_iter().chain(by_number).min().map(|at| self.lines[*at].as_str())
    }

    /// The groups that list a user, sorted.
    pub(super) fn groups_of(&self, user: &str) -> impl Iterator<Item = &str> {
        self.groups.get(user).into_iter().flatten().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_counts() {
        let accounts = Accounts::parse("a:x:1:x,b\nb:x:2:x\na:x:2:\n3:x:9:\nc:x:3:\nodd\n");
        assert_eq!(accounts.named("a"), Some("a:x:1:x,b"));
        assert_eq!(accounts.numbered("2"), Some("b:x:2:x"));
        assert_eq!(accounts.known_as("3"), Some("3:x:9:"));
        assert_eq!(accounts.known_as("b"), Some("b:x:2:x"));
        assert_eq!(accounts.known_as("x"), None);
        assert_eq!(accounts.groups_of("x").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(accounts.groups_of("nobody").count(), 0);
    }

    #[test]
    fn a_change_is_seen() {
        let path = std::env::temp_dir().join(format!("mclive-accounts-{}", std::process::id()));
        let file = AccountFile::new(path.to_str().unwrap().to_owned().leak());
        assert!(file.read().unwrap().named("a").is_none());
        // Each as long as the previous one, in place, and faster than clocks tick.
        for name in ["a", "b", "c", "d", "e"] {
            std::fs::write(&path, format!("{name}:x:1:\n")).unwrap();
            assert!(file.read().unwrap().named(name).is_some(), "{name}");
        }
        std::thread::sleep(2 * TICK);
        let (one, two) = (file.read().unwrap(), file.read().unwrap());
        assert!(Arc::ptr_eq(&one, &two), "nothing changed");
        std::fs::remove_file(&path).unwrap();
        assert!(file.read().unwrap().named("e").is_none());
    }
}
