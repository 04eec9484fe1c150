//! The function graph and the resource graphs.

use super::Place;
use serde::{Deserialize, Serialize};

/// The function graph: vertices compute values, an edge carries one into named arguments.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunctionGraph {
    /// The version of this format.
    pub version: u32,
    /// In the order in which they were built.
    pub vertices: Vec<FunctionVertex>,
    /// Sorted by `from`, then `to`; both are indexes into `vertices`.
    pub edges: Vec<FunctionEdge>,
}

/// A vertex.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunctionVertex {
    /// The label, in the format of the language spec (10.1).
    pub label: String,
    /// Its type in the language's syntax; `None` if it has none, such as the output.
    #[serde(rename = "type")]
    pub ty: Option<String>,
    /// The text it comes from; `None` if there is none.
    pub place: Option<Place>,
}

impl FunctionVertex {
    /// Whether its value is the value of the expression at its place. Control vertices carry only a signal next to the
    /// vertex with the result, and a function value shows no more than its type.
    pub fn tells_value(&self) -> bool {
        !matches!(&*self.label, "call" | "exprif" | "exprexcept" | "stmtif" | "for" | "forkv" | "FuncValue" | "gone")
    }
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunctionEdge {
    /// The source, an index into `vertices`.
    pub from: u32,
    /// The target, an index into `vertices`.
    pub to: u32,
    /// The edge's name: the arguments it feeds, as printed.
    pub label: String,
}

/// What a statement for resources reads.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reads {
    /// The statement.
    pub place: Place,
    /// The vertices of the function graph, ascending.
    pub vertices: Vec<u32>,
}

/// The resource graph: vertices are resources, an edge means "apply first".
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResourceGraph {
    /// The version of this format.
    pub version: u32,
    /// In program order.
    pub vertices: Vec<ResourceVertex>,
    /// Sorted by `from`, then `to`; both are indexes into `vertices`.
    pub edges: Vec<ResourceEdge>,
}

/// A vertex.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResourceVertex {
    /// The kind, such as `file`.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The fields that are set, in the order of the kind's declaration.
    pub fields: Vec<Field>,
    /// The meta parameters that differ from their defaults.
    pub meta: Vec<Field>,
    /// The resources grouped into this one, as `kind[name]`.
    pub grouped: Vec<String>,
    /// Where it is declared; `None` if there is no such place.
    pub place: Option<Place>,
}

impl ResourceVertex {
    /// `kind[name]`.
    pub fn id(&self) -> String {
        format!("{}[{}]", self.kind, self.name)
    }

    /// Whether this is its id. In a large graph, this takes much less time than making the id of each vertex.
    pub fn has_id(&self, id: &str) -> bool {
        let name = id.strip_prefix(self.kind.as_str()).and_then(|rest| rest.strip_prefix('[')?.strip_suffix(']'));
        name == Some(self.name.as_str())
    }
}

/// The resource graphs of a program for many hosts.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostGraphs {
    /// The version of this format.
    pub version: u32,
    /// By name.
    pub hosts: Vec<HostGraph>,
}

/// The resource graph of one host.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostGraph {
    /// Name of the host.
    pub host: String,
    /// Its graph.
    pub graph: ResourceGraph,
}

/// A named value in the language's notation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Field {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResourceEdge {
    /// The source, an index into `vertices`.
    pub from: u32,
    /// The target, an index into `vertices`.
    pub to: u32,
    /// The label, in the format of the golden cases.
    pub label: String,
    /// Whether a change at `from` refreshes `to`.
    pub notify: bool,
    /// Values sent along it, as (sending field, receiving field).
    pub sends: Vec<(String, String)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_knows_its_id() {
        let vertex = |kind: &str, name: &str| ResourceVertex {
            kind: kind.into(),
            name: name.into(),
            fields: Vec::new(),
            meta: Vec::new(),
            grouped: Vec::new(),
            place: None,
        };
        for (kind, name) in [("file", "/srv/a"), ("file", ""), ("docker:image", "a[1]"), ("print", "][")] {
            let own = vertex(kind, name);
            assert!(own.has_id(&own.id()));
            for other in ["", "file", "file[", "file[/srv/b]", "files[/srv/a]", "file[/srv/a]]", "print]["] {
                assert_eq!(own.has_id(other), own.id() == other, "{} and {other}", own.id());
            }
        }
    }
}
