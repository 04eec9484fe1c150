//! A view of rows as a self-contained SVG file, as [`svg`](super::svg) makes one of a graph: headings, lines of text and of
//! programs, and lanes of a timeline.

use super::columns;
use super::faces::{cut, cut_front};
use super::svg::escaped;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A row, from top to bottom. Colours are names of the page's style sheet.
pub enum Part {
    /// The title of the rows that follow.
    Heading(String),
    /// A name, and what there is to say about it.
    Row {
        /// The name.
        name: String,
        /// The text.
        text: String,
        /// The colour of the mark before the name, if it has one.
        colour: Option<&'static str>,
    },
    /// A line of text.
    Text {
        /// The text, with all of its spaces.
        text: String,
        /// Its colour.
        colour: &'static str,
    },
    /// A line of a program.
    Code {
        /// Its number.
        number: usize,
        /// Its text, without tabs, each piece with its colour.
        pieces: Vec<(String, &'static str)>,
        /// The colour of the mark before it, if it has one.
        colour: Option<&'static str>,
    },
    /// A lane of a timeline.
    Lane {
        /// What it is about.
        name: String,
        /// Column and colour of each bar.
        bars: Vec<(usize, &'static str)>,
        /// The number of columns.
        n_columns: usize,
        /// The column of the present moment.
        here: usize,
    },
}

/// What a picture shows.
pub struct Board {
    /// The title.
    pub title: String,
    /// The rows.
    pub parts: Vec<Part>,
}

/// The maximum number of rows of a picture; the others are counted.
pub(super) const MAX_PARTS: usize = 500;

// Units: pixels at scale 1.
const WIDTH: f32 = 960.0;
const MARGIN: f32 = 16.0;
const TITLE: f32 = 34.0;
const ROW: f32 = 21.0;
/// The beginning of texts and lanes.
const SECOND: f32 = 300.0;
/// The maximum number of columns of a name, and of a text: what fits at this size.
const N_NAME: usize = 35;
const N_TEXT: usize = 86;
/// The beginning of lines of programs, and the most columns of one.
const CODE: f32 = 64.0;
const N_CODE: usize = 120;

impl Part {
    fn height(&self) -> f32 {
        match self {
            Part::Heading(_) => 36.0,
            Part::Row { .. } | Part::Lane { .. } => ROW,
            Part::Code { .. } | Part::Text { .. } => 18.0,
        }
    }
}

impl Board {
    fn shown(&self) -> &[Part] {
        &self.parts[..self.parts.len().min(MAX_PARTS)]
    }

    /// Width and height. Units: pixels at scale 1.
    pub fn size(&self) -> (f32, f32) {
        let rest = if self.parts.len() > MAX_PARTS { ROW } else { 0.0 };
        let rows: f32 = self.shown().iter().map(Part::height).sum();
        (WIDTH, 2.0 * MARGIN + TITLE + rows + rest)
    }

    /// The file; `colour` maps names of the page's style sheet to colours.
    pub fn to_svg(&self, colour: &dyn Fn(&str) -> String) -> String {
        let colour = |name: &str| escaped(&colour(name));
        let (width, height) = self.size();
        let title = escaped(&cut(&self.title, N_NAME + N_TEXT));
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.1} {height:.1}\" font-family=\"monospace\" role=\"img\">\n\
             <title>{title}</title>\n\
             <rect width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{}\"/>\n",
            colour("ground"),
        );
        let mut y = MARGIN + TITLE;
        add_text(&mut out, (MARGIN, y - 14.0, 16.0, colour("text").as_str()), &title);
        for part in self.shown() {
            y += part.height();
            part.add(y, &colour, &mut out);
        }
        let n_left_out = self.parts.len() - self.shown().len();
        if n_left_out > 0 {
            let words = format!("{n_left_out} more not shown");
            add_text(&mut out, (MARGIN + 16.0, y + ROW - 6.0, 12.0, colour("muted").as_str()), &words);
        }
        out.push_str("</svg>\n");
        out
    }
}

