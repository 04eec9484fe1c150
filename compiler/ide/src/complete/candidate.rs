//! Candidates for completion, and those of functions, classes and resources in detail.

use super::super::rename::TextEdit;
use crate::corelib::FnDef;
use crate::kinds::KindDecl;
use crate::manual;
use crate::span::Span;

/// The candidates at a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// The part that is already typed, and will be replaced.
    pub replace: Span,
    /// The candidates.
    pub candidates: Vec<Candidate>,
}

/// One candidate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The text that is shown.
    pub label: String,
    /// What it is.
    pub kind: CandidateKind,
    /// Its type or signature.
    pub detail: String,
    /// A description in Markdown.
    pub doc: String,
    /// The text to insert if it is not the label; `#{name}` is a placeholder.
    pub template: Option<String>,
    /// Further edits, such as an import.
    pub edits: Vec<TextEdit>,
    /// Higher ranks come first.
    pub rank: i8,
}

/// The kind of a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CandidateKind {
    /// A variable.
    Variable,
    /// A function.
    Function,
    /// A class.
    Class,
    /// A module.
    Module,
    /// A resource kind.
    Kind,
    /// A field.
    Field,
    /// A keyword.
    Keyword,
    /// A type.
    Type,
    /// A resource.
    Resource,
}

impl CandidateKind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            CandidateKind::Variable => "variable",
            CandidateKind::Function => "function",
            CandidateKind::Class => "class",
            CandidateKind::Module => "module",
            CandidateKind::Kind => "kind",
            CandidateKind::Field => "field",
            CandidateKind::Keyword => "keyword",
            CandidateKind::Type => "type",
            CandidateKind::Resource => "resource",
        }
    }
}

impl Candidate {
    pub(super) fn new(label: impl Into<String>, kind: CandidateKind) -> Candidate {
        let (detail, doc) = (String::new(), String::new());
        Candidate { label: label.into(), kind, detail, doc, template: None, edits: Vec::new(), rank: 0 }
    }

    pub(super) fn detail(self, detail: impl Into<String>) -> Candidate {
        Candidate { detail: detail.into(), ..self }
    }

    pub(super) fn doc(self, doc: impl Into<String>) -> Candidate {
        Candidate { doc: doc.into(), ..self }
    }

    pub(super) fn template(self, template: impl Into<String>) -> Candidate {
        Candidate { template: Some(template.into()), ..self }
    }

    pub(super) fn rank(self, rank: i8) -> Candidate {
        Candidate { rank, ..self }
    }
}

pub(super) fn default_alias(module: &str) -> &str {
    module.rsplit('/').next().unwrap_or(module)
}

/// `name(…)`, with placeholders for its arguments.
pub(super) fn call(name: &str, signature: &str, doc: &str) -> Candidate {
    let template = if signature.starts_with("()") { format!("{name}()") } else { format!("{name}(#{{}})") };
    Candidate::new(name, CandidateKind::Function).detail(signature).doc(doc).template(template)
}

pub(super) fn core_call(def: &'static FnDef) -> Candidate {
    let forms = manual::signatures(def);
    let first = forms.first().map_or("", |form| form.strip_prefix(def.path).unwrap_or(form));
    let more = if forms.len() > 1 { format!("{first}, …") } else { first.to_owned() };
    let candidate = call(def.name(), first, manual::first_sentence(def.doc));
    candidate.detail(more)
}

pub(super) fn class(name: &str, head: &str, doc: String) -> Candidate {
    let has_params = head.contains('$');
    let template = if has_params { format!("{name}(#{{}})") } else { name.to_owned() };
    let detail = head.strip_prefix(name).unwrap_or_default();
    Candidate::new(name, CandidateKind::Class).detail(detail).doc(doc).template(template)
}

/// A resource with its required fields.
pub(super) fn resource_template(decl: &KindDecl) -> String {
    let required: Vec<&str> = decl.fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut template = format!("{} \"#{{name}}\" {{\n", decl.name);
    for field in &required {
        template.push_str(&format!("\t{field} => #{{}},\n"));
    }
    if required.is_empty() {
        template.push_str("\t#{}\n");
    }
    template + "}"
}
