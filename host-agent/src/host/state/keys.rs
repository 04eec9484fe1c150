//! The two key stores of the prefix, each key in a separate file, and all of them in memory; and the numbers assigned
//! from pools, which are keys as well.

use super::{StateDir, base64url, entry};
use crate::host::fs;
use crate::policy::Permit;
use mclive_base::vocab::{Datum, HostError, HostErrorKind, KeyStore};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

impl StateDir {
    /// Reads the stored keys.
    pub(super) fn with_keys(self) -> Result<StateDir, HostError> {
        let mut keys = BTreeMap::new();
        for store in [KeyStore::Local, KeyStore::World] {
            let files = entry::entries(&self.prefix.join(store_dir(store)))?;
            // The agent's files have no dot in their names: those with one were moved aside.
            for file in files.iter().filter(|file| file.extension().is_none()) {
                let Some(bytes) = entry::read(file, self.care)? else { continue };
                match postcard::from_bytes::<(String, Datum)>(&bytes) {
                    Ok((key, value)) => drop(keys.insert((store, key), value)),
                    // It may be intact, and of another version of the agent: the next value must not replace it.
                    Err(_) => entry::aside(file, "has an unknown format", self.care)?,
                }
            }
        }
        *self.keys.lock() = keys;
        Ok(self)
    }

    pub(crate) fn key(&self, store: KeyStore, key: &str) -> Option<Datum> {
        self.keys.lock().get(&(store, key.to_owned())).cloned()
    }

    /// Every key below a prefix with its value, sorted.
    pub(crate) fn keys_below(&self, store: KeyStore, below: &str) -> Vec<(String, Datum)> {
        let keys = self.keys.lock();
        let found =
            keys.range((store, below.to_owned())..).take_while(|((of, key), _)| *of == store && key.starts_with(below));
        found.map(|((_, key), value)| (key.clone(), value.clone())).collect()
    }

    /// Stores or removes a key, and calls `tell` if that changed something. If a bug prevents the call, the next one
    /// makes up for it.
    pub(crate) fn set_key(
        &self,
        store: KeyStore,
        key: &str,
        value: Option<&Datum>,
        tell: impl FnOnce(),
    ) -> Result<(), HostError> {
        let place = (store, key.to_owned());
        if self.put_key(store, key, value)? || self.untold.lock().contains(&place) {
            tell();
            self.untold.lock().remove(&place);
        }
        Ok(())
    }

    /// Returns whether that changed anything.
    pub(super) fn put_key(&self, store: KeyStore, key: &str, value: Option<&Datum>) -> Result<bool, HostError> {
        // Held while the file is written, so that two writers reach file and memory in the same order.
        let mut keys = self.keys.lock();
        let place = (store, key.to_owned());
        if keys.get(&place) == value {
            return Ok(false);
        }
        self.untold.lock().insert(place.clone());
        let hash = Sha256::digest(key.as_bytes());
        let file = self.prefix.join(store_dir(store)).join(base64url(&hash));
        match value {
            Some(value) if self.plans => drop(keys.insert(place, value.clone())),
            None if self.plans => drop(keys.remove(&place)),
            Some(value) => {
                let bytes = postcard::to_stdvec(&(key, value))
                    .map_err(|error| HostError::new(HostErrorKind::Other, error.to_string()))?;
                entry::write(&file, &bytes)?;
                keys.insert(place, value.clone());
            }
            None => {
                fs::remove(Permit::ALL, &file.to_string_lossy(), false)?;
                keys.remove(&place);
            }
        }
        Ok(true)
    }

    /// The number of `uid` in a pool: the stored one, or a new one, which is the highest plus one.
    pub(crate) fn number(&self, namespace: &str, uid: &str) -> (i64, bool) {
        let (below, key) = pool(namespace, uid);
        let taken = self.keys_below(KeyStore::Local, &below);
        if let Some((_, Datum::Int(number))) = taken.iter().find(|(found, _)| *found == key) {
            return (*number, false);
        }
        let numbers =
            taken.iter().filter_map(|(_, value)| if let Datum::Int(number) = value { Some(*number) } else { None });
        (numbers.max().unwrap_or(0) + 1, true)
    }

    pub(crate) fn keep_number(&self, namespace: &str, uid: &str, number: i64) -> Result<(), HostError> {
        let (_, key) = pool(namespace, uid);
        self.set_key(KeyStore::Local, &key, Some(&Datum::Int(number)), || ())
    }
}

/// The key prefix of a pool's numbers, and the key of `uid`.
fn pool(namespace: &str, uid: &str) -> (String, String) {
    let below = format!("pool/{}/", base64url(namespace.as_bytes()));
    let key = format!("{below}{}", base64url(uid.as_bytes()));
    (below, key)
}

fn store_dir(store: KeyStore) -> &'static str {
    match store {
        KeyStore::Local => "local/keys",
        KeyStore::World => "world/keys",
    }
}
