//! The resource graph as SVG, for previews: rows of boxes, each below those that settle before it.
//!
//! Names are untrusted: they are shortened and escaped. The picture contains no style and no script.

use super::graph::Graph;
use mclive_base::unicode::is_deceptive;
use std::fmt::Write;

/// The size of previews.
const WIDTH: usize = 1200;
const HEIGHT: usize = 630;
const MARGIN: usize = 40;
const BOX: (usize, usize) = (260, 64);
const GAP: (usize, usize) = (28, 46);
const MOST_IN_ROW: usize = (WIDTH - 2 * MARGIN + GAP.0) / (BOX.0 + GAP.0);
const MOST_ROWS: usize = (HEIGHT - 2 * MARGIN - 20 + GAP.1) / (BOX.1 + GAP.1);
const LONGEST_NAME: usize = 24;

/// The position of a box: its column and its row.
type Place = (usize, usize);

pub(super) fn draw(graph: &Graph) -> String {
    let (places, n_left_out) = places(graph);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\"><rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#0f1720\"/>"
    );
    for (from, to) in &graph.edges {
        if let (Some(from), Some(to)) = (places[*from], places[*to]) {
            let ((x1, y1), (x2, y2)) = (corner(from), corner(to));
            let (x1, x2, y1, middle) = (x1 + BOX.0 / 2, x2 + BOX.0 / 2, y1 + BOX.1, (y1 + BOX.1 + y2) / 2);
            let _ = write!(
                svg,
                "<path d=\"M{x1} {y1}C{x1} {middle} {x2} {middle} {x2} {y2}\" fill=\"none\" stroke=\"#5b7083\" stroke-width=\"2\"/>"
            );
        }
    }
    for (vertex, place) in graph.vertices.iter().zip(&places) {
        let Some((x, y)) = place.map(corner) else { continue };
        let (width, height) = BOX;
        let (kind, name) = (escaped(&shortened(&vertex.kind)), escaped(&shortened(&vertex.name)));
        let (x_text, y_kind, y_name) = (x + 14, y + 26, y + 50);
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"10\" fill=\"#1b2733\" stroke=\"#3d7ea6\"/>\
             <text x=\"{x_text}\" y=\"{y_kind}\" font-size=\"17\" fill=\"#7cc4f0\">{kind}</text>\
             <text x=\"{x_text}\" y=\"{y_name}\" font-size=\"18\" fill=\"#e8eef3\">{name}</text>"
        );
    }
    let note = match (graph.vertices.len(), n_left_out) {
        (0, _) => "mclive".to_owned(),
        (n, 0) => format!("mclive · {n} resource{}", if n == 1 { "" } else { "s" }),
        (n, left_out) => format!("mclive · {n} resources, {left_out} not shown"),
    };
    let y = HEIGHT - 24;
    let _ = write!(svg, "<text x=\"{MARGIN}\" y=\"{y}\" font-size=\"20\" fill=\"#8aa0b2\">{note}</text></svg>");
    svg
}

/// The position of each vertex for which there is room, and the number of the others.
fn places(graph: &Graph) -> (Vec<Option<Place>>, usize) {
    let mut width_of_row = [0; MOST_ROWS];
    let places: Vec<Option<Place>> = depths(graph)
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

fn corner((column, row): Place) -> Place {
    (MARGIN + column * (BOX.0 + GAP.0), MARGIN + row * (BOX.1 + GAP.1))
}

fn shortened(text: &str) -> String {
    match text.chars().count() > LONGEST_NAME {
        true => text.chars().take(LONGEST_NAME - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

/// Text escaped for HTML and XML, in elements and in attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(c),
            // These are invalid in XML, invisible, or turn the direction of what follows.
            c if is_deceptive(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(names: &[&str], edges: &[(usize, usize)]) -> Graph {
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
    fn a_large_graph_is_shown_in_part_and_says_so() {
        let names: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
        let svg = draw(&graph(&names.iter().map(String::as_str).collect::<Vec<_>>(), &[]));
        assert!(svg.contains(&format!("1000 resources, {} not shown", 1000 - MOST_IN_ROW * MOST_ROWS)), "{svg}");
        assert!(draw(&Graph::read("nonsense")).contains(">mclive</text>"));
    }

    #[test]
    fn names_are_text_and_nothing_else() {
        let svg = draw(&graph(&["</text><script>alert(1)</script>", "\"onload='x'\u{1b}[0m", &"x".repeat(500)], &[]));
        assert!(!svg.contains("<script") && !svg.contains("\"onload") && !svg.contains('\u{1b}'), "{svg}");
        assert!(svg.contains(&format!("{}…", "x".repeat(LONGEST_NAME - 1))));
        let svg = draw(&graph(&["a\u{202e}b\u{9b}c"], &[]));
        assert!(svg.contains("a\u{fffd}b\u{fffd}c"), "{svg}");
    }
}
