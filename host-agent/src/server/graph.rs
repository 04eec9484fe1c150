//! [`Graph`]: the parts of a resource graph that a picture needs, read from the compiler's JSON.

use serde::Deserialize;
use serde_json::Value;

#[derive(Default)]
pub(super) struct Graph {
    pub(super) vertices: Vec<Vertex>,
    /// Indices in `vertices`; the first one settles first.
    pub(super) edges: Vec<(usize, usize)>,
}

#[derive(Deserialize)]
pub(super) struct Vertex {
    pub(super) kind: String,
    pub(super) name: String,
}

#[derive(Deserialize)]
struct Edge {
    from: usize,
    to: usize,
}

impl Graph {
    /// Reads the usable parts; a model's graphs of several hosts are drawn side by side.
    pub(super) fn read(json: &str) -> Graph {
        let mut graph = Graph::default();
        if let Ok(value) = serde_json::from_str(json) {
            graph.add(&value);
        }
        graph
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => match (fields.get("vertices"), fields.get("edges")) {
                (Some(vertices), Some(edges)) => self.add_one(vertices, edges),
                (Some(_), None) | (None, Some(_) | None) => fields.values().for_each(|value| self.add(value)),
            },
            Value::Array(values) => values.iter().for_each(|value| self.add(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn add_one(&mut self, vertices: &Value, edges: &Value) {
        let first = self.vertices.len();
        self.vertices.extend(Vec::<Vertex>::deserialize(vertices).unwrap_or_default());
        let n = self.vertices.len() - first;
        let edges = Vec::<Edge>::deserialize(edges).unwrap_or_default().into_iter();
        let edges = edges.filter(|edge| edge.from < n && edge.to < n);
        self.edges.extend(edges.map(|edge| (first + edge.from, first + edge.to)));
    }
}
