//! What a compilation said, with places as people count them.

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
    /// As the user named it; where nobody did, absolute in the program's own tree: `/main.mcl`.
    pub file: String,
    /// Byte offsets, half-open.
    pub start: u32,
    pub end: u32,
    pub start_line: u32,
    pub start_col: u32,
    pub end_line: u32,
    pub end_col: u32,
}

impl Place {
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

/// All that one compilation said.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnostics {
    pub version: u32,
    pub diagnostics: Vec<Diagnostic>,
}

/// One thing said about the program. See [`diag::Diagnostic`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnostic {
    /// `E0301`; `mclive explain` and the playground show its page.
    pub code: String,
    pub severity: Severity,
    /// The stage that refuses: `errSetScope`.
    pub stage: String,
    pub message: String,
    /// The place to look at first.
    pub primary: Option<Label>,
    pub secondary: Vec<Label>,
    pub help: Vec<String>,
    /// Suggested changes, each complete in itself.
    pub edits: Vec<Edit>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Note,
    Bug,
}

/// A place with a few words about what is there; they may be empty.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Label {
    pub place: Place,
    pub text: String,
}

/// Replaces what the place covers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Edit {
    pub place: Place,
    pub replacement: String,
    pub title: String,
}

impl Diagnostics {
    pub fn of(sources: &Sources, diags: &diag::Diags) -> Diagnostics {
        Diagnostics { version: VERSION, diagnostics: diags.iter().map(|one| Diagnostic::of(sources, one)).collect() }
    }
}

impl Diagnostics {
    /// The same with other names of files.
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
