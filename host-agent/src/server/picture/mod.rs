//! The resource graph as a picture, for previews: rows of boxes, each below those that settle before it.
//!
//! [`svg`] and [`png`] write the same picture. Chat programs show PNG only; SVG is smaller, and sharp at any size.

mod cells;
mod glyphs;
mod png;
mod svg;

use super::graph::Graph;
use crate::network::http::Bytes;
use crate::show::counted;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

pub(super) use svg::escaped;

/// The size of previews.
pub(super) const WIDTH: usize = 1200;
pub(super) const HEIGHT: usize = 630;
const MARGIN: usize = 40;
const BOX: (usize, usize) = (260, 64);
const GAP: (usize, usize) = (28, 46);
const MOST_IN_ROW: usize = (WIDTH - 2 * MARGIN + GAP.0) / (BOX.0 + GAP.0);
const MOST_ROWS: usize = (HEIGHT - 2 * MARGIN - 20 + GAP.1) / (BOX.1 + GAP.1);
const LONGEST_NAME: usize = 24;
/// The radius of the corners of boxes.
const ROUND: usize = 10;
/// The space between the edge of a box and its text.
const INDENT: usize = 14;
/// The baselines of both texts, from the top of their box.
const BASELINES: (usize, usize) = (26, 50);
/// The baseline of the note.
const NOTE: usize = HEIGHT - 24;

const GROUND: Colour = Colour(0x0f, 0x17, 0x20);
const BOX_GROUND: Colour = Colour(0x1b, 0x27, 0x33);
const BOX_EDGE: Colour = Colour(0x3d, 0x7e, 0xa6);
const LINE: Colour = Colour(0x5b, 0x70, 0x83);
const KIND: Colour = Colour(0x7c, 0xc4, 0xf0);
const NAME: Colour = Colour(0xe8, 0xee, 0xf3);
const SAID: Colour = Colour(0x8a, 0xa0, 0xb2);

#[derive(Clone, Copy)]
struct Colour(u8, u8, u8);

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Colour(red, green, blue) = self;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// The file format of a picture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Form {
    Svg,
    Png,
}

impl Form {
    /// The end of its file names.
    pub(super) fn of_file(name: &str) -> Option<(&str, Form)> {
        let svg = name.strip_suffix(".svg").map(|stem| (stem, Form::Svg));
        svg.or_else(|| name.strip_suffix(".png").map(|stem| (stem, Form::Png)))
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Form::Svg => "image/svg+xml",
            Form::Png => "image/png",
        }
    }
}

/// The parts of a picture. Their number is limited, whatever the size of the graph.
struct Picture {
    boxes: Vec<Labelled>,
    /// Each is below the other one: from the bottom of a box to the top of another.
    lines: Vec<Line>,
    note: String,
}

/// A box at a corner.
struct Labelled {
    corner: (usize, usize),
    kind: String,
    name: String,
}

/// A curve that is upright at both ends.
struct Line {
    from: (usize, usize),
    to: (usize, usize),
}

/// The position of a box: its column and its row.
type Cell = (usize, usize);

/// Draws a graph. Takes some milliseconds as PNG.
pub(super) fn draw(graph: &Graph, form: Form) -> Bytes {
    let picture = Picture::of(graph);
    match form {
        Form::Svg => svg::write(&picture).into(),
        Form::Png => png::write(&picture).into(),
    }
}

/// Draws a graph as text.
pub(super) fn text(graph: &Graph) -> String {
    svg::write(&Picture::of(graph))
}

/// The picture of what has no resources.
pub(super) fn empty(form: Form) -> Bytes {
    static DRAWN: LazyLock<[Bytes; 2]> =
        LazyLock::new(|| [Form::Svg, Form::Png].map(|form| draw(&Graph::default(), form)));
    match form {
        Form::Svg => DRAWN[0].clone(),
        Form::Png => DRAWN[1].clone(),
    }
}

