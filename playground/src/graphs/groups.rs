//! The vertices of a graph that is too large to be drawn, folded by a property.

use std::collections::BTreeMap;

/// Vertices with the same property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The property.
    pub name: String,
    /// The vertices, ascending.
    pub members: Vec<u32>,
}

/// Folds vertices by their property, which is given for each of them; groups come by name. With `found`, only those
/// vertices.
pub fn grouped<'a>(properties: impl Iterator<Item = &'a str>, found: Option<&[u32]>) -> Vec<Group> {
    let mut groups: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (name, index) in properties.zip(0..) {
        if found.is_none_or(|found| found.binary_search(&index).is_ok()) {
            groups.entry(name).or_default().push(index);
        }
    }
    groups.into_iter().map(|(name, members)| Group { name: name.to_owned(), members }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_are_folded_by_their_property() {
        let group = |name: &str, members: &[u32]| Group { name: name.into(), members: members.to_vec() };
        let kinds = ["file", "svc", "file", "pkg"];
        assert_eq!(grouped(kinds.into_iter(), None), [group("file", &[0, 2]), group("pkg", &[3]), group("svc", &[1])]);
        assert_eq!(grouped(kinds.into_iter(), Some(&[1, 2])), [group("file", &[2]), group("svc", &[1])]);
        assert!(grouped(kinds.into_iter(), Some(&[])).is_empty());
    }
}
