//! A file of a program as a [`Board`]: its text in the editor's colours, and its problems.

use super::board::{Board, MAX_PARTS, Part};
use super::columns;
use mclive_base::shapes::{Diagnostic, Severity};

/// The width of a tab. Units: columns.
const TAB: usize = 4;

/// The maximum number of lines of a picture. Below them there is room for problems.
const MAX_LINES: usize = MAX_PARTS - 100;

/// The lines of a text that are drawn, and the number of the others.
pub fn head(text: &str) -> (&str, usize) {
    match text.match_indices('\n').nth(MAX_LINES - 1) {
        Some((at, _)) => {
            let (shown, rest) = text.split_at(at + 1);
            (shown, rest.lines().count())
        }
        None => (text, 0),
    }
}

/// The [`head`] of a text in pieces, each after its class in the editor, with the number of lines that follow; and the
/// problems of this file.
pub fn board(name: &str, pieces: &[(String, String)], n_more: usize, problems: &[&Diagnostic]) -> Board {
    let mut lines: Vec<Vec<(String, &'static str)>> = vec![Vec::new()];
    let mut column = 0;
    for (class, text) in pieces {
        for (number, part) in text.split('\n').enumerate() {
            if number > 0 {
                lines.push(Vec::new());
                column = 0;
            }
            let shown = spaced(part, &mut column);
            if let Some(line) = lines.last_mut().filter(|_| !shown.is_empty()) {
                line.push((shown, colour(class)));
            }
        }
    }
    // After the last line end there is nothing.
    if lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    let code = |(number, pieces): (usize, Vec<(String, &'static str)>)| Part::Code {
        number,
        pieces,
        colour: mark(number, problems),
    };
    let mut parts: Vec<Part> = (1..).zip(lines).map(code).collect();
    if n_more > 0 {
        let unit = if n_more == 1 { "line" } else { "lines" };
        parts.push(Part::Heading(format!("{n_more} more {unit} not shown")));
    }
    if !problems.is_empty() {
        parts.push(Part::Heading("Problems".to_owned()));
        parts.extend(problems.iter().map(|one| problem(one)));
    }
    Board { title: name.to_owned(), parts }
}

/// A part of a line that begins in a column, with spaces for tabs.
fn spaced(part: &str, column: &mut usize) -> String {
    let mut out = String::with_capacity(part.len());
    for char in part.chars() {
        let n = if char == '\t' { TAB - *column % TAB } else { columns::of_char(char) };
        match char {
            '\t' => out.extend(std::iter::repeat_n(' ', n)),
            char => out.push(char),
        }
        *column += n;
    }
    out
}

/// The colour of a class of the editor.
fn colour(class: &str) -> &'static str {
    match class {
        "tok-comment" => "syntax-comment",
        "tok-keyword" => "syntax-keyword",
        "tok-string" => "syntax-string",
        "tok-escape" => "syntax-escape",
        "tok-number" => "syntax-number",
        "tok-variable" => "syntax-variable",
        "tok-function" => "syntax-function",
        "tok-type" => "syntax-type",
        "tok-kind" => "syntax-kind",
        "tok-property" => "syntax-property",
        "tok-mark" => "syntax-mark",
        _ => "text",
    }
}

/// The mark of a line: that of its worst problem.
fn mark(line: usize, problems: &[&Diagnostic]) -> Option<&'static str> {
    let is_at = |one: &&&Diagnostic| {
        one.primary.as_ref().is_some_and(|label| {
            let (start, end) = (label.place.start_line as usize, label.place.end_line as usize);
            (start..=end).contains(&line)
        })
    };
    let here = problems.iter().filter(is_at).map(|one| weight(one.severity));
    here.max().map(|(_, colour)| colour)
}

/// How severe a problem is, with its colour.
fn weight(severity: Severity) -> (u8, &'static str) {
    match severity {
        Severity::Note => (0, "info"),
        Severity::Warning => (1, "warn"),
        Severity::Error | Severity::Bug => (2, "bad"),
    }
}

fn problem(one: &Diagnostic) -> Part {
    let place = one.primary.as_ref().map(|label| &label.place);
    let at = place.map(|place| format!("{}:{} ", place.start_line, place.start_col)).unwrap_or_default();
    let name = format!("{at}{}", one.code);
    Part::Row { name, text: one.message.clone(), colour: Some(weight(one.severity).1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::shapes::{Label, Place};

    fn said(line: u32, severity: Severity) -> Diagnostic {
        let (start_line, end_line) = (line, line);
        let place =
            Place { file: "/main.mcl".into(), start: 0, end: 1, start_line, start_col: 3, end_line, end_col: 4 };
        Diagnostic {
            code: "E0301".into(),
            severity,
            stage: String::new(),
            message: "cannot find it".into(),
            primary: Some(Label { place, text: String::new() }),
            secondary: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            edits: Vec::new(),
        }
    }

    #[test]
    fn a_program_is_lines_with_the_marks_of_its_problems() {
        let piece = |class: &str, text: &str| (class.to_owned(), text.to_owned());
        let pieces = [
            piece("tok-comment", "# a"),
            piece("", "\n\n\ta\t"),
            piece("tok-number", "1"),
            piece("", "\n"),
            piece("x", "z\n漢\tz\n"),
        ];
        let (warned, wrong) = (said(3, Severity::Warning), said(3, Severity::Error));
        let board = board("main.mcl", &pieces, 0, &[&warned, &wrong]);
        let told = |part: &Part| match part {
            Part::Code { number, pieces, colour } => {
                let pieces: Vec<String> = pieces.iter().map(|(text, colour)| format!("{colour}:{text}")).collect();
                format!("{number} {} {colour:?}", pieces.join("|"))
            }
            Part::Row { name, text, colour } => format!("{name}, {text} {colour:?}"),
            Part::Heading(words) => words.clone(),
            Part::Text { text, .. } => text.clone(),
            Part::Lane { .. } => "a lane".to_owned(),
        };
        assert_eq!(
            board.parts.iter().map(told).collect::<Vec<_>>(),
            [
                "1 syntax-comment:# a None",
                "2  None",
                "3 text:    a   |syntax-number:1 Some(\"bad\")",
                "4 text:z None",
                "5 text:漢  z None",
                "Problems",
                "3:3 E0301, cannot find it Some(\"warn\")",
                "3:3 E0301, cannot find it Some(\"bad\")",
            ]
        );
    }

    #[test]
    fn a_long_program_leaves_room_for_its_problems() {
        assert_eq!(head("$a = 1\n"), ("$a = 1\n", 0));
        let text = "$a = 1\n".repeat(MAX_LINES);
        assert_eq!(head(&text), (&*text, 0));
        let text = "$a = 1\n".repeat(MAX_LINES + 7);
        let (shown, n_more) = head(&text);
        assert_eq!((shown.lines().count(), n_more), (MAX_LINES, 7));
        let wrong = said(405, Severity::Error);
        let board = board("main.mcl", &[(String::new(), shown.to_owned())], n_more, &[&wrong]);
        assert!(board.parts.len() <= MAX_PARTS);
        let [Part::Heading(more), Part::Heading(_), Part::Row { name, .. }] = &board.parts[MAX_LINES..] else {
            panic!("{} rows", board.parts.len())
        };
        assert_eq!((more.as_str(), name.as_str()), ("7 more lines not shown", "405:3 E0301"));
    }
}
