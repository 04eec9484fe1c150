//! Diagnostics for the editor: offsets in UTF-16 units of the text.

use super::program::{File, Program};
use mclive_base::shapes;
use serde::Serialize;

/// A squiggle with its message.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Problem {
    /// The start.
    pub from: usize,
    /// The end, exclusive.
    pub to: usize,
    /// The editor's severity: `error`, `warning`, `info`.
    pub severity: &'static str,
    /// The code.
    pub code: String,
    /// The message.
    pub message: String,
    /// The label; may be empty.
    pub note: String,
    /// Lines of help.
    pub help: Vec<String>,
    /// Suggested edits.
    pub edits: Vec<ProblemEdit>,
}

/// A suggested edit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProblemEdit {
    /// The start.
    pub from: usize,
    /// The end, exclusive.
    pub to: usize,
    /// The new text.
    pub insert: String,
    /// The text in the menu.
    pub title: String,
}

/// The file in which a diagnostic is shown: one that is in no file is shown in the first.
pub fn file_of(program: &Program, diagnostic: &shapes::Diagnostic) -> usize {
    let place = diagnostic.primary.as_ref().map(|label| &label.place);
    place.and_then(|place| program.files().iter().position(|file| is_in(file, place))).unwrap_or(0)
}

fn is_in(file: &File, place: &shapes::Place) -> bool {
    place.file.strip_prefix('/') == Some(&*file.name)
}

/// The squiggles of the file in the editor. A diagnostic in no file of the program is shown at the start of the first.
pub fn problems(program: &Program, diagnostics: &[shapes::Diagnostic]) -> Vec<Problem> {
    let file = program.shown();
    let units = Units::new(&file.text);
    let span = |place: &shapes::Place| match is_in(file, place) {
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
        help.extend(one.notes.iter().cloned());
        help.extend(one.secondary.iter().filter(|label| !label.text.is_empty()).map(|label| {
            match is_in(file, &label.place) {
                true => format!("line {}: {}", label.place.start_line, label.text),
                false => format!("{}:{}: {}", label.place.file, label.place.start_line, label.text),
            }
        }));
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
            edits: one.edits.iter().filter(|edit| is_in(file, &edit.place)).map(edit).collect(),
        }
    };
    diagnostics.iter().filter(|one| file_of(program, one) == program.shown_index()).map(problem).collect()
}

/// The name of the file of a suggested edit and its text afterwards; `None` if none of the diagnostics suggests it.
pub fn fixed(program: &Program, diagnostics: &[shapes::Diagnostic], edit: &shapes::Edit) -> Option<(String, String)> {
    if !diagnostics.iter().any(|one| one.edits.contains(edit)) {
        return None;
    }
    let file = program.files().iter().find(|file| is_in(file, &edit.place))?;
    let before = file.text.get(..edit.place.start as usize)?;
    let after = file.text.get(edit.place.end as usize..)?;
    Some((file.name.to_string(), format!("{before}{}{after}", edit.replacement)))
}

/// A place of a file in UTF-16 units; `None` for a place in another file.
pub fn range_in(file: &File, place: &shapes::Place) -> Option<(usize, usize)> {
    is_in(file, place).then(|| {
        let units = Units::new(&file.text);
        (units.at(place.start), units.at(place.end))
    })
}

/// Converts bytes to UTF-16 units, by the places where they diverge.
struct Units {
    /// After each non-ASCII character: its end in bytes and in units. Ascending.
    steps: Vec<(usize, usize)>,
}

impl Units {
    fn new(text: &str) -> Units {
        // Most programs are, and each key asks for the units.
        if text.is_ascii() {
            return Units { steps: Vec::new() };
        }
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
        assert_eq!([0, 1, 2].map(|byte| Units::new("ab").at(byte)), [0, 1, 2]);
    }
}
