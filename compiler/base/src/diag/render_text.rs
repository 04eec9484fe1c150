//! Diagnostics as text, for terminals, logs and the page's problem list: one renderer, so the wording is the same
//! everywhere.
//!
//! ```text
//! error[E0301]: no binding named `color`
//!   --> main.mcl:2:24
//!   |
//! 2 | print "p" { msg => $color, }
//!   |                    ^^^^^^ not defined here
//!   = help: did you mean `$colour`?
//! ```
//!
//! Invariants: no byte of the program reaches the output that could steer a terminal (control and bidirectional
//! characters are shown as escapes), and the size of the output is bounded whatever the length of the line that it
//! shows and of the values that messages quote.

use super::{Diagnostic, Diags, Label, Severity};
use crate::source::{Source, Sources, character_start};
use crate::span::FileId;
use crate::unicode::visible;
use std::fmt::Write;

/// With terminal colours, or without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// No colours.
    Plain,
    /// ANSI colours.
    Colour,
}

/// How to render diagnostics.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// With or without colours.
    pub style: Style,
    /// Prefix for paths of the program's tree, replacing their leading slash: `demo/` shows `/main.mcl` as
    /// `demo/main.mcl`. Empty: paths are shown as they are.
    pub root: &'a str,
    /// Folders of the program's tree that are from elsewhere: a prefix of paths, and what is shown instead of it.
    pub elsewhere: &'a [(String, String)],
}

impl Shown<'_> {
    /// Plain text with unchanged paths.
    pub const PLAIN: Shown<'static> = Shown { style: Style::Plain, root: "", elsewhere: &[] };

    /// A path of the program's own tree, as the user wrote it.
    pub fn path(&self, path: &str) -> String {
        let below =
            |(folder, shown): &(String, String)| Some(format!("{shown}{}", path.strip_prefix(folder.as_str())?));
        if let Some(shown) = self.elsewhere.iter().find_map(below) {
            return shown;
        }
        match path.strip_prefix('/') {
            Some(below) if !self.root.is_empty() => format!("{}{below}", self.root),
            Some(_) | None => path.to_owned(),
        }
    }
}

/// The maximum number of bytes shown of a message, which may quote a value.
const LONGEST: usize = 4_000;

/// The maximum number of columns of source text in one line of output.
const WIDTH: usize = 160;

/// Renders all diagnostics, each followed by an empty line.
pub fn render_all(diags: &Diags, sources: &Sources, shown: Shown) -> String {
    diags.for_reader().into_iter().map(|diagnostic| render(diagnostic, sources, shown) + "\n").collect()
}

/// Renders one diagnostic; ends with a newline.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, shown: Shown) -> String {
    let mut out = Text { out: String::new(), style: shown.style };
    let tone = match diagnostic.severity {
        Severity::Error | Severity::Bug => Tone::Error,
        Severity::Warning => Tone::Warning,
        Severity::Note => Tone::Note,
    };
    out.toned(tone, &format!("{}[{}]", severity_word(diagnostic.severity), diagnostic.code));
    out.toned(Tone::Strong, &format!(": {}", safe(&diagnostic.message)));
    out.plain("\n");

    let labels = all_labels(diagnostic);
    let gutter = labels.iter().map(|label| digits(line_of(sources, label.1))).max().unwrap_or(1);
    for (nth, file) in files_in_order(&labels).into_iter().enumerate() {
        let here: Vec<&(bool, &Label)> = labels.iter().filter(|label| label.1.span.file == file).collect();
        let source = sources.get(file);
        let at = source.line_col(here[0].1.span.start);
        let arrow = if nth == 0 { "-->" } else { ":::" };
        out.toned(Tone::Frame, &format!("{:gutter$}{arrow}", ""));
        out.plain(&format!(" {}:{}:{}\n", safe(&shown.path(&source.path)), at.line, at.col));
        snippet(&mut out, source, &here, gutter, tone);
    }
    let notes = diagnostic.notes.iter().map(|note| (" note", note));
    for (word, text) in notes.chain(diagnostic.help.iter().map(|help| (" help", help))) {
        out.toned(Tone::Frame, &format!("{:gutter$} =", ""));
        out.toned(Tone::Strong, word);
        out.plain(&format!(": {}\n", safe(text)));
    }
    out.out
}

/// The word that a severity is shown with.
pub(crate) fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
        Severity::Bug => "bug",
    }
}

/// All labels, the primary one first and flagged `true`.
fn all_labels(diagnostic: &Diagnostic) -> Vec<(bool, &Label)> {
    let secondary = diagnostic.secondary.iter().map(|label| (false, label));
    diagnostic.primary.iter().map(|label| (true, label)).chain(secondary).collect()
}

