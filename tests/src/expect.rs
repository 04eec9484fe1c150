//! The expectation of a case: lines of a graph, or an error at a stage and place.
//!
//! An error passes if our first error by the order of stages has the same tag and, if the line has a position, starts
//! inside one of the line's positions (for `errLexParse`: at its start). Each line of the expectation that is an error
//! is an alternative.

use mclive_compiler::diag::Diagnostic;
use mclive_compiler::source::{LineCol, Sources};

/// The result of a program.
pub enum Actual {
    /// Printed lines, in any order.
    Lines(Vec<String>),
    /// An error.
    Error(Problem),
}

/// The first error, as far as it is judged, and its message.
pub struct Problem {
    /// The tag of its stage.
    pub tag: String,
    /// The file and the start.
    pub place: Option<(String, LineCol)>,
    /// The message.
    pub message: String,
}

impl Problem {
    /// The judged part of a diagnostic.
    pub fn of(diagnostic: &Diagnostic, sources: &Sources) -> Problem {
        let place = diagnostic.judged_span().map(|span| {
            let source = sources.get(span.file);
            (source.path.clone(), source.line_col(span.start))
        });
        Problem {
            tag: diagnostic.stage.tag().to_owned(),
            place,
            message: format!("{}: {}", diagnostic.code, diagnostic.message),
        }
    }
}

impl Actual {
    /// As text, to show beside the expectation.
    pub fn to_text(&self) -> String {
        match self {
            Actual::Lines(lines) if lines.is_empty() => "# empty!".into(),
            Actual::Lines(lines) => sorted(lines.iter().map(String::as_str)).join("\n"),
            Actual::Error(problem) => {
                let place = problem.place.as_ref();
                let place = place.map(|(file, at)| format!(": {file} @ {}:{}", at.line, at.col)).unwrap_or_default();
                format!("# err: {}: {}{place}", problem.tag, problem.message)
            }
        }
    }
}

/// Whether the result matches the expected output.
pub fn passes(expected: &str, actual: &Actual) -> bool {
    let is_error = |line: &&str| line.starts_with("# err:");
    match actual {
        Actual::Error(problem) => expected.split('\n').filter(is_error).any(|line| error_passes(line, problem)),
        Actual::Lines(_) if expected.split('\n').any(|line| is_error(&line)) => false,
        Actual::Lines(lines) => {
            let wanted = sorted(expected.split('\n').filter(|line| line.trim() != "# empty!"));
            wanted == sorted(lines.iter().map(String::as_str))
        }
    }
}

/// Trimmed, without empty lines, sorted. Only spaces are trimmed: a carriage return is content.
fn sorted<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut lines: Vec<&str> =
        lines.map(|line| line.trim_matches([' ', '\t'])).filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    lines
}

fn error_passes(line: &str, problem: &Problem) -> bool {
    let text = line.trim_start_matches("# err:").trim_start();
    let (tag, message) = text.split_once(':').unwrap_or((text, ""));
    // A line without a tag is an alternative text of the first one's stage.
    let tag_fits = tag == problem.tag || !tag.starts_with("err");
    let positions = positions(message);
    let place_fits = positions.is_empty()
        || problem.place.as_ref().is_some_and(|(file, start)| {
            let same_file = |other: &str| other.trim_start_matches('/') == file.trim_start_matches('/');
            positions.iter().any(|wanted| {
                let inside = wanted.start <= *start && (*start < wanted.end || wanted.start == *start);
                let fits = if problem.tag == "errLexParse" { wanted.start == *start } else { inside };
                fits && same_file(&wanted.file)
            })
        });
    tag_fits && place_fits
}

struct Position {
    file: String,
    start: LineCol,
    end: LineCol,
}

/// Every `FILE @ r1:c1-r2:c2` of a message.
fn positions(message: &str) -> Vec<Position> {
    let mut found = Vec::new();
    let mut rest = message;
    while let Some(at) = rest.find(" @ ") {
        let (before, after) = (&rest[..at], &rest[at + 3..]);
        let start_of_file = before.rfind([':', ',']).map_or(0, |colon| colon + 1);
        let length = after.find(|c: char| !c.is_ascii_digit() && c != ':' && c != '-').unwrap_or(after.len());
        if let Some((start, end)) = range(after[..length].trim_end_matches(':')) {
            found.push(Position { file: before[start_of_file..].trim().to_owned(), start, end });
        }
        rest = after;
    }
    found
}

fn range(text: &str) -> Option<(LineCol, LineCol)> {
    let (start, end) = text.split_once('-')?;
    let place = |text: &str| {
        let (line, col) = text.split_once(':')?;
        Some(LineCol { line: line.parse().ok()?, col: col.parse().ok()? })
    };
    Some((place(start)?, place(end)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(tag: &str, file: &str, line: u32, col: u32) -> Actual {
        let place = Some((file.to_owned(), LineCol { line, col }));
        Actual::Error(Problem { tag: tag.into(), place, message: String::new() })
    }

    #[test]
    fn an_error_starts_inside_the_expected_span() {
        let line = "# err: errUnify: type error: str != int: /main.mcl @ 2:3-4:2";
        assert!(passes(line, &problem("errUnify", "/main.mcl", 2, 3)));
        assert!(passes(line, &problem("errUnify", "/main.mcl", 3, 99)));
        assert!(!passes(line, &problem("errUnify", "/main.mcl", 4, 2)));
        assert!(!passes(line, &problem("errUnify", "/lib.mcl", 2, 3)));
        assert!(!passes(line, &problem("errSetScope", "/main.mcl", 2, 3)));
    }

    #[test]
    fn any_of_several_positions_passes() {
        let line = "# err: errSetScope: x: /a.mcl @ 1:1-1:3: /main.mcl @ 9:1-9:9";
        assert!(passes(line, &problem("errSetScope", "/a.mcl", 1, 2)));
        assert!(passes(line, &problem("errSetScope", "/main.mcl", 9, 1)));
    }

    #[test]
    fn graphs_are_compared_as_sorted_lines() {
        let actual = Actual::Lines(vec!["Vertex: b".into(), "Vertex: a".into()]);
        assert!(passes("Vertex: a\nVertex: b\n", &actual));
        assert!(!passes("Vertex: a\n", &actual));
        assert!(passes("# empty!\n", &Actual::Lines(Vec::new())));
    }
}
