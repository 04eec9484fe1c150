//! The model of an Inmanta program: instances, their attributes and relations.

use super::Place;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Every instance of a model and its partial exports, in order of construction.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelGraph {
    /// The version of this format.
    pub version: u32,
    /// The instances.
    pub instances: Vec<Instance>,
}

/// An instance of an entity.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Instance {
    /// Its entity with the values of its index, or with the place of its construction.
    pub name: String,
    /// The entity's full name.
    pub entity: String,
    /// Where it was constructed; with an index, several constructions may yield one instance.
    pub places: Vec<Place>,
    /// Attributes as JSON; an unknown value is `"<unknown>"`.
    pub attributes: BTreeMap<String, serde_json::Value>,
    /// The instances at each end of a relation, by name.
    pub relations: BTreeMap<String, Vec<String>>,
    /// The implementations selected for it.
    pub implementations: Vec<String>,
    /// The main file of the partial export that contains it; absent if it belongs to the whole model. Names in the ends
    /// of relations refer to instances of the same export.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial_export: Option<String>,
}
