//! The model of an Inmanta program: instances, what they hold, and how they relate.

use super::Place;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Every instance that a model made, in the order of their construction.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelGraph {
    pub version: u32,
    pub instances: Vec<Instance>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Instance {
    /// Its entity with the values of its index, or with the place of its construction.
    pub name: String,
    pub entity: String,
    /// Where it was constructed; an index may make several constructions one instance.
    pub places: Vec<Place>,
    /// Attributes as JSON; what is not known yet is `"<unknown>"`.
    pub attributes: BTreeMap<String, serde_json::Value>,
    /// The instances at each end of a relation, by name.
    pub relations: BTreeMap<String, Vec<String>>,
    /// The implementations that were chosen for it.
    pub implementations: Vec<String>,
}