/// Each file once, in the order of the labels.
fn files_in_order(labels: &[(bool, &Label)]) -> Vec<FileId> {
    let mut files = Vec::new();
    for (_, label) in labels {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    files
}

/// The labelled lines, with a row of marks for each label.
fn snippet(out: &mut Text, source: &Source, labels: &[&(bool, &Label)], gutter: usize, tone: Tone) {
    let mut lines: Vec<u32> = labels.iter().map(|label| source.line_col(label.1.span.start).line).collect();
    lines.sort_unstable();
    lines.dedup();
    out.toned(Tone::Frame, &format!("{:gutter$} |\n", ""));
    let mut last = None;
    for line in lines {
        if last.is_some_and(|last| last + 1 < line) {
            out.toned(Tone::Frame, "...\n");
        }
        last = Some(line);
        let here: Vec<_> = labels.iter().filter(|label| source.line_col(label.1.span.start).line == line).collect();
        let (start, bytes) = near(source, line, here.iter().map(|label| label.1.span.start).min().unwrap_or(0));
        let marks: Vec<Mark> = here.iter().map(|label| Mark::new(label, start, bytes)).collect();
        let first = marks.iter().map(|mark| mark.from).min().unwrap_or(0);
        let (text, skipped) = window(bytes, first);
        out.toned(Tone::Frame, &format!("{line:>gutter$} | "));
        out.plain(text.trim_end());
        out.plain("\n");
        for mark in &marks {
            let from = mark.from.saturating_sub(skipped);
            let len = (mark.to - mark.from).clamp(1, (WIDTH + 1).saturating_sub(from.min(WIDTH)));
            out.toned(Tone::Frame, &format!("{:gutter$} | ", ""));
            out.plain(&" ".repeat(from.min(WIDTH)));
            let (sign, tone) = if mark.primary { ("^", tone) } else { ("-", Tone::Frame) };
            out.toned(tone, &sign.repeat(len));
            if !mark.text.is_empty() {
                out.toned(tone, &format!(" {}", safe(mark.text)));
            }
            out.plain("\n");
        }
    }
}

/// The part of a line that is worth scanning when the first mark is at an offset, and where that part starts. It is far
/// wider than [`WIDTH`], since a character has at most [`CHARACTER`] bytes and takes at least one column.
fn near(source: &Source, line: u32, first: u32) -> (usize, &[u8]) {
    const AROUND: usize = 2 * WIDTH * CHARACTER;
    let bytes = source.line(line);
    let start = bytes.as_ptr() as usize - source.text.as_ptr() as usize;
    if bytes.len() <= 2 * AROUND {
        return (start, bytes);
    }
    let first = (first as usize).saturating_sub(start).min(bytes.len());
    let from = match first.checked_sub(AROUND) {
        Some(from) => character_start(bytes, from),
        None => 0,
    };
    let to = character_start(bytes, (first + AROUND).min(bytes.len()));
    (start + from, &bytes[from..to])
}

/// The maximum number of bytes of one character.
const CHARACTER: usize = 4;

/// One row of marks; columns from 0, as the line is shown.
struct Mark<'a> {
    primary: bool,
    from: usize,
    to: usize,
    text: &'a str,
}

