//! The shapes in which questions and answers cross.

use serde::{Deserialize, Serialize};

/// A question about a file of the program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Query {
    /// Absolute in the program's own tree: `/main.mcl`.
    pub file: String,
    #[serde(default)]
    pub units: Units,
    #[serde(flatten)]
    pub service: Service,
}

/// What offsets count.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Units {
    #[default]
    Utf8,
    Utf16,
}

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "ask", rename_all = "lowercase")]
pub enum Service {
    /// The tokens between two offsets.
    Tokens { from: u32, to: u32 },
    /// What there is to say about the thing here.
    Hover { at: At },
    /// What could be typed here.
    Completion { at: At },
    /// The parameters of the call around here.
    Signature { at: At },
    /// Where the thing here is defined.
    Definition { at: At },
    /// Every place that means the thing here.
    Uses { at: At },
    /// The name here, if it can be another one.
    Renamable { at: At },
    /// The edits that give the thing here another name.
    Rename { at: At, name: String },
    /// What the file defines and declares.
    Symbols,
}

/// A place in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum At {
    Offset(u32),
    LineCol { line: u32, col: u32 },
}

/// The answer, by the service that gives it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    Tokens(Vec<Token>),
    Hover(Option<Hover>),
    Completion(Completion),
    Signature(Option<Signature>),
    /// A definition, or uses.
    Places(Vec<Range>),
    Renamable(Option<Renamable>),
    Edits(Vec<Edit>),
    /// Why a renaming cannot be: a sentence without a full stop.
    Refused(String),
    Symbols(Vec<Symbol>),
}

/// A stretch of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Range {
    pub file: String,
    pub from: u32,
    pub to: u32,
    /// Where it begins, for people.
    pub line: u32,
    pub col: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Token {
    pub from: u32,
    pub to: u32,
    /// `keyword`, `variable`, `function`, …
    pub is: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub defines: bool,
    /// Comes with the language.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub core: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unused: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hover {
    pub range: Range,
    /// Lines in the language's own notation.
    pub head: Vec<String>,
    /// Markdown; may be empty.
    pub doc: String,
    /// What it is at the moment, while the program runs; one for each copy.
    pub values: Vec<String>,
    /// The manual's page on it.
    pub page: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Completion {
    /// What is typed already, and is replaced.
    pub replace: Range,
    pub candidates: Vec<Candidate>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Candidate {
    pub label: String,
    /// `variable`, `function`, `field`, …
    pub kind: String,
    pub detail: String,
    /// Markdown.
    pub doc: String,
    /// What is inserted where it is not the label; `#{name}` is a place to fill in.
    pub template: Option<String>,
    /// What else is changed, such as an import.
    pub edits: Vec<Edit>,
    /// Higher comes first.
    pub rank: i8,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Signature {
    pub forms: Vec<Form>,
    /// The number of the argument, from 0.
    pub active: usize,
    pub doc: String,
    /// Where the call's parenthesis opens.
    pub paren: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Form {
    pub label: String,
    /// The parameters in the label, which is ASCII but for names of people's own.
    pub params: Vec<(u32, u32)>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Renamable {
    pub range: Range,
    pub name: String,
}

/// Replaces what the range covers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Edit {
    pub range: Range,
    pub text: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Symbol {
    pub name: String,
    /// `variable`, `function`, `class`, `resource`, …
    pub kind: String,
    /// The whole statement.
    pub range: Range,
    /// Where its name stands.
    pub name_range: Range,
    /// How many others it is in.
    pub depth: u32,
}
