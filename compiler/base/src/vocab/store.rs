//! The two key-value stores of a host.

use super::{Change, Changes, Datum, HostError, HostErrorKind, Learn, Listen, Look};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A key-value store. Engine spec, 15, 21 and 22.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum KeyStore {
    /// This host's own values, by name (`value` resources). They survive a restart.
    Local,
    /// Values shared between hosts: `strings/KEY`, `exported/TO/FROM/KIND/NAME`. A single host keeps them in its own
    /// file.
    World,
}

/// → `Held`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// The store.
    pub store: KeyStore,
    /// The key.
    pub key: String,
}

/// The answer to [`Probe`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The value; `None`: the key does not exist.
    Held(Option<Datum>),
}

/// Sets or removes a key. Setting an equal value is not a change and fires no watch.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The store.
    pub store: KeyStore,
    /// The key.
    pub key: String,
    /// The new value; `None` removes the key.
    pub value: Option<Datum>,
}

/// A key of a store. A key that ends in `/` covers everything below it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    /// The store.
    pub store: KeyStore,
    /// The key.
    pub key: String,
}

/// A value of a store.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Fact {
    /// `Bytes`, or `NotFound`: one key of the shared string store, reported again on change.
    Value { key: String },
    /// `Map` of host name to `Bytes`: the per-host values of a namespace, reported again on change. A deeper key is left
    /// out.
    Map { namespace: String },
    /// `List` of `Struct { name Bytes, host Bytes, data Bytes }`: the exported resources of a kind that are meant for
    /// this host or for all, by key; reported again on change.
    Exported { kind: String },
    /// Any datum, or `NotFound`: the value that the `value` resource of this name published last, in this run or an
    /// earlier one; reported again on change.
    Local { key: String },
    /// `Bool`: whether other hosts have the shared values of this one, and it has theirs.
    Shared,
}

/// The keys of all exported resources.
const EXPORTED: &str = "exported/";

/// Read access to the stores.
pub trait Keys {
    /// The value of a key.
    fn get(&self, store: KeyStore, key: &str) -> Option<Datum>;

    /// Every key with this prefix and its value, by key.
    fn below(&self, store: KeyStore, prefix: &str) -> Vec<(String, Datum)>;

    /// Whether several hosts have [`KeyStore::World`].
    fn is_shared(&self) -> bool {
        true
    }
}

impl Watch {
    /// Whether a change of this key matters to it.
    pub fn covers(&self, store: KeyStore, key: &str) -> bool {
        self.store == store && (self.key == key || self.key.ends_with('/') && key.starts_with(&self.key))
    }
}

impl Fact {
    /// The part of a store it depends on, if any.
    fn watch(&self) -> Option<Watch> {
        let (store, key) = match self {
            Fact::Value { key } => (KeyStore::World, format!("strings/{key}")),
            Fact::Map { namespace } => (KeyStore::World, format!("strings/{namespace}/")),
            Fact::Exported { .. } => (KeyStore::World, EXPORTED.into()),
            Fact::Local { key } => (KeyStore::Local, key.clone()),
            Fact::Shared => return None,
        };
        Some(Watch { store, key })
    }

    /// The fact from the current keys.
    pub fn read(&self, keys: &dyn Keys, hostname: &str) -> Result<Datum, HostError> {
        let held = || self.watch().and_then(|Watch { store, key }| keys.get(store, &key));
        let missing = |message: String| HostError::new(HostErrorKind::NotFound, message);
        match self {
            Fact::Value { key } => held().ok_or_else(|| missing(format!("key {key} does not exist in the store"))),
            Fact::Local { key } => held().ok_or_else(|| missing(format!("no value is published as `{key}`"))),
            Fact::Map { namespace } => Ok(hosts_of(namespace, keys).0),
            Fact::Exported { kind } => {
                let entries = keys.below(KeyStore::World, EXPORTED).into_iter();
                Ok(Datum::List(entries.filter_map(|(key, data)| exported(&key, data, kind, hostname)).collect()))
            }
            Fact::Shared => Ok(Datum::Bool(keys.is_shared())),
        }
    }
}

/// The per-host values of a namespace by host, and a key that is left out because it has more parts: host names do not
/// contain `/`. If it were an error, any host could stop each program that reads the namespace by setting it.
pub fn hosts_of(namespace: &str, keys: &dyn Keys) -> (Datum, Option<String>) {
    let place = format!("strings/{namespace}/");
    let mut left_out = None;
    let mut values = Vec::new();
    for (key, value) in keys.below(KeyStore::World, &place) {
        let host = &key[place.len()..];
        if host.contains('/') {
            left_out.get_or_insert(key);
        } else {
            values.push((Datum::text(host), value));
        }
    }
    (Datum::Map(values), left_out)
}

/// An exported resource, parsed from `exported/TO/FROM/KIND/NAME`, if it is for this host or for all.
fn exported(key: &str, data: Datum, kind: &str, hostname: &str) -> Option<Datum> {
    let mut parts = key.splitn(5, '/').skip(1);
    let (to, from, of, name) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    ((to == "*" || to == hostname) && of == kind).then(|| {
        let (name, host) = (Datum::text(name), Datum::text(from));
        Datum::Struct(vec![("name".into(), name), ("host".into(), host), ("data".into(), data)])
    })
}

impl Look for Probe {
    type Finding = Finding;
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match &self.value {
            Some(_) => write!(f, "set {}", self.key),
            None => write!(f, "remove {}", self.key),
        }
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str(&self.key)
    }

    fn overlaps(&self, other: &Watch) -> bool {
        self.covers(other.store, &other.key) || other.covers(self.store, &self.key)
    }
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Fact::Value { key } => write!(f, "the shared value {key}"),
            Fact::Map { namespace } => write!(f, "the shared values {namespace}"),
            Fact::Exported { kind } => write!(f, "the exported resources of kind {kind}"),
            Fact::Local { key } => write!(f, "the value {key}"),
            Fact::Shared => f.write_str("whether other hosts share values"),
        }
    }

    fn changes(&self) -> Changes {
        self.watch().map_or(Changes::Never, |watch| Changes::With(vec![watch.into()]))
    }
}
