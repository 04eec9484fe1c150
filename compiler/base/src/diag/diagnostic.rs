//! [`Diagnostic`]: one message about the program, and [`Diags`]: all messages of one compilation.

use super::codes::Code;
use crate::span::Span;

/// How serious a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The program is refused, or stops.
    Error,
    /// The program runs, but probably not as intended.
    Warning,
    /// Information only.
    Note,
    /// A broken internal invariant; the rendering always asks for a report.
    Bug,
}

/// The stage of the language that refuses a program (language spec, section 0). The order counts: when several stages
/// report something, the earliest is the one that golden cases expect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// Finding and reading the main file.
    Input,
    /// Lexing and parsing.
    Parse,
    /// Checks of the tree that need no names or types.
    Init,
    /// Interpolated strings.
    Interpolate,
    /// Names and imports.
    Scope,
    /// Type inference.
    Unify,
    /// Building the function graph.
    Graph,
    /// Evaluating functions.
    Stream,
    /// Building resources from values.
    Interpret,
    /// Automatic edges.
    AutoEdge,
    /// Automatic grouping.
    AutoGroup,
    /// Checks of the fields of each resource.
    Validate,
}

impl Stage {
    /// The tag that golden cases write, such as `errSetScope`.
    pub fn tag(self) -> &'static str {
        match self {
            Stage::Input => "errInput",
            Stage::Parse => "errLexParse",
            Stage::Init => "errInit",
            Stage::Interpolate => "errInterpolate",
            Stage::Scope => "errSetScope",
            Stage::Unify => "errUnify",
            Stage::Graph => "errGraph",
            Stage::Stream => "errStream",
            Stage::Interpret => "errInterpret",
            Stage::AutoEdge => "errAutoEdge",
            Stage::AutoGroup => "errAutoGroup",
            Stage::Validate => "errValidate",
        }
    }
}

/// A place with a few words about what is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is *here*; may be empty.
    pub text: String,
}

/// A suggested change of the program's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The text to replace; empty to insert.
    pub span: Span,
    /// The new text.
    pub replacement: String,
    /// What the change does, for a menu: "rename to `$color`".
    pub title: String,
}

/// One message to the user about their program.
///
/// Words: lower case, no full stop, one sentence; user words in backticks. The message says what is wrong, the labels
/// what is here, the help what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The code, or [`codes::BUG`](super::codes::BUG).
    pub code: Code,
    /// How serious it is.
    pub severity: Severity,
    /// The stage that found it.
    pub stage: Stage,
    /// What is wrong, without a full stop.
    pub message: String,
    /// The place to look at first. `None` only when no place in any file is to blame.
    pub primary: Option<Label>,
    /// The place that the reference implementation reports, if a reader should look elsewhere first.
    pub reference: Option<Span>,
    /// Further places that explain the message.
    pub secondary: Vec<Label>,
    /// Background information, one line each, such as the wording of the reference.
    pub notes: Vec<String>,
    /// What the user can do, one line each.
    pub help: Vec<String>,
    /// Suggested edits, independent of each other.
    pub edits: Vec<Edit>,
}

impl Diagnostic {
    /// An error without a place yet: see [`at`](Diagnostic::at).
    pub fn error(code: Code, stage: Stage, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            stage,
            message: message.into(),
            primary: None,
            reference: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            edits: Vec::new(),
        }
    }

    /// A warning without a place yet.
    pub fn warning(code: Code, stage: Stage, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, stage, message) }
    }

    /// Sets the primary place.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.primary = Some(Label { span, text: text.into() });
        self
    }

    /// Sets the place that the reference implementation reports.
    pub fn reported_at(mut self, span: Span) -> Diagnostic {
        self.reference = Some(span);
        self
    }

    /// The place that golden cases compare.
    pub fn judged_span(&self) -> Option<Span> {
        self.reference.or(self.primary.as_ref().map(|label| label.span))
    }

    /// Adds a second place that explains.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds a line of background.
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Adds a line on what to do.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(text.into());
        self
    }

    /// Adds a suggested change.
    pub fn edit(mut self, span: Span, replacement: impl Into<String>, title: impl Into<String>) -> Diagnostic {
        self.edits.push(Edit { span, replacement: replacement.into(), title: title.into() });
        self
    }

    /// Whether it is an error; a bug counts as one.
    pub fn is_error(&self) -> bool {
        matches!(self.severity, Severity::Error | Severity::Bug)
    }
}

const AND_MORE: &str = "too many diagnostics: only the first 1,000 are shown";

