//! Diagnostics as the editor wants them: offsets in UTF-16 units of the text.

use super::model::is_main;
use mclive_base::shapes;
use serde::Serialize;

/// A squiggle with what it says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Problem {
    pub from: usize,
    pub to: usize,
    /// The editor's words: `error`, `warning`, `info`.
    pub severity: &'static str,
    pub code: String,
    pub message: String,
    /// What is here, in a few words.
    pub note: String,
    pub help: Vec<String>,
    pub edits: Vec<ProblemEdit>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProblemEdit {
    pub from: usize,
    pub to: usize,
    pub insert: String,
    pub title: String,
}

/// The squiggles of a text. What is in no file or another one stands at the beginning.
pub fn problems(text: &str, diagnostics: &[shapes::Diagnostic]) -> Vec<Problem> {
    let units = Units::new(text);
    let span = |place: &shapes::Place| match is_main(&place.file) {
        true => (units.at(place.start), units.at(place.end)),
        false => (0, 0),
    };
    let problem = |one: &shapes::Diagnostic| {
        let (from, to) = one.primary.as_ref().map_or((0, 0), |label| span(&label.place));
        let edit = |edit: &shapes::Edit| {
            let (from, to) = span(&edit.place);
            ProblemEdit { from, to, insert: edit.replacement.clone(), title: edit.title.clone() }
        };
        let mut help = one.help.clone();
        help.extend(
            one.secondary
                .iter()
                .filter(|label| !label.text.is_empty())
                .map(|label| format!("line {}: {}", label.place.start_line, label.text)),
        );
        Problem {
            from,
            to,
            severity: match one.severity {
                shapes::Severity::Error | shapes::Severity::Bug => "error",
                shapes::Severity::Warning => "warning",
                shapes::Severity::Note => "info",
            },
            code: one.code.clone(),
            message: one.message.clone(),
            note: one.primary.as_ref().map(|label| label.text.clone()).unwrap_or_default(),
            help,
            edits: one.edits.iter().filter(|edit| is_main(&edit.place.file)).map(edit).collect(),
        }
    };
    diagnostics.iter().map(problem).collect()
}

/// A place of the editor's file in UTF-16 units; none for a place in another file.
pub fn range_in_main(text: &str, place: &shapes::Place) -> Option<(usize, usize)> {
    let units = Units::new(text);
    is_main(&place.file).then(|| (units.at(place.start), units.at(place.end)))
}

/// Bytes to UTF-16 units, by the places where they begin to differ.
struct Units {
    /// After each character that is not ASCII: its end in bytes and in units. Ascending.
    steps: Vec<(usize, usize)>,
}

impl Units {
    fn new(text: &str) -> Units {
        let mut units = 0;
        let mut steps = Vec::new();
        for (at, char) in text.char_indices() {
            units += char.len_utf16();
            if !char.is_ascii() {
                steps.push((at + char.len_utf8(), units));
            }
        }
        Units { steps }
    }

    fn at(&self, byte: u32) -> usize {
        let byte = byte as usize;
        let passed = self.steps.partition_point(|(end, _)| *end <= byte);
        match passed.checked_sub(1).map(|last| self.steps[last]) {
            Some((end, units)) => units + (byte - end),
            None => byte,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_utf16_units() {
        let units = Units::new("aé𝄞b");
        assert_eq!([0, 1, 3, 7, 8].map(|byte| units.at(byte)), [0, 1, 2, 4, 5]);
    }
}