impl<'a> Mark<'a> {
    fn new((primary, label): &(bool, &'a Label), line_start: usize, line: &[u8]) -> Mark<'a> {
        let column = |offset: u32| {
            shown_line(&line[..(offset as usize).saturating_sub(line_start).min(line.len())]).chars().count()
        };
        // A span over several lines is marked to the end of its first line.
        let (from, to) = (column(label.span.start), column(label.span.end));
        Mark { primary: *primary, from, to: to.max(from + 1), text: &label.text }
    }
}

/// The part of a long line that contains the column, and how many columns were cut off before it.
fn window(line: &[u8], first: usize) -> (String, usize) {
    let text = shown_line(line);
    if text.chars().count() <= WIDTH {
        return (text, 0);
    }
    let skipped = first.saturating_sub(WIDTH / 3);
    (text.chars().skip(skipped).take(WIDTH).collect(), skipped)
}

/// A line as it is shown: a tab takes four columns; invalid and invisible characters are escaped.
fn shown_line(line: &[u8]) -> String {
    safe(&String::from_utf8_lossy(line).replace('\t', "    "))
}

/// Escapes characters that could control the terminal.
fn safe(text: &str) -> String {
    let end = text.floor_char_boundary(LONGEST);
    let mut shown = visible(&text[..end].replace('\t', "\\t")).into_owned();
    if end < text.len() {
        shown.push_str(&format!("… ({} bytes more)", text.len() - end));
    }
    shown
}

fn line_of(sources: &Sources, label: &Label) -> u32 {
    sources.get(label.span.file).line_col(label.span.start).line
}

fn digits(number: u32) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

#[derive(Clone, Copy)]
enum Tone {
    Error,
    Warning,
    Note,
    Strong,
    Frame,
}

/// The output, with or without colours.
struct Text {
    out: String,
    style: Style,
}

impl Text {
    fn plain(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn toned(&mut self, tone: Tone, text: &str) {
        let code = match tone {
            Tone::Error => "1;31",
            Tone::Warning => "1;33",
            Tone::Note => "1;36",
            Tone::Strong => "1",
            Tone::Frame => "1;34",
        };
        match self.style {
            Style::Plain => self.out.push_str(text),
            Style::Colour => {
                let _ = write!(self.out, "\x1b[{code}m{text}\x1b[0m");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Code, Stage};
    use crate::span::Span;

    fn sources(text: &str) -> (Sources, FileId) {
        let mut sources = Sources::default();
        let file = sources.add(Source::new("/main.mcl", text.as_bytes()));
        (sources, file)
    }

    fn diagnostic(file: FileId, start: usize, end: usize) -> Diagnostic {
        Diagnostic::error(Code(301), Stage::Scope, "no binding named `color`")
            .at(Span::new(file, start, end), "not defined here")
    }

    #[test]
    fn a_message_shows_its_places_and_its_help() {
        let (sources, file) = sources("$colour = \"red\"\n\nprint \"p\" { msg => $color, }\n");
        let shown =
            diagnostic(file, 36, 42).also(Span::new(file, 0, 7), "a similar name").help("did you mean `$colour`?");
        let text = render(&shown, &sources, Shown { root: "demo/", ..Shown::PLAIN });
        assert_eq!(
            text,
            "error[E0301]: no binding named `color`\n --> demo/main.mcl:3:20\n  |\n1 | $colour = \"red\"\n  | ------- a similar name\n...\n3 | print \"p\" { msg => $color, }\n  |                    ^^^^^^ not defined here\n  = help: did you mean `$colour`?\n"
        );
    }

    #[test]
    fn paths_are_shown_as_the_user_wrote_them() {
        let elsewhere = [("/partial/2/".to_owned(), "web/".to_owned())];
        let shown = Shown { root: "demo/", elsewhere: &elsewhere, ..Shown::PLAIN };
        for (path, expected) in [
            ("/main.cf", "demo/main.cf"),
            ("/partial/2/libs/a/main.cf", "web/libs/a/main.cf"),
            ("/partial/21/main.cf", "demo/partial/21/main.cf"),
            ("main.cf", "main.cf"),
        ] {
            assert_eq!(shown.path(path), expected);
        }
        assert_eq!(Shown::PLAIN.path("/main.cf"), "/main.cf");
    }

    #[test]
    fn a_message_that_quotes_a_megabyte_is_cut() {
        let (sources, _) = sources("");
        let message = format!("cannot cast `{}`", "é".repeat(1 << 19));
        let text = render(&Diagnostic::error(Code(301), Stage::Scope, message), &sources, Shown::PLAIN);
        assert!(text.len() < 4_100 && text.ends_with("… (1044591 bytes more)\n"), "{}", &text[text.len() - 60..]);
    }

    #[test]
    fn a_line_of_a_megabyte_is_cut_around_the_place() {
        let (sources, file) = sources(&"x".repeat(1 << 20));
        let text = render(&diagnostic(file, 500_000, 500_003), &sources, Shown::PLAIN);
        assert!(text.len() < 1000 && text.contains("^^^ not defined here"), "{}", text.len());
    }

    #[test]
    fn nothing_of_the_program_steers_the_terminal() {
        let (sources, file) = sources("a \x1b[2J \u{202e}b\tc");
        let text = render(&diagnostic(file, 0, 1), &sources, Shown::PLAIN);
        assert!(!text.contains(['\x1b', '\u{202e}', '\t']), "{text}");
    }

    #[test]
    fn a_place_behind_the_last_line_is_shown() {
        let (sources, file) = sources("a\n");
        let text = render(&diagnostic(file, 2, 2), &sources, Shown::PLAIN);
        assert!(text.contains("main.mcl:2:1") && text.contains("| ^ not"), "{text}");
    }
}
