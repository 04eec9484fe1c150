//! The vertices of a graph that is too large to be drawn, folded by a property.

use mclive_base::shapes::Place;
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

/// The number of members per state, most urgent first: style, number and word. States are the styles of the page:
/// `bad`, `warn`, `working`, `waiting`, `good`; words after the first one are ignored.
pub fn counts<'a>(states: impl Iterator<Item = &'a str>) -> Vec<(&'static str, usize, &'static str)> {
    let mut counts = [
        ("bad", 0, "failed"),
        ("warn", 0, "with warnings"),
        ("working", 0, "in progress"),
        ("waiting", 0, "waiting"),
        ("good", 0, "up to date"),
    ];
    for state in states {
        let state = state.split(' ').next().unwrap_or_default();
        if let Some((_, n, _)) = counts.iter_mut().find(|count| count.0 == state) {
            *n += 1;
        }
    }
    counts.into_iter().filter(|count| count.1 > 0).collect()
}

/// The colour of a state, as the page's style sheet names it.
pub fn colour(state: &str) -> &'static str {
    match state.split(' ').next().unwrap_or_default() {
        "bad" => "bad",
        "warn" => "warn",
        "working" => "info",
        "good" => "good",
        _ => "edge",
    }
}

/// The groups of vertices by a property of the places where they are declared.
pub fn by_place<'a>(places: impl Iterator<Item = Option<&'a Place>>, name: impl Fn(&Place) -> String) -> Vec<String> {
    places.map(|place| place.map_or_else(|| "no place".to_owned(), &name)).collect()
}

/// The file of a place, which is its module.
pub fn file(place: &Place) -> String {
    place.file.trim_start_matches('/').to_owned()
}

/// The groups of vertices by the block around each, such as a class; its name is empty if there is none.
pub fn by_block(what: &str, names: &[String]) -> Vec<String> {
    names.iter().map(|name| if name.is_empty() { format!("no {what}") } else { name.clone() }).collect()
}

/// The declaration at a place: the resources of a loop, or of a list of names, share it.
pub fn declaration(place: &Place) -> String {
    line(&place.file, place.start_line)
}

/// A line of a file. Numbers are padded, so that lines come in the order of the text.
pub fn line(file: &str, line: u32) -> String {
    format!("{}, line {line:>5}", file.trim_start_matches('/'))
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

    #[test]
    fn states_are_counted_and_the_urgent_ones_come_first() {
        let states = ["good", "good changed", "bad", "other"];
        assert_eq!(counts(states.into_iter()), [("bad", 1, "failed"), ("good", 2, "up to date")]);
        assert!(counts([].into_iter()).is_empty());
        assert_eq!(["good changed", "working", "bad", "waiting"].map(colour), ["good", "info", "bad", "edge"]);
    }

    #[test]
    fn vertices_outside_of_blocks_are_a_group() {
        assert_eq!(by_block("loop", &["a".into(), String::new()]), ["a", "no loop"]);
    }

    #[test]
    fn what_a_loop_declares_is_one_group() {
        let place = |file: &str, start_line| Place {
            file: file.into(),
            start: 0,
            end: 1,
            start_line,
            start_col: 1,
            end_line: start_line,
            end_col: 2,
        };
        let places = [place("/main.mcl", 12), place("/main.mcl", 12), place("/main.mcl", 9), place("/lib/a.mcl", 1)];
        let of = |name: fn(&Place) -> String| {
            let names = by_place(places.iter().map(Some).chain([None]), name);
            let groups = grouped(names.iter().map(String::as_str), None);
            groups.into_iter().map(|group| (group.name, group.members)).collect::<Vec<_>>()
        };
        let group = |name: &str, members: &[u32]| (name.to_owned(), members.to_vec());
        assert_eq!(of(file), [group("lib/a.mcl", &[3]), group("main.mcl", &[0, 1, 2]), group("no place", &[4])]);
        assert_eq!(
            of(declaration),
            [
                group("lib/a.mcl, line     1", &[3]),
                group("main.mcl, line     9", &[2]),
                group("main.mcl, line    12", &[0, 1]),
                group("no place", &[4]),
            ]
        );
    }
}
