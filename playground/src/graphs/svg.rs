//! A graph as a self-contained SVG file: colours, sizes and fonts are attributes of its elements, and nothing in it
//! runs or is loaded.
//!
//! Names come from programs, so they are untrusted: they are always text and never markup, and characters that XML
//! cannot represent are replaced.

use super::curve::add_curve;
use super::layout::{Drawing, Rect};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A box with its labels.
pub struct Vertex<'a> {
    /// The title.
    pub title: &'a str,
    /// The second line; may be empty.
    pub note: &'a str,
    /// The full name, shown as a tooltip.
    pub label: &'a str,
    /// The path of the icon before the title, 16 units wide.
    pub icon: Option<&'a str>,
    /// The style of its state (`good`, `working`, `warn`, `bad`; others are plain) and the path of its icon.
    pub state: Option<(&'a str, &'a str)>,
}

/// A graph to draw. `lines` has one entry per line of the drawing: its style, `notify`, `sends` or plain.
pub struct Sheet<'a> {
    /// The title.
    pub title: &'a str,
    /// The positions.
    pub drawing: &'a Drawing,
    /// The style of each line.
    pub lines: &'a [&'static str],
    /// One per box.
    pub vertices: Vec<Vertex<'a>>,
}

/// Around the graph. Units: pixels at scale 1.
const MARGIN: f32 = 16.0;

impl Sheet<'_> {
    /// Width and height. Units: pixels at scale 1.
    pub fn size(&self) -> (f32, f32) {
        (self.drawing.width + 2.0 * MARGIN, self.drawing.height + 2.0 * MARGIN)
    }

    /// The file; `colour` maps names of the page's style sheet to colours.
    pub fn to_svg(&self, colour: &dyn Fn(&str) -> String) -> String {
        let colour = |name: &str| escaped(&colour(name));
        let (width, height) = self.size();
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"{} {} {width:.1} {height:.1}\" font-family=\"monospace\" role=\"img\">\n\
             <title>{}</title>\n\
             <rect x=\"{}\" y=\"{}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{}\"/>\n",
            -MARGIN,
            -MARGIN,
            escaped(self.title),
            -MARGIN,
            -MARGIN,
            colour("ground"),
        );
        self.add_lines(&colour, &mut out);
        for (vertex, rect) in self.vertices.iter().zip(&self.drawing.boxes) {
            vertex.add(rect, &colour, &mut out);
        }
        out.push_str("</svg>\n");
        out
    }

    fn add_lines(&self, colour: &dyn Fn(&str) -> String, out: &mut String) {
        let mut paths: BTreeMap<&str, (String, String)> = BTreeMap::new();
        for (line, look) in self.drawing.lines.iter().zip(self.lines).filter(|(line, _)| line.len() > 1) {
            let (lines, heads) = paths.entry(look).or_default();
            add_curve(line, lines, heads);
        }
        for (look, (lines, heads)) in paths {
            let (name, width) = match look {
                "notify" => ("warn", 1.4),
                "sends" => ("info", 1.8),
                _ => ("edge", 1.4),
            };
            let colour = colour(name);
            let _ = write!(
                out,
                "<path d=\"{lines}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"/>\n\
                 <path d=\"{heads}\" fill=\"{colour}\"/>\n"
            );
        }
    }
}

impl Vertex<'_> {
    fn add(&self, rect: &Rect, colour: &dyn Fn(&str) -> String, out: &mut String) {
        let Rect { x, y, w, h } = *rect;
        let (state, mark) = self.state.unwrap_or_default();
        let (stroke, opacity, fill, mark_width) = match state.split(' ').next().unwrap_or_default() {
            "good" => ("good", 0.6, "raised", 2.0),
            "working" => ("info", 1.0, "info-soft", 2.0),
            "warn" => ("warn", 1.0, "warn-soft", 1.8),
            "bad" => ("bad", 1.0, "bad-soft", 1.8),
            _ => ("border-strong", 1.0, "raised", 1.5),
        };
        let _ = write!(
            out,
            "<g transform=\"translate({x:.1} {y:.1})\"><title>{}</title>\
             <rect width=\"{w:.1}\" height=\"{h:.1}\" rx=\"7\" fill=\"{}\" stroke=\"{}\" stroke-opacity=\"{opacity}\" stroke-width=\"1.2\"/>",
            escaped(self.label),
            colour(fill),
            colour(stroke),
        );
        let (muted, text) = (colour("muted"), colour("text"));
        if let Some(icon) = self.icon {
            add_strokes(icon, (10.0, h / 2.0 - 8.0, 1.0), &muted, 1.5, out);
        }
        if !mark.is_empty() {
            let colour = if stroke == "border-strong" { muted.clone() } else { colour(stroke) };
            add_strokes(mark, (w - 22.0, h / 2.0 - 7.0, 0.88), &colour, mark_width, out);
        }
        let x = if self.icon.is_some() { 34 } else { 12 };
        let y = if self.note.is_empty() { h / 2.0 + 4.5 } else { 18.5 };
        let title = escaped(self.title);
        let _ = write!(
            out,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"12\" font-weight=\"500\" fill=\"{text}\">{title}</text>"
        );
        if !self.note.is_empty() {
            let note = escaped(self.note);
            let _ = write!(out, "<text x=\"{x}\" y=\"33.5\" font-size=\"10.5\" fill=\"{muted}\">{note}</text>");
        }
        out.push_str("</g>\n");
    }
}