impl Part {
    /// `bottom`: where the row ends.
    fn add(&self, bottom: f32, colour: &dyn Fn(&str) -> String, out: &mut String) {
        let base = bottom - 6.0;
        match self {
            Part::Heading(words) => {
                add_text(out, (MARGIN, base, 13.0, colour("muted").as_str()), &escaped(&cut(words, N_NAME + N_TEXT)));
            }
            Part::Row { name, text, colour: mark } => {
                add_mark(*mark, base, colour, out);
                add_name(name, base, colour, out);
                add_text(out, (SECOND, base, 12.0, colour("muted").as_str()), &escaped(&cut(text, N_TEXT)));
            }
            Part::Text { text, colour: name } => {
                add_text(out, (MARGIN, base, 12.0, colour(name).as_str()), &escaped(&spaced(&cut(text, N_CODE))));
            }
            Part::Code { number, pieces, colour: mark } => {
                add_mark(*mark, base, colour, out);
                add_text(out, (MARGIN + 16.0, base, 12.0, colour("faint").as_str()), &number.to_string());
                add_text(out, (CODE, base, 12.0, colour("text").as_str()), &spans(pieces, colour));
            }
            Part::Lane { name, bars, n_columns, here } => {
                add_name(name, base, colour, out);
                let (top, width) = (bottom - ROW + 3.0, WIDTH - MARGIN - SECOND);
                let ground = colour("line-here");
                let _ = writeln!(
                    out,
                    "<rect x=\"{SECOND}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"16\" rx=\"3\" fill=\"{ground}\"/>"
                );
                let step = width / (*n_columns).max(1) as f32;
                let at = |column: usize| SECOND + step * column as f32;
                let mut paths: BTreeMap<&str, String> = BTreeMap::new();
                for (column, name) in bars {
                    let path = paths.entry(name).or_default();
                    let w = step * 0.72;
                    let _ = write!(path, "M{:.1} {:.1}h{w:.1}v14h-{w:.1}z", at(*column), top + 1.0);
                }
                for (name, path) in paths {
                    let _ = writeln!(out, "<path d=\"{path}\" fill=\"{}\"/>", colour(name));
                }
                let (x, w, stroke) = (at(*here), step * 0.72, colour("text"));
                let _ = writeln!(
                    out,
                    "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{w:.1}\" height=\"16\" fill=\"none\" stroke=\"{stroke}\" \
                     stroke-width=\"1.5\"/>"
                );
            }
        }
    }
}

