//! [`Record`]: a resource stored for a later undo or for other hosts. Versioned JSON, readable after an upgrade. Engine
//! spec, 14 and 15.

use crate::kinds::Params;
use crate::kinds::meta::Meta;
use crate::protocol::ResourceId;
use crate::rgraph::Resource;
use crate::value::Value;
use crate::vocab::Datum;
use serde::{Deserialize, Serialize};

/// A resource as data.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    version: u32,
    kind: String,
    name: String,
    /// The fields that are set, by name.
    fields: Vec<(String, Datum)>,
    meta: Meta,
}

const VERSION: u32 = 1;

impl Record {
    /// The record of a resource.
    pub fn of(resource: &Resource) -> Record {
        let decl = resource.kind.decl();
        let set = decl.fields.iter().zip(&resource.params.values);
        let fields = set.filter_map(|(field, value)| Some((field.name.to_string(), Datum::of(value.as_ref()?)?)));
        Record {
            version: VERSION,
            kind: resource.id.kind.to_string(),
            name: resource.id.name.to_string(),
            fields: fields.collect(),
            meta: resource.meta.clone(),
        }
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

    /// Reads a record. Errors: what is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Record, String> {
        let record: Record = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if record.version > VERSION {
            return Err(format!("it was written by a newer version ({})", record.version));
        }
        Ok(record)
    }

    /// Restores the resource. Fields that the kind no longer has are dropped.
    ///
    /// Errors: the kind is unknown.
    pub fn resource(&self) -> Result<Resource, String> {
        let kind = crate::kinds::lookup(&self.kind).ok_or_else(|| format!("unknown resource kind `{}`", self.kind))?;
        let decl = kind.decl();
        let mut params = Params::unset(decl);
        for (name, datum) in &self.fields {
            if let Some(index) = decl.fields.iter().position(|field| field.name == name) {
                params.values[index] = Some(Value::from(datum));
            }
        }
        Ok(Resource {
            id: self.id(),
            kind,
            params,
            meta: self.meta.clone(),
            receives: Vec::new(),
            children: Vec::new(),
            is_reversal: false,
            span: None,
        })
    }
}
