//! The two key-value stores of a host.

use super::{Change, Changes, Datum, HostError, HostErrorKind, Learn, Listen, Look};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Where a key lives. Engine spec, 15, 21 and 22.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum KeyStore {
    /// This host's own values, by name (`value` resources). They outlive a restart.
    Local,
    /// What hosts share: `strings/KEY`, `exported/TO/FROM/KIND/NAME`. A single host backs it with
    /// a file of its own.
    World,
}

/// → `Held`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    pub store: KeyStore,
    pub key: String,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// What is stored under the key; `None`: nothing.
    Held(Option<Datum>),
}

/// Puts a value into a store, or removes it. An equal value is no change and fires no watch.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Step {
    pub store: KeyStore,
    pub key: String,
    pub value: Option<Datum>,
}

/// A key of a store. One that ends in `/` stands for all below it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    pub store: KeyStore,
    pub key: String,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Fact {
    /// `Bytes`, or `NotFound`: one key of the shared string store, again on change.
    Value { key: String },
    /// `Map` of host name to `Bytes`: the per-host values of a name space, again on change. A key that is
    /// deeper is an error.
    Map { namespace: String },
    /// `List` of `Struct { name Bytes, host Bytes, data Bytes }`: the exported resources of a kind that
    /// are meant for this host or for all, by key, again on change.
    Exported { kind: String },
    /// Any datum, or `NotFound`: what the `value` resource of this name published last, also in an
    /// earlier run; again on change.
    Local { key: String },
}

/// What a body has of its stores.
pub trait Keys {
    fn get(&self, store: KeyStore, key: &str) -> Option<Datum>;

    /// Every key that begins so, with its value, by key.
    fn below(&self, store: KeyStore, prefix: &str) -> Vec<(String, Datum)>;
}

impl Watch {
    /// A change of this key concerns it.
    pub fn covers(&self, store: KeyStore, key: &str) -> bool {
        self.store == store && (self.key == key || self.key.ends_with('/') && key.starts_with(&self.key))
    }
}

impl Fact {
    /// The part of a store that it is read from.
    fn watch(&self) -> Watch {
        let (store, key) = match self {
            Fact::Value { key } => (KeyStore::World, format!("strings/{key}")),
            Fact::Map { namespace } => (KeyStore::World, format!("strings/{namespace}/")),
            Fact::Exported { .. } => (KeyStore::World, "exported/".into()),
            Fact::Local { key } => (KeyStore::Local, key.clone()),
        };
        Watch { store, key }
    }

    /// The fact as the keys are now.
    pub fn read(&self, keys: &dyn Keys, hostname: &str) -> Result<Datum, HostError> {
        let Watch { store, key: place } = self.watch();
        let missing = |message: String| HostError::new(HostErrorKind::NotFound, message);
        match self {
            Fact::Value { key } => {
                keys.get(store, &place).ok_or_else(|| missing(format!("key {key} does not exist in the store")))
            }
            Fact::Local { key } => {
                keys.get(store, &place).ok_or_else(|| missing(format!("no value is published as `{key}`")))
            }
            Fact::Map { .. } => {
                let entries = keys.below(store, &place).into_iter().map(|(key, value)| {
                    let host = &key[place.len()..];
                    if host.contains('/') {
                        return Err(HostError::new(
                            HostErrorKind::Other,
                            format!("the key {key} has too many levels for a map"),
                        ));
                    }
                    Ok((Datum::text(host), value))
                });
                Ok(Datum::Map(entries.collect::<Result<_, _>>()?))
            }
            Fact::Exported { kind } => {
                let entries = keys.below(store, &place).into_iter();
                Ok(Datum::List(entries.filter_map(|(key, data)| exported(&key, data, kind, hostname)).collect()))
            }
        }
    }
}

/// `exported/TO/FROM/KIND/NAME`, if it is meant for this host or for all.
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
        }
    }

    fn changes(&self) -> Changes {
        Changes::With(vec![self.watch().into()])
    }
}