/// An icon at a position and scale.
fn add_strokes(path: &str, (x, y, scale): (f32, f32, f32), colour: &str, width: f32, out: &mut String) {
    let _ = write!(
        out,
        "<path d=\"{path}\" transform=\"translate({x:.1} {y:.1}) scale({scale})\" fill=\"none\" stroke=\"{colour}\" \
         stroke-width=\"{width}\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>"
    );
}

/// Text escaped for XML, both in elements and in attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Unescaped, parsers would turn them into spaces or another line end.
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            // XML cannot represent these.
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use roxmltree::Document;

    /// Two boxes and an edge, one box with this name.
    fn svg(name: &str) -> String {
        let drawing = Drawing {
            width: 200.0,
            height: 150.0,
            boxes: vec![Rect { x: 0.0, y: 0.0, w: 200.0, h: 44.0 }, Rect { x: 40.0, y: 100.0, w: 120.0, h: 44.0 }],
            lines: vec![vec![(100.0, 44.0), (100.0, 100.0)], vec![]],
        };
        let named = Vertex {
            title: name,
            note: name,
            label: name,
            icon: Some("M0 0h1"),
            state: Some(("good changed", "M1 1h2")),
        };
        let plain = Vertex { title: "plain", note: "", label: "plain", icon: None, state: None };
        let sheet = Sheet { title: name, drawing: &drawing, lines: &["sends", ""], vertices: vec![named, plain] };
        assert_eq!(sheet.size(), (232.0, 182.0));
        sheet.to_svg(&|name| format!("var {name}"))
    }

    fn texts(svg: &str) -> Vec<String> {
        let document = Document::parse(svg).unwrap_or_else(|error| panic!("{error}:\n{svg}"));
        let words = document.descendants().filter(|node| node.has_tag_name("text") || node.has_tag_name("title"));
        words.map(|node| node.text().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn a_graph_is_drawn_whole() {
        let svg = svg("file[/srv/x]");
        assert_eq!(texts(&svg), ["file[/srv/x]", "file[/srv/x]", "file[/srv/x]", "file[/srv/x]", "plain", "plain"]);
        let document = Document::parse(&svg).unwrap();
        let root = document.root_element();
        assert_eq!(root.attribute("viewBox"), Some("-16 -16 232.0 182.0"));
        let strokes: Vec<&str> = document.descendants().filter_map(|node| node.attribute("stroke")).collect();
        assert_eq!(strokes, ["var info", "var good", "var muted", "var good", "var border-strong"]);
    }

    #[test]
    fn hostile_names_stay_text() {
        for name in [
            "</title></svg><script>alert(1)</script>",
            "\"' onload='x",
            "&amp;&#0;<![CDATA[",
            "]]>",
            "<!--",
            "a\r\nb\tc",
        ] {
            let svg = svg(name);
            assert_eq!(texts(&svg)[..4], [name; 4]);
            let document = Document::parse(&svg).unwrap();
            let names = document.descendants().filter(|node| node.is_element()).map(|node| node.tag_name().name());
            assert!(names.clone().all(|name| ["svg", "title", "rect", "path", "g", "text"].contains(&name)));
        }
    }

    #[test]
    fn what_xml_cannot_hold_is_replaced() {
        let name: String =
            ('\0'..='\u{ffff}').filter(|char| !matches!(char, '\t' | '\n' | '\r' | ' '..='\u{fffd}')).collect();
        assert_eq!(name.chars().count(), 32 - 3 + 2);
        assert_eq!(texts(&svg(&name))[0], "\u{fffd}".repeat(31));
        assert_eq!(texts(&svg("\u{7f}\u{85}\u{2028}\u{1fffe}🙂"))[0], "\u{7f}\u{85}\u{2028}\u{1fffe}🙂");
    }
}
