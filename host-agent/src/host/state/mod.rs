//! The agent's own files below its prefix: each resource's state directory, the two key stores, and the directories of
//! functions. Engine spec, 20 and 22.
//!
//! One agent at a time uses a prefix ([`lock`]); its content is trusted if its checksum is correct ([`entry`]).

mod entry;
mod keys;
mod lock;
mod shelf;
mod vardir;

pub(crate) use shelf::Shelf;

use super::fs;
use crate::lock::Mutex;
use crate::policy::Permit;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use entry::{Care, own_dir};
use lock::Lock;
use mclive_base::protocol::ResourceId;
use mclive_base::vocab::{Datum, FileStat, HostError, HostErrorKind, KeyStore};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub(crate) struct StateDir {
    prefix: PathBuf,
    keys: Mutex<BTreeMap<(KeyStore, String), Datum>>,
    /// Changed keys that were not reported yet.
    untold: Mutex<BTreeSet<(KeyStore, String)>>,
    care: Care,
    /// Changes by functions are only predicted.
    plans: bool,
    lock: Option<Lock>,
}

impl StateDir {
    /// Opens a prefix for this agent alone, and creates missing parts.
    pub(crate) fn open(prefix: &Path) -> Result<StateDir, HostError> {
        let failed = |error: std::io::Error| super::io_failed("mkdir", &prefix.to_string_lossy(), &error);
        let prefix = std::path::absolute(prefix).map_err(failed)?;
        if !prefix.exists() {
            if let Some(above) = prefix.parent() {
                std::fs::create_dir_all(above).map_err(failed)?;
            }
            own_dir(&prefix)?;
        }
        entry::is_ours(&prefix)?;
        let lock = Lock::take(&prefix)?;
        DIRS.iter().try_for_each(|dir| own_dir(&prefix.join(dir)))?;
        [AUDIT, REQUESTS].iter().try_for_each(|log| entry::clear(&prefix.join(log)))?;
        let (keys, untold) = Default::default();
        StateDir { prefix, keys, untold, care: Care::Mend, plans: false, lock: Some(lock) }.with_keys()
    }

    /// Opens a prefix, which may be missing, without changing it: writes are only remembered.
    pub(crate) fn look(prefix: &Path) -> Result<StateDir, HostError> {
        let prefix =
            std::path::absolute(prefix).map_err(|error| super::io_failed("open", &prefix.to_string_lossy(), &error))?;
        if prefix.exists() {
            entry::is_ours(&prefix)?;
        }
        let (keys, untold) = Default::default();
        StateDir { prefix, keys, untold, care: Care::LeaveAlone, plans: true, lock: None }.with_keys()
    }

    /// The same state, whose functions change nothing if `plans`.
    pub(crate) fn planning(self, plans: bool) -> StateDir {
        StateDir { plans: self.plans || plans, ..self }
    }

    /// The path of the audit log.
    pub(crate) fn audit_log(&self) -> PathBuf {
        self.prefix.join(AUDIT)
    }

    /// The path of the log of requests to the program's own servers.
    pub(crate) fn request_log(&self) -> PathBuf {
        self.prefix.join(REQUESTS)
    }

    fn path(&self, below: &str) -> String {
        format!("{}/{below}", self.prefix.display())
    }

    pub(crate) fn prefix(&self) -> &Path {
        &self.prefix
    }

    // Resources.

    pub(crate) fn read(&self, id: &ResourceId, name: &str) -> Result<Vec<u8>, HostError> {
        let file = self.file(id, name)?;
        entry::read(&file, self.care)?.ok_or_else(|| {
            HostError::new(HostErrorKind::NotFound, format!("open {}: no such file or directory", file.display()))
        })
    }

    pub(crate) fn stat(&self, id: &ResourceId, name: &str) -> Result<Option<FileStat>, HostError> {
        fs::stat(Permit::ALL, &self.file(id, name)?.to_string_lossy(), false)
    }

