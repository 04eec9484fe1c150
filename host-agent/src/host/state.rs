//! The agent's own files below its prefix: each resource's state directory, the two key stores, and the
//! directories that functions hand out. Engine spec, 20 and 22.
//!
//! Invariant: each file is written whole or not at all, and begins with a checksum. A damaged one is
//! moved aside with a warning and counts as missing, so that no fault of a disk keeps us from starting.

use super::fs::{self, Bytes};
use crate::policy::Permit;
use mclive_base::protocol::ResourceId;
use mclive_base::vocab::{Attributes, Datum, FileStat, HostError, HostErrorKind, KeyStore};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

pub(crate) struct StateDir {
    prefix: PathBuf,
    keys: Mutex<BTreeMap<(KeyStore, String), Datum>>,
}

impl StateDir {
    /// Opens a prefix, which must be a directory.
    pub(crate) fn open(prefix: PathBuf) -> Result<StateDir, HostError> {
        let state = StateDir { prefix, keys: Mutex::default() };
        for dir in ["engine/state", "local/keys", "world/keys"] {
            fs::make_dir(Permit::ALL, &state.path(dir), true, Some(0o750), 0o022)?;
        }
        let mut keys = BTreeMap::new();
        for store in [KeyStore::Local, KeyStore::World] {
            for file in files_below(&state.prefix.join(store_dir(store)), 0) {
                let found = read_checked(&file)?.and_then(|bytes| postcard::from_bytes::<(String, Datum)>(&bytes).ok());
                if let Some((key, value)) = found {
                    keys.insert((store, key), value);
                }
            }
        }
        *state.keys.lock().expect("no holder panics") = keys;
        Ok(state)
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
        read_checked(&file)?.ok_or_else(|| {
            HostError::new(HostErrorKind::NotFound, format!("open {}: no such file or directory", file.display()))
        })
    }

    pub(crate) fn stat(&self, id: &ResourceId, name: &str) -> Result<Option<FileStat>, HostError> {
        fs::stat(Permit::ALL, &self.file(id, name)?.to_string_lossy(), false)
    }

    pub(crate) fn write(&self, id: &ResourceId, name: &str, content: &[u8]) -> Result<(), HostError> {
        let file = self.file(id, name)?;
        let dir = file.parent().expect("a file in a directory").to_string_lossy().into_owned();
        fs::make_dir(Permit::ALL, &dir, true, Some(0o750), 0o022)?;
        write_checked(&file, content)
    }

    pub(crate) fn remove(&self, id: &ResourceId, name: &str) -> Result<(), HostError> {
        fs::remove(Permit::ALL, &self.file(id, name)?.to_string_lossy(), false)
    }

    /// The contents of every state file of a name, by path.
    pub(crate) fn list(&self, name: &str) -> Result<Vec<Vec<u8>>, HostError> {
        let mut files = files_below(&self.prefix.join("engine/state"), 1);
        files.retain(|file| file.file_name().is_some_and(|found| found == name));
        let mut found = Vec::new();
        for file in files {
            found.extend(read_checked(&file)?);
        }
        Ok(found)
    }

    /// `engine/state/KIND-BASE64+SAFE/name`: the directory can be traced to its resource by eye.
    fn file(&self, id: &ResourceId, name: &str) -> Result<PathBuf, HostError> {
        if name.is_empty() || name.contains('/') || name.starts_with('.') {
            return Err(HostError::new(HostErrorKind::Refused, format!("`{name}` is no name of a state file")));
        }
        let mut encoded = base64url(id.name.as_bytes());
        if encoded.len() > 160 {
            let hash = Sha256::digest(id.name.as_bytes());
            encoded = base64url(&hash);
        }
        let safe: String = id.name.chars().map(|c| if c == '/' || c == '\0' { '-' } else { c }).take(40).collect();
        Ok(self.prefix.join("engine/state").join(format!("{}-{encoded}+{safe}", id.kind)).join(name))
    }

    // Stores.

    pub(crate) fn key(&self, store: KeyStore, key: &str) -> Option<Datum> {
        self.keys.lock().expect("no holder panics").get(&(store, key.to_owned())).cloned()
    }

