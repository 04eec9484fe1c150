//! Diagnostics with positions as people count them.

use super::VERSION;
use crate::diag;
use crate::excerpt::{LONGEST_TOLD, excerpt};
use crate::source::Sources;
use crate::span::Span;
use serde::{Deserialize, Serialize};

/// A place in a program file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    /// The path as the user wrote it; if they did not, absolute in the program's own tree: `/main.mcl`.
    pub file: String,
    /// First byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    /// Line of the first byte, from 1.
    pub start_line: u32,
    /// Column of the first byte, from 1, in code points.
    pub start_col: u32,
    /// Line of the end, from 1.
    pub end_line: u32,
    /// Column of the end, from 1, in code points.
    pub end_col: u32,
}

impl Place {
    /// The place of a span.
    pub fn of(sources: &Sources, span: Span) -> Place {
        let source = sources.get(span.file);
        let (from, to) = (source.line_col(span.start), source.line_col(span.end));
        Place {
            file: source.path.clone(),
            start: span.start,
            end: span.end,
            start_line: from.line,
            start_col: from.col,
            end_line: to.line,
            end_col: to.col,
        }
    }
}

/// All diagnostics of one compilation.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnostics {
    /// The version of this format.
    pub version: u32,
    /// The diagnostics in order.
    pub diagnostics: Vec<Diagnostic>,
}

/// One message about the program. See [`diag::Diagnostic`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnostic {
    /// `E0301`; `mclive explain` and the playground show its page.
    pub code: String,
    /// How serious it is.
    pub severity: Severity,
    /// The stage that reports it, such as `errSetScope`.
    pub stage: String,
    /// What is wrong, without a full stop.
    pub message: String,
    /// The place to look at first.
    pub primary: Option<Label>,
    /// Other places that explain the message.
    pub secondary: Vec<Label>,
    /// Additional information, one line each.
    #[serde(default)]
    pub notes: Vec<String>,
    /// What the user can do, one line each.
    pub help: Vec<String>,
    /// Suggested changes; each can be applied without the others.
    pub edits: Vec<Edit>,
}

/// How serious a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The program is refused, or stops.
    Error,
    /// The program runs, but probably not as intended.
    Warning,
    /// Information only.
    Note,
    /// A broken internal invariant of mclive.
    Bug,
}

/// A place with a short label.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Label {
    /// The place.
    pub place: Place,
    /// What is at this place; may be empty.
    pub text: String,
}

/// Replaces what the place covers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Edit {
    /// The text to replace; empty to insert.
    pub place: Place,
    /// The new text.
    pub replacement: String,
    /// What the edit does, for a menu.
    pub title: String,
}

impl Diagnostics {
    /// The diagnostics with their places resolved.
    pub fn of(sources: &Sources, diags: &diag::Diags) -> Diagnostics {
        let diagnostics = diags.for_reader().into_iter().map(|one| Diagnostic::of(sources, one)).collect();
        Diagnostics { version: VERSION, diagnostics }
    }
}

impl Diagnostics {
    /// The same diagnostics with other file names.
    pub fn named(mut self, name: impl Fn(&str) -> String) -> Diagnostics {
        for one in &mut self.diagnostics {
            let labels = one.primary.iter_mut().chain(&mut one.secondary).map(|label| &mut label.place);
            let places = labels.chain(one.edits.iter_mut().map(|edit| &mut edit.place));
            places.for_each(|place| place.file = name(&place.file));
        }
        self
    }
}

impl Diagnostic {
    /// One diagnostic with its places resolved.
    pub fn of(sources: &Sources, one: &diag::Diagnostic) -> Diagnostic {
        // A message may quote a value of any length.
        let told = |text: &String| excerpt(text.clone(), LONGEST_TOLD);
        let label = |label: &diag::Label| Label { place: Place::of(sources, label.span), text: told(&label.text) };
        let edit = |edit: &diag::Edit| Edit {
            place: Place::of(sources, edit.span),
            replacement: edit.replacement.clone(),
            title: edit.title.clone(),
        };
        Diagnostic {
            code: one.code.to_string(),
            severity: match one.severity {
                diag::Severity::Error => Severity::Error,
                diag::Severity::Warning => Severity::Warning,
                diag::Severity::Note => Severity::Note,
                diag::Severity::Bug => Severity::Bug,
            },
            stage: one.stage.tag().to_owned(),
            message: told(&one.message),
            primary: one.primary.as_ref().map(label),
            secondary: one.secondary.iter().map(label).collect(),
            notes: one.notes.iter().map(told).collect(),
            help: one.help.iter().map(told).collect(),
            edits: one.edits.iter().map(edit).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;
    use crate::span::FileId;

    #[test]
    fn places_count_code_points() {
        let mut sources = Sources::default();
        let file = sources.add(Source::new("/main.mcl", "é = 1\nb".as_bytes()));
        let place = Place::of(&sources, Span::new(file, 3, 8));
        assert_eq!((place.start_line, place.start_col), (1, 3));
        assert_eq!((place.end_line, place.end_col), (2, 2));
        assert_eq!(file, FileId(0));
    }
}