impl Picture {
    fn of(graph: &Graph) -> Picture {
        let (places, n_left_out) = places(graph);
        // Two boxes may have many edges between them.
        let ends: BTreeSet<(Cell, Cell)> =
            graph.edges.iter().filter_map(|(from, to)| Some((places[*from]?, places[*to]?))).collect();
        let line = |(from, to): (Cell, Cell)| {
            let ((x1, y1), (x2, y2)) = (corner(from), corner(to));
            Line { from: (x1 + BOX.0 / 2, y1 + BOX.1), to: (x2 + BOX.0 / 2, y2) }
        };
        let labelled = graph.vertices.iter().zip(&places).filter_map(|(vertex, place)| {
            let (kind, name) = (shortened(&vertex.kind), shortened(&vertex.name));
            Some(Labelled { corner: corner((*place)?), kind, name })
        });
        let note = match (graph.vertices.len(), n_left_out) {
            (0, _) => "mclive".to_owned(),
            (n, 0) => format!("mclive · {}", counted(n, "resource")),
            (n, left_out) => format!("mclive · {n} resources, {left_out} not shown"),
        };
        Picture { boxes: labelled.collect(), lines: ends.into_iter().map(line).collect(), note }
    }
}

/// The position of each vertex for which there is room, and the number of the others.
fn places(graph: &Graph) -> (Vec<Option<Cell>>, usize) {
    let mut width_of_row = [0; MOST_ROWS];
    let places: Vec<Option<Cell>> = depths(graph)
        .into_iter()
        .map(|depth| {
            // A full row continues in the next one with room.
            let row = (depth..MOST_ROWS).find(|row| width_of_row[*row] < MOST_IN_ROW)?;
            width_of_row[row] += 1;
            Some((width_of_row[row] - 1, row))
        })
        .collect();
    let n_left_out = places.iter().filter(|place| place.is_none()).count();
    (places, n_left_out)
}

/// The length of the longest path to each vertex. Vertices on a cycle, which no graph should have, keep their depth.
fn depths(graph: &Graph) -> Vec<usize> {
    let n = graph.vertices.len();
    let (mut depths, mut missing, mut after) = (vec![0; n], vec![0; n], vec![Vec::new(); n]);
    for &(from, to) in &graph.edges {
        missing[to] += 1;
        after[from].push(to);
    }
    let mut ready: Vec<usize> = (0..n).filter(|vertex| missing[*vertex] == 0).collect();
    while let Some(vertex) = ready.pop() {
        for &next in &after[vertex] {
            depths[next] = depths[next].max(depths[vertex] + 1);
            missing[next] -= 1;
            if missing[next] == 0 {
                ready.push(next);
            }
        }
    }
    depths
}

fn corner((column, row): Cell) -> (usize, usize) {
    (MARGIN + column * (BOX.0 + GAP.0), MARGIN + row * (BOX.1 + GAP.1))
}

fn shortened(text: &str) -> String {
    match text.chars().count() > LONGEST_NAME {
        true => text.chars().take(LONGEST_NAME - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph of files.
    pub(super) fn graph(names: &[&str], edges: &[(usize, usize)]) -> Graph {
        let vertices: Vec<_> = names.iter().map(|name| serde_json::json!({ "kind": "file", "name": name })).collect();
        let edges: Vec<_> = edges.iter().map(|(from, to)| serde_json::json!({ "from": from, "to": to })).collect();
        Graph::read(&serde_json::json!({ "vertices": vertices, "edges": edges }).to_string())
    }

    #[test]
    fn each_stands_below_those_before_it() {
        let (places, n_left_out) = places(&graph(&["a", "b", "c", "d"], &[(0, 1), (1, 2), (0, 2)]));
        assert_eq!((places, n_left_out), (vec![Some((0, 0)), Some((0, 1)), Some((0, 2)), Some((1, 0))], 0));
        let (places, _) = self::places(&graph(&["a", "b"], &[(0, 1), (1, 0), (7, 1)]));
        assert_eq!(places.len(), 2, "a circle, and an edge to nowhere");
    }

    #[test]
    fn edges_between_the_same_boxes_are_one_line() {
        let picture = Picture::of(&graph(&["a", "b", "c"], &[(0, 1), (0, 1), (0, 2), (0, 1)]));
        assert_eq!((picture.boxes.len(), picture.lines.len()), (3, 2));
    }

    #[test]
    fn files_are_named_by_their_format() {
        assert_eq!(Form::of_file("abc.svg"), Some(("abc", Form::Svg)));
        assert_eq!(Form::of_file("abc.png"), Some(("abc", Form::Png)));
        assert_eq!((Form::of_file("abc.gif"), Form::of_file("abc")), (None, None));
        assert_eq!(Form::of_file("abc.svg.png"), Some(("abc.svg", Form::Png)));
    }

    #[test]
    fn what_has_no_resources_has_a_picture() {
        assert!(String::from_utf8_lossy(&empty(Form::Svg)).contains(">mclive</text>"));
        assert_eq!(empty(Form::Png), draw(&Graph::read("nonsense"), Form::Png));
    }
}