    /// Every key below a prefix with its value, sorted.
    pub(crate) fn keys_below(&self, store: KeyStore, below: &str) -> Vec<(String, Datum)> {
        let keys = self.keys.lock().expect("no holder panics");
        let found =
            keys.range((store, below.to_owned())..).take_while(|((of, key), _)| *of == store && key.starts_with(below));
        found.map(|((_, key), value)| (key.clone(), value.clone())).collect()
    }

    /// Stores or removes; the answer is whether that changed anything.
    pub(crate) fn set_key(&self, store: KeyStore, key: &str, value: Option<&Datum>) -> Result<bool, HostError> {
        // Held while the file is written, so that file and memory agree on the order of two writers.
        let mut keys = self.keys.lock().expect("no holder panics");
        let place = (store, key.to_owned());
        if keys.get(&place) == value {
            return Ok(false);
        }
        let hash = Sha256::digest(key.as_bytes());
        let file = self.prefix.join(store_dir(store)).join(base64url(&hash));
        match value {
            Some(value) => {
                let bytes = postcard::to_stdvec(&(key, value))
                    .map_err(|error| HostError::new(HostErrorKind::Other, error.to_string()))?;
                write_checked(&file, &bytes)?;
                keys.insert(place, value.clone());
            }
            None => {
                fs::remove(Permit::ALL, &file.to_string_lossy(), false)?;
                keys.remove(&place);
            }
        }
        Ok(true)
    }

    /// The number of `uid` in a pool: the stored one, or one more than the highest, stored.
    pub(crate) fn pool(&self, namespace: &str, uid: &str) -> Result<i64, HostError> {
        let below = format!("pool/{}/", base64url(namespace.as_bytes()));
        let key = format!("{below}{}", base64url(uid.as_bytes()));
        let taken = self.keys_below(KeyStore::Local, &below);
        if let Some((_, Datum::Int(number))) = taken.iter().find(|(found, _)| *found == key) {
            return Ok(*number);
        }
        let highest = taken
            .iter()
            .filter_map(|(_, value)| if let Datum::Int(number) = value { Some(*number) } else { None })
            .max();
        let number = highest.unwrap_or(0) + 1;
        self.set_key(KeyStore::Local, &key, Some(&Datum::Int(number)))?;
        Ok(number)
    }

    // Directories for functions.

    /// A private, durable directory, made on demand; the answer ends with a slash.
    pub(crate) fn local_dir(&self, below: &str) -> Result<String, HostError> {
        let dir = format!("{}/", self.path(&format!("vardir/functions/{}", inside(below)?)).trim_end_matches('/'));
        fs::make_dir(Permit::ALL, &dir, true, Some(0o750), 0o022)?;
        Ok(dir)
    }

    /// A directory that holds exactly these files.
    pub(crate) fn local_tree(&self, below: &str, files: &[(String, Vec<u8>)]) -> Result<String, HostError> {
        let dir = format!("{}/", self.path(&format!("vardir/directory/{}", inside(below)?)).trim_end_matches('/'));
        fs::make_dir(Permit::ALL, &dir, true, Some(0o750), 0o022)?;
        for (path, content) in files {
            let file = format!("{dir}{}", inside(path)?);
            let above = file.rsplit_once('/').map_or("/", |(above, _)| above);
            fs::make_dir(Permit::ALL, above, true, Some(0o750), 0o022)?;
            fs::write_file(Permit::ALL, &file, &Bytes::These(content), &Attributes::default(), 0o022)?;
        }
        let wanted: Vec<&str> = files.iter().map(|(path, _)| path.trim_start_matches('/')).collect();
        for (path, _) in fs::list_dir(Permit::ALL, &dir, true)? {
            let holds = |file: &&str| *file == path || file.starts_with(&format!("{path}/"));
            if !wanted.iter().any(holds) {
                fs::remove(Permit::ALL, &format!("{dir}{path}"), true)?;
            }
        }
        Ok(dir)
    }
}

