//! [`Graph`]: the parts of a resource graph that a picture needs, read from the compiler's JSON piece by piece: a graph
//! may be large, and only kinds, names and edges are kept.

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;

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
        let read = Part(&mut graph).deserialize(&mut serde_json::Deserializer::from_str(json));
        // Of a text that is broken, nothing is drawn.
        read.map_or_else(|_| Graph::default(), |()| graph)
    }
}

/// Any JSON value, in which graphs are looked for: objects with `vertices` and `edges`.
struct Part<'g>(&'g mut Graph);

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let mut vertices = 0..0;
        let mut edges = Vec::new();
        while let Some(name) = fields.next_key::<String>()? {
            match name.as_str() {
                "vertices" => {
                    let first = self.0.vertices.len();
                    let own = fields.next_value_seed(Items { graph: self.0, items: Vec::<Vertex>::new() })?;
                    self.0.vertices.extend(own);
                    vertices = first..self.0.vertices.len();
                }
                "edges" => edges = fields.next_value_seed(Items { graph: self.0, items: Vec::<Edge>::new() })?,
                _ => fields.next_value_seed(Part(self.0))?,
            }
        }
        let n = vertices.len();
        let edges = edges.into_iter().filter(|edge| edge.from < n && edge.to < n);
        self.0.edges.extend(edges.map(|edge| (vertices.start + edge.from, vertices.start + edge.to)));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        while values.next_element_seed(Part(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// The vertices or edges of a graph; or, if that is the name of a host, another part.
struct Items<'g, T> {
    graph: &'g mut Graph,
    items: Vec<T>,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Items<'_, T> {
    type Value = Vec<T>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Vec<T>, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<'_, T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list, or a graph")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut values: A) -> Result<Vec<T>, A::Error> {
        while let Some(item) = values.next_element()? {
            self.items.push(item);
        }
        Ok(self.items)
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Vec<T>, A::Error> {
        Part(self.graph).visit_map(fields)?;
        Ok(self.items)
    }
}

#[cfg(test)]
mod tests {
    use super::Graph;
    use serde_json::{Value, json};

    /// The names of the vertices, with those that each one comes before.
    fn read(json: &Value) -> Vec<(String, Vec<String>)> {
        let graph = Graph::read(&json.to_string());
        let name = |at: usize| graph.vertices[at].name.clone();
        let after = |from: usize| graph.edges.iter().filter(|edge| edge.0 == from).map(|edge| name(edge.1)).collect();
        (0..graph.vertices.len()).map(|at| (name(at), after(at))).collect()
    }

    fn graph(names: [&str; 2]) -> Value {
        let vertices =
            names.map(|name| json!({ "kind": "file", "name": name, "fields": [1, "x", null, { "a": 1.5 }] }));
        json!({ "edges": [{ "from": 0, "to": 1, "notify": true }, { "from": 0, "to": 9 }], "v": -1, "vertices": vertices })
    }

    #[test]
    fn graphs_are_read_wherever_they_are() {
        let pair =
            |names: [&str; 2]| vec![(names[0].to_owned(), vec![names[1].to_owned()]), (names[1].to_owned(), vec![])];
        assert_eq!(read(&graph(["a", "b"])), pair(["a", "b"]));
        let hosts =
            json!({ "hosts": { "edges": graph(["c", "d"]), "vertices": graph(["e", "f"]), "x": graph(["g", "h"]) } });
        assert_eq!(read(&hosts), [pair(["c", "d"]), pair(["e", "f"]), pair(["g", "h"])].concat());
        assert_eq!(read(&json!([graph(["a", "b"]), null])), pair(["a", "b"]));
        assert_eq!(read(&json!("nothing")), []);
        assert!(Graph::read("{\"vertices\": [").vertices.is_empty());
    }
}
