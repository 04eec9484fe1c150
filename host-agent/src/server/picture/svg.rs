//! A picture as SVG. Names are untrusted: they are escaped. The picture contains no style and no script.

use super::{
    BASELINES, BOX, BOX_EDGE, BOX_GROUND, GROUND, HEIGHT, INDENT, KIND, LINE, Labelled, Line, MARGIN, NAME, NOTE,
    Picture, ROUND, SAID, WIDTH,
};
use mclive_base::unicode::is_deceptive;
use std::fmt::Write;

pub(super) fn write(picture: &Picture) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\"><rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{GROUND}\"/>"
    );
    for Line { from: (x1, y1), to: (x2, y2) } in &picture.lines {
        let middle = (y1 + y2) / 2;
        let _ = write!(
            svg,
            "<path d=\"M{x1} {y1}C{x1} {middle} {x2} {middle} {x2} {y2}\" fill=\"none\" stroke=\"{LINE}\" stroke-width=\"2\"/>"
        );
    }
    for Labelled { corner: (x, y), kind, name } in &picture.boxes {
        let (width, height) = BOX;
        let (kind, name) = (escaped(kind), escaped(name));
        // Names may be wider than usual: what leaves the box is cut off, as in the other format.
        let (x_text, room, y_kind, y_name) = (x + INDENT, width - 2 * INDENT, BASELINES.0, BASELINES.1);
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{ROUND}\" fill=\"{BOX_GROUND}\" stroke=\"{BOX_EDGE}\"/>\
             <svg x=\"{x_text}\" y=\"{y}\" width=\"{room}\" height=\"{height}\">\
             <text y=\"{y_kind}\" font-size=\"17\" fill=\"{KIND}\">{kind}</text>\
             <text y=\"{y_name}\" font-size=\"18\" fill=\"{NAME}\">{name}</text></svg>"
        );
    }
    let note = &picture.note;
    let _ = write!(svg, "<text x=\"{MARGIN}\" y=\"{NOTE}\" font-size=\"20\" fill=\"{SAID}\">{note}</text></svg>");
    svg
}

/// Text escaped for HTML and XML, in elements and in attributes.
pub(in crate::server) fn escaped(text: &str) -> String {
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
    use super::super::tests::graph;
    use super::super::{LONGEST_NAME, MOST_IN_ROW, MOST_ROWS};
    use super::*;

    fn draw(names: &[&str]) -> String {
        write(&Picture::of(&graph(names, &[])))
    }

    #[test]
    fn a_large_graph_is_shown_in_part_and_says_so() {
        let names: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
        let svg = draw(&names.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(svg.contains(&format!("1000 resources, {} not shown", 1000 - MOST_IN_ROW * MOST_ROWS)), "{svg}");
    }

    #[test]
    fn names_are_text_and_nothing_else() {
        let svg = draw(&["</text><script>alert(1)</script>", "\"onload='x'\u{1b}[0m", &"x".repeat(500)]);
        assert!(!svg.contains("<script") && !svg.contains("\"onload") && !svg.contains('\u{1b}'), "{svg}");
        assert!(svg.contains(&format!("{}…", "x".repeat(LONGEST_NAME - 1))));
        let svg = draw(&["a\u{202e}b\u{9b}c"]);
        assert!(svg.contains("a\u{fffd}b\u{fffd}c"), "{svg}");
    }

    #[test]
    fn both_texts_stay_within_their_box_however_wide_they_are() {
        let svg = draw(&["W".repeat(LONGEST_NAME).as_str()]);
        let within = "<svg x=\"54\" y=\"40\" width=\"232\" height=\"64\"><text y=\"26\"";
        let (_, after) = svg.split_once(within).expect("a view is clipped to its size");
        assert!(after.split_once("</svg>").is_some_and(|(texts, _)| texts.contains(">WWW")), "{svg}");
    }

    #[test]
    fn a_line_goes_from_the_bottom_of_a_box_to_the_top_of_the_next() {
        let svg = write(&Picture::of(&graph(&["a", "b"], &[(0, 1)])));
        let path = "<path d=\"M170 104C170 127 170 127 170 150\" fill=\"none\" stroke=\"#5b7083\" stroke-width=\"2\"/>";
        assert!(svg.contains(path), "{svg}");
        let first =
            "<rect x=\"40\" y=\"40\" width=\"260\" height=\"64\" rx=\"10\" fill=\"#1b2733\" stroke=\"#3d7ea6\"/>";
        assert!(svg.contains(first), "{svg}");
    }
}