/// A relative path that does not leave the directory it is put below.
fn inside(path: &str) -> Result<&str, HostError> {
    let path = path.trim_start_matches('/');
    if path.split('/').any(|part| part == "..") {
        return Err(HostError::new(HostErrorKind::Refused, format!("`{path}` leads out of its directory")));
    }
    Ok(path)
}

fn store_dir(store: KeyStore) -> &'static str {
    match store {
        KeyStore::Local => "local/keys",
        KeyStore::World => "world/keys",
    }
}

/// The files so many levels below a directory, sorted. What waits to be renamed is not among them.
fn files_below(dir: &Path, levels: u32) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut entries: Vec<PathBuf> = entries.collect();
    entries.sort();
    match levels {
        0 => entries.retain(|path| {
            path.is_file() && path.file_name().is_some_and(|name| !name.as_encoded_bytes().starts_with(b"."))
        }),
        _ => entries = entries.iter().flat_map(|inner| files_below(inner, levels - 1)).collect(),
    }
    entries
}

const MAGIC: &[u8] = b"mclive 1 ";

fn write_checked(file: &Path, content: &[u8]) -> Result<(), HostError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(base64url(&Sha256::digest(content)).as_bytes());
    bytes.push(b'\n');
    bytes.extend(content);
    fs::write_file(
        Permit::ALL,
        &file.to_string_lossy(),
        &Bytes::These(&bytes),
        &Attributes::of_mode(Some(0o600)),
        0o077,
    )
}

/// The content, or `None` when there is none that can be trusted.
fn read_checked(file: &Path) -> Result<Option<Vec<u8>>, HostError> {
    let bytes = match fs::read_file(Permit::ALL, &file.to_string_lossy(), u64::MAX >> 1) {
        Ok(bytes) => bytes,
        Err(error) if error.kind == HostErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let content = bytes.strip_prefix(MAGIC).and_then(|rest| {
        let line = rest.iter().position(|byte| *byte == b'\n')?;
        let (hash, content) = (&rest[..line], &rest[line + 1..]);
        (base64url(&Sha256::digest(content)).as_bytes() == hash).then(|| content.to_vec())
    });
    if content.is_none() && !file.to_string_lossy().ends_with(".damaged") {
        let aside = format!("{}.damaged", file.display());
        eprintln!("mclive: warning: the state file {} is damaged; it is kept as {aside}", file.display());
        std::fs::rename(file, &aside).map_err(|error| super::errno::io_failed("rename", &aside, &error))?;
    }
    Ok(content)
}

/// Base64 for URLs and file names, without padding.
pub(crate) fn base64url(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..=chunk.len() {
            out.push(LETTERS[(word >> (18 - 6 * at)) as usize & 63] as char);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::Scratch;

    fn fresh(name: &str) -> (Scratch, StateDir) {
        let dir = Scratch::new(&format!("state-{name}"));
        let state = StateDir::open(dir.to_owned()).unwrap();
        (dir, state)
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
        assert!(state.set_key(KeyStore::Local, "a", Some(&Datum::Int(7))).unwrap());
        assert!(!state.set_key(KeyStore::Local, "a", Some(&Datum::Int(7))).unwrap());
        assert_eq!(
            (state.pool("n", "x").unwrap(), state.pool("n", "y").unwrap(), state.pool("n", "x").unwrap()),
            (1, 2, 1)
        );
        let again = StateDir::open(state.prefix.clone()).unwrap();
        assert_eq!(again.key(KeyStore::Local, "a"), Some(Datum::Int(7)));
        assert_eq!(again.pool("n", "z").unwrap(), 3);
    }

    #[test]
    fn long_names_have_a_directory_too() {
        let (_dir, state) = fresh("long");
        let id = ResourceId::new("file", "/x".repeat(2000));
        state.write(&id, "reverse", b"1").unwrap();
        assert_eq!(state.list("reverse").unwrap(), [b"1"]);
    }

    #[test]
    fn base64_is_that_of_urls() {
        assert_eq!(
            (base64url(b""), base64url(b"f"), base64url(b"fo"), base64url(b"foo"), base64url(b"\xff\xfe")),
            ("".into(), "Zg".into(), "Zm8".into(), "Zm9v".into(), "__4".into())
        );
    }
}