    pub(crate) fn write(&self, id: &ResourceId, name: &str, content: &[u8]) -> Result<(), HostError> {
        let file = self.file(id, name)?;
        if self.lock.is_none() {
            return Err(HostError::new(HostErrorKind::Refused, "a plan does not write"));
        }
        match own_dir(file.parent().unwrap_or(&self.prefix)) {
            // The parent directory was removed.
            Err(error) if error.kind == HostErrorKind::NotFound => {
                DIRS.iter().try_for_each(|dir| own_dir(&self.prefix.join(dir)))?;
                own_dir(file.parent().unwrap_or(&self.prefix))?;
            }
            made => made?,
        }
        entry::write(&file, content)
    }

    pub(crate) fn remove(&self, id: &ResourceId, name: &str) -> Result<(), HostError> {
        fs::remove(Permit::ALL, &self.file(id, name)?.to_string_lossy(), false)
    }

    /// Removes the files of a resource whose names end like this, except the last ones in the order of their names.
    pub(crate) fn keep_last(&self, id: &ResourceId, ending: &str, most: usize) -> Result<(), HostError> {
        let names = entry::entries(self.dir(id).as_path())?.into_iter();
        let names: Vec<String> = names.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect();
        let all: Vec<&String> = names.iter().filter(|name| name.ends_with(ending)).collect();
        all.iter().rev().skip(most).try_for_each(|name| self.remove(id, name))
    }

    /// The path of a state file, for watching.
    pub(crate) fn place(&self, id: &ResourceId, name: &str) -> Result<PathBuf, HostError> {
        self.file(id, name)
    }

    /// The contents of every state file of a name, by path. An unreadable file is an error, since it may matter.
    pub(crate) fn list(&self, name: &str) -> Result<Vec<Vec<u8>>, HostError> {
        let mut found = Vec::new();
        for dir in entry::entries(&self.prefix.join("engine/state"))? {
            found.extend(entry::read(&dir.join(name), self.care)?);
        }
        Ok(found)
    }

    /// `engine/state/KIND-BASE64+SAFE/name`: the directory name is readable enough to find its resource.
    fn file(&self, id: &ResourceId, name: &str) -> Result<PathBuf, HostError> {
        if name.is_empty() || name.contains('/') || name.starts_with('.') {
            return Err(HostError::new(
                HostErrorKind::Refused,
                format!("`{name}` is not a valid name for a state file"),
            ));
        }
        Ok(self.dir(id).join(name))
    }

    /// The directory of a resource.
    fn dir(&self, id: &ResourceId) -> PathBuf {
        let mut encoded = base64url(id.name.as_bytes());
        if encoded.len() > 160 {
            let hash = Sha256::digest(id.name.as_bytes());
            encoded = base64url(&hash);
        }
        let safe: String = id.name.chars().map(|c| if c == '/' || c == '\0' { '-' } else { c }).take(40).collect();
        self.prefix.join("engine/state").join(format!("{}-{encoded}+{safe}", id.kind))
    }

    /// Whether changes by functions are only predicted.
    pub(crate) fn plans(&self) -> bool {
        self.plans
    }
}

/// Base64 for URLs and file names, without padding.
fn base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

const DIRS: &[&str] =
    &["engine", "engine/state", "local", "local/keys", "world", "world/keys", "vardir", "deploy", "deploy/files"];
