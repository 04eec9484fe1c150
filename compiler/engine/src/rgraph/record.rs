//! [`Record`]: a resource stored for a later undo or for other hosts. Versioned JSON, readable after an upgrade. Engine
//! spec, 14 and 15.

use crate::kinds::meta::Meta;
use crate::kinds::{Field, Params, secrets};
use crate::protocol::ResourceId;
use crate::rgraph::Resource;
use crate::value::Value;
use crate::vocab::{Datum, export};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// A resource as data.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    version: u32,
    kind: String,
    name: String,
    /// The fields that are set, by name.
    fields: Vec<(String, Datum)>,
    meta: Meta,
    /// The secrets that are not in the fields, in their order: the field, and the place among its texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    secrets: Vec<(String, usize)>,
    /// Why the host cannot read them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unopened: Option<String>,
}

const VERSION: u32 = 1;

/// Why a resource cannot be exported: a secret that hosts cannot seal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Unsealable {
    pub(super) field: &'static str,
    pub(super) why: NotSealed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotSealed {
    /// It is for all hosts, and a secret is sealed to the keys of hosts that are named.
    ToAll,
    /// It is too short, or no plain text.
    Form,
}

impl fmt::Display for Unsealable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.field;
        match self.why {
            NotSealed::ToAll => {
                write!(f, "its field `{field}` contains a secret, which can only be sealed for named hosts")
            }
            NotSealed::Form => write!(
                f,
                "the secret in its field `{field}` cannot be sealed: it must be at least {} bytes long, without null bytes",
                export::SHORTEST
            ),
        }
    }
}

impl Record {
    /// The record of a resource.
    pub fn of(resource: &Resource) -> Record {
        let decl = resource.kind.decl();
        let set = resource.params.iter();
        let fields = set.filter_map(|(index, value)| Some((decl.fields[index].name.to_string(), Datum::of(value)?)));
        Record {
            version: VERSION,
            kind: resource.id.kind.to_string(),
            name: resource.id.name.to_string(),
            fields: fields.collect(),
            meta: Meta::clone(&resource.meta),
            secrets: Vec::new(),
            unopened: None,
        }
    }

    /// The exported form of a resource: its record, and then its secrets, which the host seals.
    ///
    /// Errors: the host could not seal one of them.
    pub(crate) fn exported(resource: &Resource) -> Result<Vec<u8>, Unsealable> {
        let mut record = Record::of(resource);
        let mut texts = Vec::new();
        for (name, value) in &mut record.fields {
            let mut fields = resource.kind.decl().fields.iter().enumerate();
            let Some((index, field)) = fields.find(|(_, field)| field.name == name.as_str()) else { continue };
            for (place, text) in secrets::take(field, value, resource.receives_secret(index)) {
                let unsealable = |why| Unsealable { field: field.name, why };
                if resource.meta.export.iter().any(|target| target.as_str() == "*") {
                    return Err(unsealable(NotSealed::ToAll));
                }
                if text.len() < export::SHORTEST || text.contains(&0) || std::str::from_utf8(&text).is_err() {
                    return Err(unsealable(NotSealed::Form));
                }
                record.secrets.push((name.clone(), place));
                texts.push(text);
            }
        }
        if texts.is_empty() {
            return Ok(record.to_bytes());
        }
        record.version = export::WITH_SECRETS;
        Ok(export::join(&record.to_bytes(), &texts.join(&0)))
    }

    /// Kind and name.
    pub fn id(&self) -> ResourceId {
        ResourceId::new(self.kind.as_str(), self.name.as_str())
    }

    /// Whether it makes the resource absent, whatever was there before.
    pub(crate) fn purges(&self) -> bool {
        self.meta.purge
    }

    /// The JSON text.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a record has a form in JSON")
    }

    /// Reads a record, or the exported form of a resource. Errors: what is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Record, String> {
        let (record, secrets) = match export::split(bytes) {
            Some((record, secrets)) => (record, Some(secrets)),
            None => (bytes, None),
        };
        let mut record: Record = serde_json::from_slice(record).map_err(|error| error.to_string())?;
        if record.version > export::WITH_SECRETS {
            return Err(format!("it was written by a newer version ({})", record.version));
        }
        record.take_back(secrets)?;
        Ok(record)
    }

    /// Puts the secrets into the fields. Errors: why they cannot be read.
    fn take_back(&mut self, secrets: Option<&[u8]>) -> Result<(), String> {
        if self.secrets.is_empty() {
            return Ok(());
        }
        let Some(secrets) = secrets else {
            let why = self.unopened.as_deref().unwrap_or("they are sealed");
            return Err(format!("its secrets cannot be read: {why}"));
        };
        let mut wanted: BTreeMap<&str, BTreeMap<usize, Vec<u8>>> = BTreeMap::new();
        for ((field, place), text) in self.secrets.iter().zip(export::texts(secrets)) {
            wanted.entry(field).or_default().insert(*place, text.to_vec());
        }
        for (name, value) in &mut self.fields {
            if let Some(texts) = wanted.get_mut(name.as_str()) {
                secrets::put(value, texts);
            }
        }
        let is_complete = export::texts(secrets).count() == self.secrets.len();
        match !is_complete || wanted.values().any(|left| !left.is_empty()) {
            true => Err("its secrets do not fit its fields".into()),
            false => Ok(()),
        }
    }

    /// Whether a field has a sealed secret that its kind does not mark.
    fn is_sealed_unmarked(&self, field: &Field, value: &Datum) -> bool {
        let mut sealed = self.secrets.iter().filter(|(name, _)| name == field.name).map(|(_, place)| *place).peekable();
        if sealed.peek().is_none() {
            return false;
        }
        let marked = secrets::take(field, &mut value.clone(), false);
        let marked: BTreeSet<usize> = marked.into_iter().map(|(place, _)| place).collect();
        sealed.any(|place| !marked.contains(&place))
    }

    /// Restores the resource. Fields that the kind no longer has are dropped.
    ///
    /// Errors: the kind is unknown.
    pub fn resource(&self) -> Result<Resource, String> {
        let kind = crate::kinds::lookup(&self.kind).ok_or_else(|| format!("unknown resource kind `{}`", self.kind))?;
        let decl = kind.decl();
        let mut params = Params::default();
        let mut secret_fields = Vec::new();
        for (name, datum) in &self.fields {
            if let Some(index) = decl.fields.iter().position(|field| field.name == name) {
                params.set(index, Value::from(datum));
                if self.is_sealed_unmarked(&decl.fields[index], datum) {
                    secret_fields.push(index);
                }
            }
        }
        secret_fields.sort_unstable();
        Ok(Resource {
            id: self.id(),
            kind,
            params,
            meta: Arc::new(self.meta.clone()),
            receives: Vec::new(),
            secret_fields,
            children: Vec::new(),
            is_reversal: false,
            span: None,
        })
    }
}
