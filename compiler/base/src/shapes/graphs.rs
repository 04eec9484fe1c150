//! Both graphs.

use super::Place;
use serde::{Deserialize, Serialize};

/// The function graph: vertices compute values, an edge carries one into named arguments.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunctionGraph {
    pub version: u32,
    /// In the order in which they were built.
    pub vertices: Vec<FunctionVertex>,
    /// Sorted by `from`, then `to`; both are places in `vertices`.
    pub edges: Vec<FunctionEdge>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunctionVertex {
    /// As the language spec prints it (10.1).
    pub label: String,
    /// Its type in the language's syntax; `None` where it has none, such as the output.
    #[serde(rename = "type")]
    pub ty: Option<String>,
    /// Where it comes from; `None` for what no text stands for.
    pub place: Option<Place>,
}

impl FunctionVertex {
    /// Is its value that of the expression at its place? Vertices that steer give a mere signal beside the
    /// vertex with the result, and a function's own value tells nothing that its type does not.
    pub fn tells_value(&self) -> bool {
        !matches!(&*self.label, "call" | "exprif" | "exprexcept" | "stmtif" | "for" | "forkv" | "FuncValue" | "gone")
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunctionEdge {
    pub from: u32,
    pub to: u32,
    /// The edge's name: the arguments it feeds, as printed.
    pub label: String,
}

/// The resource graph: vertices are resources, an edge means "settle first".
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResourceGraph {
    pub version: u32,
    /// In program order.
    pub vertices: Vec<ResourceVertex>,
    /// Sorted by `from`, then `to`; both are places in `vertices`.
    pub edges: Vec<ResourceEdge>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResourceVertex {
    pub kind: String,
    pub name: String,
    /// The fields that are set, in the order of the kind's declaration.
    pub fields: Vec<Field>,
    /// The meta parameters that differ from their defaults.
    pub meta: Vec<Field>,
    /// The resources grouped into this one, as `kind[name]`.
    pub grouped: Vec<String>,
    pub place: Option<Place>,
}

impl ResourceVertex {
    /// `kind[name]`.
    pub fn id(&self) -> String {
        format!("{}[{}]", self.kind, self.name)
    }
}

/// The resource graphs of a program that is about many hosts.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostGraphs {
    pub version: u32,
    /// By name.
    pub hosts: Vec<HostGraph>,
}

#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostGraph {
    pub host: String,
    pub graph: ResourceGraph,
}

/// A named value in the language's notation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Field {
    pub name: String,
    pub value: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResourceEdge {
    pub from: u32,
    pub to: u32,
    /// As golden cases print it.
    pub label: String,
    /// Success at `from` refreshes `to`.
    pub notify: bool,
    /// Values sent along it, as (sent field, received field).
    pub sends: Vec<(String, String)>,
}
