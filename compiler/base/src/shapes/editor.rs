//! Questions of an editor, and the answers.

mod read;

use serde::{Deserialize, Serialize};

/// A question about a file of the program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Query {
    /// Absolute in the program's own tree: `/main.mcl`.
    pub file: String,
    /// The unit of all offsets in the question and its answer.
    #[serde(default)]
    pub units: Units,
    /// The question.
    #[serde(flatten)]
    pub service: Service,
}

/// The unit of offsets.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Units {
    /// Bytes of UTF-8.
    #[default]
    Utf8,
    /// UTF-16 code units, as in JavaScript.
    Utf16,
}

/// A question of an editor.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "ask", rename_all = "lowercase")]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Service {
    /// The tokens between two offsets.
    Tokens { from: u32, to: u32 },
    /// Information about the thing at a position.
    Hover { at: At },
    /// Completions at a position.
    Completion { at: At },
    /// The parameters of the call around a position.
    Signature { at: At },
    /// The definition of the thing at a position.
    Definition { at: At },
    /// Every use of the thing at a position.
    Uses { at: At },
    /// The name at a position, if it can be renamed.
    Renamable { at: At },
    /// The edits that rename the thing at a position.
    Rename { at: At, name: String },
    /// The definitions and declarations of the file.
    Symbols,
    /// The hints between two offsets: types and parameter names that the program does not state.
    Hints { from: u32, to: u32 },
}

/// A position in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum At {
    /// An offset, in the units of the query.
    Offset(u32),
    /// A line and column, both from 1.
    LineCol { line: u32, col: u32 },
}

/// The answer, by the service that gives it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// The tokens in order.
    Tokens(Vec<Token>),
    /// The information, if there is any.
    Hover(Option<Hover>),
    /// The completions.
    Completion(Completion),
    /// The call, if the position is in one.
    Signature(Option<Signature>),
    /// A definition, or uses.
    Places(Vec<Range>),
    /// The name, if it can be renamed.
    Renamable(Option<Renamable>),
    /// The edits that rename it.
    Edits(Vec<Edit>),
    /// Why it cannot be renamed: a sentence without a full stop.
    Refused(String),
    /// The symbols in order.
    Symbols(Vec<Symbol>),
    /// The hints in order.
    Hints(Vec<Hint>),
}

/// A range of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Range {
    /// The path.
    pub file: String,
    /// The start.
    pub from: u32,
    /// The end, exclusive.
    pub to: u32,
    /// The line of its start, from 1.
    pub line: u32,
    /// The column of its start, from 1.
    pub col: u32,
}

/// A token, classified for highlighting.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Token {
    /// The start.
    pub from: u32,
    /// The end, exclusive.
    pub to: u32,
    /// Its class: `keyword`, `variable`, `function`, …
    pub is: String,
    /// Whether it is a definition.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub defines: bool,
    /// Whether it is part of the standard library.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub core: bool,
    /// Whether it is an unused definition.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unused: bool,
}

/// Information about one thing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hover {
    /// The thing.
    pub range: Range,
    /// Lines in the language's own notation.
    pub head: Vec<String>,
    /// Markdown; may be empty.
    pub doc: String,
    /// Its current values in the running program, one for each copy.
    pub values: Vec<String>,
    /// The manual page, if there is one.
    pub page: Option<String>,
}

/// The completions at a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Completion {
    /// The part that is already typed, and will be replaced.
    pub replace: Range,
    /// The candidates.
    pub candidates: Vec<Candidate>,
}

/// One completion.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Candidate {
    /// The text that is shown, and inserted unless there is a `template`.
    pub label: String,
    /// `variable`, `function`, `field`, …
    pub kind: String,
    /// Its type or origin; may be empty.
    pub detail: String,
    /// Markdown.
    pub doc: String,
    /// The text to insert instead of the label; `#{name}` is a placeholder.
    pub template: Option<String>,
    /// Additional edits, such as an import.
    pub edits: Vec<Edit>,
    /// Higher ranks come first.
    pub rank: i8,
}

/// The call around a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Signature {
    /// Every form of the function.
    pub forms: Vec<Form>,
    /// The argument at the position, from 0.
    pub active: usize,
    /// Markdown; may be empty.
    pub doc: String,
    /// The offset of the call's opening parenthesis.
    pub paren: u32,
}

/// One form of a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Form {
    /// The signature as text.
    pub label: String,
    /// The range of each parameter in the label, which is ASCII except for user-defined names.
    pub params: Vec<(u32, u32)>,
}

/// A name that can be renamed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Renamable {
    /// Where it is.
    pub range: Range,
    /// The current name.
    pub name: String,
}

/// Replaces the text of a range.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Edit {
    /// The range.
    pub range: Range,
    /// The new text.
    pub text: String,
}

/// A definition or declaration of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// `variable`, `function`, `class`, `resource`, …
    pub kind: String,
    /// The whole statement.
    pub range: Range,
    /// Its name only.
    pub name_range: Range,
    /// The number of symbols around it.
    pub depth: u32,
}

/// Text to show between the characters of a file, such as a type; it is not part of the program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hint {
    /// The offset.
    pub at: u32,
    /// The text with its spaces: ` int` after a variable, `width: ` before an argument.
    pub text: String,
}