/// All diagnostics of one compilation, in the order in which they were found.
///
/// Within a stage this is the language's own order (language spec, section 0), so that the first error of the earliest
/// stage is the one that the existing implementation reports.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Diags {
    list: Vec<Diagnostic>,
}

/// The maximum number of diagnostics that are kept. A reader needs no more, and each has to be carried and shown.
const MAX_DIAGNOSTICS: usize = 1_000;

impl FromIterator<Diagnostic> for Diags {
    fn from_iter<T: IntoIterator<Item = Diagnostic>>(all: T) -> Diags {
        let mut diags = Diags::default();
        all.into_iter().for_each(|diagnostic| diags.push(diagnostic));
        diags
    }
}

impl Diags {
    /// Adds a diagnostic. Those beyond the limit are dropped, and the last one that is kept gets a help line that says
    /// so.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < MAX_DIAGNOSTICS {
            self.list.push(diagnostic);
        } else if self.list.len() == MAX_DIAGNOSTICS
            && let Some(last) = self.list.last_mut()
            && !last.help.iter().any(|help| help == AND_MORE)
        {
            last.help.push(AND_MORE.to_owned());
        }
    }

    /// Adds a diagnostic unless it was added before: a class that is included several times causes the same ones each
    /// time.
    pub fn push_new(&mut self, diagnostic: Diagnostic) {
        if !self.list.contains(&diagnostic) {
            self.push(diagnostic);
        }
    }

    /// Appends all diagnostics of another compilation stage.
    pub fn extend(&mut self, other: Diags) {
        other.list.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    /// The diagnostics in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// The diagnostics as a reader expects them: those about syntax and names of a file from top to bottom. The language
    /// finds them stage by stage, and names in the order of its walk.
    pub fn for_reader(&self) -> Vec<&Diagnostic> {
        let span = |one: &Diagnostic| one.primary.as_ref().map(|label| label.span);
        // The one that says that there are more stays the last.
        let is_end = |one: &Diagnostic| one.help.iter().any(|help| help == AND_MORE);
        let early = |one: &Diagnostic| one.is_error() && one.stage <= Stage::Scope && !is_end(one);
        let file = |one: &Diagnostic| span(one).map(|span| span.file);
        let mut all: Vec<&Diagnostic> = self.list.iter().collect();
        for of_file in all.chunk_by_mut(|one, other| early(one) && early(other) && file(one) == file(other)) {
            of_file.sort_by_cached_key(|one| span(one).map_or(0, Span::in_file));
        }
        all
    }

    /// The diagnostics in order.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Diagnostic> {
        self.list.iter_mut()
    }

    /// The number of diagnostics.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether any is an error or a bug.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(Diagnostic::is_error)
    }

    /// The error that the existing implementation would report: the first of the earliest stage.
    pub fn first_error(&self) -> Option<&Diagnostic> {
        self.list.iter().filter(|diagnostic| diagnostic.is_error()).min_by_key(|diagnostic| diagnostic.stage)
    }

    /// The diagnostics as a vector, in order.
    pub fn into_vec(self) -> Vec<Diagnostic> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::codes;
    use crate::span::FileId;

    fn at(stage: Stage, file: u32, start: usize) -> Diagnostic {
        let error = Diagnostic::error(codes::BUG, stage, start.to_string());
        error.at(Span::new(FileId(file), start, start + 1), "here")
    }

    #[test]
    fn errors_of_syntax_and_names_are_read_from_top_to_bottom_of_each_file() {
        let early = [(Stage::Scope, 0, 9), (Stage::Parse, 0, 3), (Stage::Scope, 1, 5), (Stage::Scope, 1, 4)];
        let late = [(Stage::Unify, 1, 8), (Stage::Unify, 1, 2)];
        let diags: Diags = early.into_iter().chain(late).map(|(stage, file, start)| at(stage, file, start)).collect();
        let read: Vec<&str> = diags.for_reader().into_iter().map(|one| one.message.as_str()).collect();
        assert_eq!(read, ["3", "9", "4", "5", "8", "2"]);
    }

    #[test]
    fn the_last_of_too_many_says_so() {
        let diags: Diags = (0..=MAX_DIAGNOSTICS).rev().map(|start| at(Stage::Scope, 0, start)).collect();
        let read = diags.for_reader();
        assert_eq!((read.len(), read[0].message.as_str()), (MAX_DIAGNOSTICS, "2"));
        assert_eq!(read[MAX_DIAGNOSTICS - 1].help, [AND_MORE]);
    }
}
