//! The crossing shapes: diagnostics, both graphs and the simulated host as versioned JSON.
//!
//! In: the crate's own types. Out: plain serialisable data, and its text by [`to_json`], byte for
//! byte the same natively, in the component and in the browser. The published schemas in
//! `compiler/schema/` are generated from these types; a test keeps them equal.
//!
//! Within one [`VERSION`] fields are only added. Offsets are UTF-8 bytes; lines and columns count
//! from 1, columns in code points.

use crate::diag;
use crate::source::Sources;
use crate::span::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of every shape here; it rises when a field changes its meaning or goes.
pub const VERSION: u32 = 1;

/// A place in a program file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Absolute in the program's own tree: `/main.mcl`.
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
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Diagnostics {
    pub version: u32,
    pub diagnostics: Vec<Diagnostic>,
}

/// One thing said about the program. See [`diag::Diagnostic`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
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

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Note,
    Bug,
}

/// A place with a few words about what is there; they may be empty.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Label {
    pub place: Place,
    pub text: String,
}

/// Replaces what the place covers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
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

impl Diagnostic {
    pub fn of(sources: &Sources, one: &diag::Diagnostic) -> Diagnostic {
        let label = |label: &diag::Label| Label { place: Place::of(sources, label.span), text: label.text.clone() };
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
            message: one.message.clone(),
            primary: one.primary.as_ref().map(label),
            secondary: one.secondary.iter().map(label).collect(),
            help: one.help.clone(),
            edits: one.edits.iter().map(edit).collect(),
        }
    }
}

/// The function graph: vertices compute values, an edge carries one into named arguments.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FunctionGraph {
    pub version: u32,
    /// In the order in which they were built.
    pub vertices: Vec<FunctionVertex>,
    /// Sorted by `from`, then `to`; both are places in `vertices`.
    pub edges: Vec<FunctionEdge>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FunctionVertex {
    /// As the language spec prints it (10.1).
    pub label: String,
    /// Its type in the language's syntax; `None` where it has none, such as the output.
    #[serde(rename = "type")]
    pub ty: Option<String>,
    /// Where it comes from; `None` for what no text stands for.
    pub place: Option<Place>,
}

impl FunctionVertex {
    /// Is its value that of the expression at its place? Vertices that steer give a mere signal beside the
    /// vertex with the result, and a function's own value tells nothing that its type does not.
    pub fn tells_value(&self) -> bool {
        !matches!(&*self.label, "call" | "exprif" | "exprexcept" | "stmtif" | "for" | "forkv" | "FuncValue" | "gone")
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FunctionEdge {
    pub from: u32,
    pub to: u32,
    /// The edge's name: the arguments it feeds, as printed.
    pub label: String,
}

/// The resource graph: vertices are resources, an edge means "settle first".
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResourceGraph {
    pub version: u32,
    /// In program order.
    pub vertices: Vec<ResourceVertex>,
    /// Sorted by `from`, then `to`; both are places in `vertices`.
    pub edges: Vec<ResourceEdge>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResourceVertex {
    pub kind: String,
    pub name: String,
    /// The fields that are set, in the order of the kind's declaration.
    pub fields: Vec<Field>,
    /// The meta parameters that differ from their defaults.
    pub meta: Vec<Field>,
    /// The resources grouped into this one, as `kind[name]`.
    pub grouped: Vec<String>,
    pub place: Option<Place>,
}

impl ResourceVertex {
    /// `kind[name]`.
    pub fn id(&self) -> String {
        format!("{}[{}]", self.kind, self.name)
    }
}

/// A named value in the language's notation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Field {
    pub name: String,
    pub value: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResourceEdge {
    pub from: u32,
    pub to: u32,
    /// As golden cases print it.
    pub label: String,
    /// Does success at `from` refresh `to`?
    pub notify: bool,
    /// Values sent along it, as (sent field, received field).
    pub sends: Vec<(String, String)>,
}

/// The JSON text of one of these shapes, without line ends: the one spelling for all faces.
pub fn to_json<T: Serialize>(shape: &T) -> String {
    // These shapes hold strings, numbers and lists only; none of them can fail to be written.
    serde_json::to_string(shape).expect("a crossing shape is plain data")
}

/// Every published schema: its file's name and its text.
pub fn schemas() -> Vec<(&'static str, String)> {
    fn text<T: JsonSchema>() -> String {
        serde_json::to_string_pretty(&schemars::schema_for!(T)).expect("a schema is plain data") + "\n"
    }
    vec![
        ("diagnostics.json", text::<Diagnostics>()),
        ("editor-answer.json", text::<super::editor::Answer>()),
        ("editor-query.json", text::<super::editor::Query>()),
        ("function-graph.json", text::<FunctionGraph>()),
        ("resource-graph.json", text::<ResourceGraph>()),
    ]
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

    /// The published schemas are what the types say. `MCLIVE_BLESS=1` rewrites them.
    #[test]
    fn schemas_are_published() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schema");
        for (name, text) in schemas() {
            let file = folder.join(name);
            if std::env::var_os("MCLIVE_BLESS").is_some() {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(&file, &text).unwrap();
            }
            let published = std::fs::read_to_string(&file).unwrap_or_default();
            assert_eq!(published, text, "compiler/schema/{name} is stale; run this test with MCLIVE_BLESS=1");
        }
    }
}
