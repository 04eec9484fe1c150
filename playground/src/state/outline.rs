//! [`Outline`]: a graph reduced to what is compared between two moments.

use mclive_base::shapes::{Field, FunctionGraph, ResourceGraph};
use std::collections::BTreeMap;

/// Names with their values.
pub(super) type Fields = Vec<(String, String)>;

/// The vertices and edges of a graph. Vertices of the same name are distinguished by their order.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Outline {
    /// Unique names, with the fields whose changes count.
    pub(super) vertices: Vec<(String, Fields)>,
    /// Source and target as indices into `vertices`, and the label.
    edges: Vec<(u32, u32, String)>,
}

/// The result of a part of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It is the same in both moments.
    Same,
    /// It is in the later moment only.
    Added,
    /// It is in the earlier moment only.
    Removed,
    /// It differs.
    Changed,
}

/// The fate of each part of a graph.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Fates {
    /// One per vertex.
    pub vertices: Vec<Fate>,
    /// One per edge.
    pub edges: Vec<Fate>,
}

impl Fates {
    /// Whether any part has this fate.
    pub fn has(&self, fate: Fate) -> bool {
        self.vertices.iter().chain(&self.edges).any(|one| *one == fate)
    }
}

impl Outline {
    /// A resource graph: resources with the fields that are set.
    pub(super) fn of_resources(graph: &ResourceGraph) -> Outline {
        let vertices = graph.vertices.iter().map(|vertex| {
            let field = |field: &Field| (field.name.clone(), field.value.clone());
            let mut fields: Fields = vertex.fields.iter().chain(&vertex.meta).map(field).collect();
            if !vertex.grouped.is_empty() {
                fields.push(("grouped".to_owned(), vertex.grouped.join(", ")));
            }
            (vertex.id(), fields)
        });
        let edges = graph.edges.iter().map(|edge| (edge.from, edge.to, edge.label.clone()));
        Outline { vertices: unique(vertices), edges: edges.collect() }
    }

    /// A function graph: vertices with their types and current values.
    pub(super) fn of_functions<'a>(graph: &FunctionGraph, value: impl Fn(usize) -> Option<&'a str>) -> Outline {
        let vertices = graph.vertices.iter().enumerate().map(|(at, vertex)| {
            let ty = vertex.ty.iter().map(|ty| ("type".to_owned(), ty.clone()));
            let value = value(at).map(|value| ("value".to_owned(), value.to_owned()));
            (vertex.label.clone(), ty.chain(value).collect())
        });
        let edges = graph.edges.iter().map(|edge| (edge.from, edge.to, edge.label.clone()));
        Outline { vertices: unique(vertices), edges: edges.collect() }
    }

    /// The edges as `from → to`, each with its label.
    pub(super) fn named_edges(&self) -> impl Iterator<Item = (String, Fields)> {
        let name = |at: u32| self.vertices.get(at as usize).map_or("", |(name, _)| name.as_str());
        let edge = move |(from, to, label): &(u32, u32, String)| {
            (format!("{} → {}", name(*from), name(*to)), vec![("edge".to_owned(), label.clone())])
        };
        unique(self.edges.iter().map(edge)).into_iter()
    }

    /// The fate of each part, compared with another moment. `alone` is the fate of what the other one does not have.
    pub(super) fn fates(&self, other: &Outline, alone: Fate) -> Fates {
        let fates = |these: &[(String, Fields)], others: &[(String, Fields)]| {
            let others: BTreeMap<&str, &Fields> = others.iter().map(|(name, fields)| (name.as_str(), fields)).collect();
            let fate = |(name, fields): &(String, Fields)| match others.get(name.as_str()) {
                None => alone,
                Some(other) if *other == fields => Fate::Same,
                Some(_) => Fate::Changed,
            };
            these.iter().map(fate).collect()
        };
        let edges: Vec<_> = self.named_edges().collect();
        let other_edges: Vec<_> = other.named_edges().collect();
        Fates { vertices: fates(&self.vertices, &other.vertices), edges: fates(&edges, &other_edges) }
    }
}

/// The second one of a name becomes `name (2)`.
pub(super) fn unique(named: impl Iterator<Item = (String, Fields)>) -> Vec<(String, Fields)> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let one = |(name, fields): (String, Fields)| {
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        (if *count == 1 { name } else { format!("{name} ({count})") }, fields)
    };
    named.map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(vertices: &[(&str, &str)], edges: &[(u32, u32, &str)]) -> Outline {
        let vertex =
            |(name, value): &(&str, &str)| ((*name).to_owned(), vec![("value".to_owned(), (*value).to_owned())]);
        let edge = |(from, to, label): &(u32, u32, &str)| (*from, *to, (*label).to_owned());
        Outline { vertices: unique(vertices.iter().map(vertex)), edges: edges.iter().map(edge).collect() }
    }

    #[test]
    fn each_part_of_a_graph_has_a_fate() {
        let before = outline(&[("$a", "1"), ("+", "2"), ("$gone", "3")], &[(0, 1, "x"), (2, 1, "y")]);
        let after = outline(&[("+", "5"), ("$a", "1"), ("$new", "3")], &[(1, 0, "x, y"), (2, 0, "y")]);
        let gone = before.fates(&after, Fate::Removed);
        assert_eq!(gone.vertices, [Fate::Same, Fate::Changed, Fate::Removed]);
        assert_eq!(gone.edges, [Fate::Changed, Fate::Removed]);
        let come = after.fates(&before, Fate::Added);
        assert_eq!(come.vertices, [Fate::Changed, Fate::Same, Fate::Added]);
        assert_eq!(come.edges, [Fate::Changed, Fate::Added]);
        assert!(come.has(Fate::Added) && !come.has(Fate::Removed));
    }

    #[test]
    fn vertices_of_one_name_are_matched_in_their_order() {
        let before = outline(&[("+", "1"), ("+", "2")], &[(0, 1, "a")]);
        let after = outline(&[("+", "1"), ("+", "3"), ("+", "4")], &[(0, 1, "a"), (0, 1, "a")]);
        let fates = after.fates(&before, Fate::Added);
        assert_eq!(fates.vertices, [Fate::Same, Fate::Changed, Fate::Added]);
        assert_eq!(fates.edges, [Fate::Same, Fate::Added]);
        assert_eq!(
            before.fates(&before, Fate::Removed),
            Fates { vertices: vec![Fate::Same; 2], edges: vec![Fate::Same] }
        );
    }
}