/// The audit log's name below the prefix.
const AUDIT: &str = "audit.log";
/// The request log's name.
const REQUESTS: &str = "requests.log";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::Scratch;

    fn fresh(name: &str) -> (Scratch, StateDir) {
        let dir = Scratch::new(&format!("state-{name}"));
        let state = StateDir::open(&dir).unwrap();
        (dir, state)
    }

    fn given(state: &StateDir, uid: &str) -> i64 {
        let (number, is_new) = state.number("n", uid);
        if is_new {
            state.keep_number("n", uid, number).unwrap();
        }
        number
    }

    #[test]
    fn a_damaged_state_is_moved_aside() {
        let (_dir, state) = fresh("damaged");
        let id = ResourceId::new("exec", "a/b");
        state.write(&id, "output", b"hello").unwrap();
        assert_eq!(state.read(&id, "output").unwrap(), b"hello");
        let file = state.file(&id, "output").unwrap();
        std::fs::write(&file, b"mclive 1 x\nhellx").unwrap();
        assert_eq!(state.read(&id, "output").unwrap_err().kind, HostErrorKind::NotFound);
        assert!(PathBuf::from(format!("{}.damaged", file.display())).exists());
    }

    #[test]
    fn keys_outlive_a_restart_and_pools_count_on() {
        let (_dir, state) = fresh("keys");
        assert!(state.put_key(KeyStore::Local, "a", Some(&Datum::Int(7))).unwrap());
        assert!(!state.put_key(KeyStore::Local, "a", Some(&Datum::Int(7))).unwrap());
        assert_eq!(["x", "y", "x"].map(|uid| given(&state, uid)), [1, 2, 1]);
        let prefix = state.prefix.clone();
        drop(state);
        let again = StateDir::open(&prefix).unwrap();
        assert_eq!(again.key(KeyStore::Local, "a"), Some(Datum::Int(7)));
        assert_eq!(given(&again, "z"), 3);
    }

    #[test]
    fn a_key_that_cannot_be_decoded_is_moved_aside() {
        let (dir, state) = fresh("undecoded");
        state.put_key(KeyStore::Local, "a", Some(&Datum::Int(7))).unwrap();
        drop(state);
        let file = entry::entries(&dir.join("local/keys")).unwrap().remove(0);
        // Of a later version: its checksum is right.
        entry::write(&file, b"\xff").unwrap();
        assert_eq!(StateDir::look(&dir).unwrap().key(KeyStore::Local, "a"), None);
        assert!(file.exists());
        let again = StateDir::open(&dir).unwrap();
        again.put_key(KeyStore::Local, "a", Some(&Datum::Int(8))).unwrap();
        let kept = std::fs::read(format!("{}.damaged", file.display())).unwrap();
        assert!(kept.ends_with(b"\n\xff"), "{kept:?}");
    }

    #[test]
    fn of_files_that_come_again_and_again_the_last_are_kept() {
        let (_dir, state) = fresh("last");
        let id = ResourceId::new("virt:builder", "/srv/a.img");
        state.keep_last(&id, ".log", 2).unwrap();
        ["1.log", "2.log", "3.log", "3.txt", "4.log"]
            .iter()
            .for_each(|name| state.write(&id, name, name.as_bytes()).unwrap());
        state.keep_last(&id, ".log", 2).unwrap();
        let kept = |name: &str| state.stat(&id, name).unwrap().is_some();
        assert_eq!(["1.log", "2.log", "3.log", "3.txt", "4.log"].map(kept), [false, false, true, true, true]);
    }

    #[test]
    fn long_names_have_a_directory_too() {
        let (_dir, state) = fresh("long");
        let id = ResourceId::new("file", "/x".repeat(2000));
        state.write(&id, "reverse", b"1").unwrap();
        assert_eq!(state.list("reverse").unwrap(), [b"1"]);
    }

    #[test]
    fn whatever_stands_in_the_place_of_a_file_is_moved_aside() {
        let (dir, state) = fresh("odd");
        let id = ResourceId::new("exec", "a");
        let file = state.file(&id, "output").unwrap();
        let spoil: [(&str, &dyn Fn()); 4] = [
            ("a directory", &|| std::fs::create_dir_all(file.join("below")).unwrap()),
            ("a link", &|| std::os::unix::fs::symlink("/etc/passwd", &file).unwrap()),
            ("a fifo", &|| {
                rustix::fs::mknodat(rustix::fs::CWD, &file, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
                    .unwrap()
            }),
            ("an endless file", &|| std::fs::File::create(&file).unwrap().set_len(1 << 40).unwrap()),
        ];
        for (what, spoil) in spoil {
            state.write(&id, "output", b"good").unwrap();
            std::fs::remove_file(&file).unwrap();
            spoil();
            assert_eq!(state.read(&id, "output").unwrap_err().kind, HostErrorKind::NotFound, "{what}");
            spoil();
            state.write(&id, "output", b"new").unwrap();
            assert_eq!(state.read(&id, "output").unwrap(), b"new", "{what}");
            assert_eq!(state.list("output").unwrap(), [b"new"], "{what}");
            std::fs::remove_file(&file).unwrap();
        }
        drop(state);
        // Directories of the agent as well, and the lock itself.
        for (place, is_file) in [("engine/state", true), ("lock", false), ("audit.log", false)] {
            let _ = std::fs::remove_dir_all(dir.join(place));
            let _ = std::fs::remove_file(dir.join(place));
            if is_file {
                std::fs::write(dir.join(place), "x").unwrap()
            } else {
                std::fs::create_dir(dir.join(place)).unwrap()
            }
            drop(StateDir::open(&dir).unwrap());
            assert!(dir.join(format!("{place}.damaged")).exists(), "{place}");
        }
    }

    #[test]
    fn a_second_agent_is_told_who_has_the_directory() {
        let (dir, state) = fresh("lock");
        let error = StateDir::open(&dir).map(drop).unwrap_err().message;
        assert!(error.contains(&format!("pid {}, since ", std::process::id())) && error.contains("GMT"), "{error}");
        drop(state);
        drop(StateDir::open(&dir).unwrap());
    }

    #[test]
    fn a_state_that_others_may_change_is_refused_and_one_of_ours_is_closed() {
        use std::os::unix::fs::PermissionsExt;
        let dir = Scratch::new("state-open");
        let mode = |mode| std::fs::set_permissions(&*dir, std::fs::Permissions::from_mode(mode)).unwrap();
        mode(0o777);
        assert!(StateDir::open(&dir).map(drop).unwrap_err().message.contains("mode 0777"));
        mode(0o755);
        let prefix = dir.join("new");
        drop(StateDir::open(&prefix).unwrap());
        for below in ["", "engine/state", "local/keys", "world/keys", "vardir"] {
            let meta = std::fs::metadata(prefix.join(below)).unwrap();
            assert_eq!(meta.permissions().mode() & 0o777, 0o700, "{below}");
        }
    }

    #[test]
    fn a_look_changes_nothing() {
        let (dir, state) = fresh("look");
        let id = ResourceId::new("exec", "a");
        state.write(&id, "output", b"good").unwrap();
        let file = state.file(&id, "output").unwrap();
        drop(state);
        std::fs::write(&file, "damaged").unwrap();
        let look = StateDir::look(&dir).unwrap();
        assert_eq!(look.read(&id, "output").unwrap_err().kind, HostErrorKind::NotFound);
        assert_eq!(["x", "y", "x"].map(|uid| given(&look, uid)), [1, 2, 1]);
        assert!(!look.has_dir(&look.local_dir("mine/").unwrap()).unwrap());
        assert!(look.write(&id, "output", b"x").is_err());
        assert_eq!(std::fs::read(&file).unwrap(), b"damaged");
        let nowhere = dir.join("nowhere");
        assert_eq!(StateDir::look(&nowhere).unwrap().list("output").unwrap(), Vec::<Vec<u8>>::new());
        assert!(!nowhere.exists());
    }

    #[test]
    fn what_cannot_be_read_is_an_error_and_not_nothing() {
        let (_dir, state) = fresh("unreadable");
        let id = ResourceId::new("exec", "a");
        state.write(&id, "output", b"good").unwrap();
        // A name that is too long for the system stands in for any read error.
        assert!(state.list(&"x".repeat(300)).is_err());
    }
}