/// The pieces of a line of a program, each in its colour.
fn spans(pieces: &[(String, &'static str)], colour: &dyn Fn(&str) -> String) -> String {
    let n_columns: usize = pieces.iter().map(|(text, _)| columns::of(text)).sum();
    let is_cut = n_columns > N_CODE;
    let mut room = if is_cut { N_CODE - 1 } else { N_CODE };
    let mut out = String::new();
    for (text, name) in pieces {
        let taken = columns::head(text, room);
        // Nothing follows what is left out, however narrow it is.
        room = if taken.len() == text.len() { room - columns::of(taken) } else { 0 };
        if !taken.is_empty() {
            let shown = spaced(&cut(taken, N_CODE));
            let _ = write!(out, "<tspan fill=\"{}\">{}</tspan>", colour(name), escaped(&shown));
        }
    }
    if is_cut {
        out.push('…');
    }
    out
}

/// A text with other spaces: several usual ones would be drawn as one.
fn spaced(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}

fn add_mark(mark: Option<&'static str>, base: f32, colour: &dyn Fn(&str) -> String, out: &mut String) {
    let Some(mark) = mark else { return };
    let (y, fill) = (base - 9.0, colour(mark));
    let _ = writeln!(out, "<rect x=\"{MARGIN}\" y=\"{y:.1}\" width=\"9\" height=\"9\" rx=\"2\" fill=\"{fill}\"/>");
}

fn add_name(name: &str, base: f32, colour: &dyn Fn(&str) -> String, out: &mut String) {
    add_text(out, (MARGIN + 16.0, base, 12.0, colour("text").as_str()), &escaped(&cut_front(name, N_NAME)));
}

/// A line of text, escaped already, at a position with a size and a colour.
fn add_text(out: &mut String, (x, y, size, fill): (f32, f32, f32, &str), text: &str) {
    let _ = writeln!(out, "<text x=\"{x}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{fill}\">{text}</text>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use roxmltree::Document;

    fn row(name: &str, text: &str) -> Part {
        Part::Row { name: name.into(), text: text.into(), colour: Some("good") }
    }

    fn texts(board: &Board) -> Vec<String> {
        let svg = board.to_svg(&|name| format!("var {name}"));
        let document = Document::parse(&svg).unwrap_or_else(|error| panic!("{error}:\n{svg}"));
        let root = document.root_element();
        let (width, height) = board.size();
        assert_eq!(root.attribute("viewBox"), Some(format!("0 0 {width:.1} {height:.1}").as_str()));
        let elements = document.descendants().filter(|node| node.is_element()).map(|node| node.tag_name().name());
        assert!(elements.clone().all(|name| ["svg", "title", "rect", "path", "text", "tspan"].contains(&name)));
        let words = document.descendants().filter(|node| node.has_tag_name("text"));
        let text = |node: roxmltree::Node| {
            node.descendants().filter(|part| part.is_text()).filter_map(|part| part.text()).collect::<String>()
        };
        words.map(text).collect()
    }

    #[test]
    fn each_row_is_drawn() {
        let lane = Part::Lane {
            name: "web2".into(),
            bars: vec![(0, "good"), (3, "bad"), (4, "good")],
            n_columns: 24,
            here: 3,
        };
        let parts = vec![Part::Heading("Files".into()), row("/etc/motd", "12 bytes"), lane];
        let board = Board { title: "web1".into(), parts };
        assert_eq!(texts(&board), ["web1", "Files", "/etc/motd", "12 bytes", "web2"]);
        let svg = board.to_svg(&|name| format!("var {name}"));
        assert_eq!(svg.matches("<path").count(), 2, "one for each colour");
        assert_eq!(svg.matches("fill=\"var bad\"").count(), 1);
    }

    #[test]
    fn hostile_names_stay_text_and_long_ones_are_cut() {
        for name in ["</text><script>alert(1)</script>", "\"' onload='x", "&amp;&#0;", "]]><!--"] {
            let board = Board { title: name.into(), parts: vec![row(name, name), Part::Heading(name.into())] };
            assert_eq!(texts(&board), [name; 4]);
        }
        let long = "x".repeat(1_000);
        let board = Board { title: long.clone(), parts: vec![row(&long, &long)] };
        assert!(texts(&board).iter().all(|text| text.chars().count() <= N_NAME + N_TEXT));
    }

    #[test]
    fn a_line_of_a_program_keeps_its_spaces_and_is_cut_where_it_is_too_long() {
        let code = |pieces: &[(&str, &'static str)]| Part::Code {
            number: 7,
            pieces: pieces.iter().map(|(text, colour)| ((*text).to_owned(), *colour)).collect(),
            colour: Some("bad"),
        };
        let (wide, rest) = ("x".repeat(N_CODE - 2), "y".repeat(9));
        let parts = vec![
            code(&[("    ", "text"), ("<$a> =>", "syntax-variable")]),
            code(&[(wide.as_str(), "text"), (rest.as_str(), "text")]),
        ];
        let board = Board { title: "main.mcl".into(), parts };
        let cut = format!("{wide}y…");
        assert_eq!(cut.chars().count(), N_CODE);
        assert_eq!(texts(&board), ["main.mcl", "7", "\u{a0}\u{a0}\u{a0}\u{a0}<$a>\u{a0}=>", "7", &*cut]);
        let svg = board.to_svg(&|name| format!("var {name}"));
        assert_eq!((svg.matches("\"var syntax-variable\"").count(), svg.matches("\"var bad\"").count()), (1, 2));
    }

    #[test]
    fn a_line_of_wide_characters_stays_in_the_picture() {
        let parts = [60, 61].map(|n| {
            let pieces = vec![("漢".repeat(n), "text"), ("y".to_owned(), "text")];
            Part::Code { number: 1, pieces, colour: None }
        });
        let board = Board { title: "main.mcl".into(), parts: parts.into() };
        let cut = format!("{}…", "漢".repeat(59));
        let texts = texts(&board);
        assert_eq!((&*texts[2], &*texts[4]), (&*cut, &*cut));
        assert!(columns::of(&cut) <= N_CODE);
    }

    #[test]
    fn hostile_lines_of_a_program_stay_text() {
        let pieces = vec![("</tspan><script>\u{202e}\0\r&amp;".to_owned(), "text"), ("\"']]>".to_owned(), "text")];
        let parts = vec![Part::Code { number: 1, pieces, colour: None }];
        let board = Board { title: "main.mcl".into(), parts };
        assert_eq!(texts(&board)[2], "</tspan><script>\u{fffd}\u{fffd}\u{a0}&amp;\"']]>");
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let board = Board { title: "many".into(), parts: (0..MAX_PARTS + 7).map(|_| row("a", "b")).collect() };
        let texts = texts(&board);
        assert_eq!(texts.len(), 1 + 2 * MAX_PARTS + 1);
        assert_eq!(texts.last().map(String::as_str), Some("7 more not shown"));
    }
}
