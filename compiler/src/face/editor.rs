//! What an editor asks and is told, as it crosses: one question, one answer, both JSON.
//!
//! Offsets are in the unit that the question names: UTF-8 bytes, or the UTF-16 units of JavaScript and
//! of editors. A place may also be a line and a column (from 1, in code points), as compilers print it.

use crate::editor::{self, Analysis, FrontEnd, Position};
use crate::source::{MemoryWorld, Source};
use crate::span::{FileId, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A question about a file of the program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Query {
    /// Absolute in the program's own tree: `/main.mcl`.
    pub file: String,
    #[serde(default)]
    pub units: Units,
    #[serde(flatten)]
    pub service: Service,
}

/// What offsets count.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Units {
    #[default]
    Utf8,
    Utf16,
}

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum At {
    Offset(u32),
    LineCol { line: u32, col: u32 },
}

/// The answer, by the service that gives it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Range {
    pub file: String,
    pub from: u32,
    pub to: u32,
    /// Where it begins, for people.
    pub line: u32,
    pub col: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
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

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
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

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Completion {
    /// What is typed already, and is replaced.
    pub replace: Range,
    pub candidates: Vec<Candidate>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
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

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Signature {
    pub forms: Vec<Form>,
    /// The number of the argument, from 0.
    pub active: usize,
    pub doc: String,
    /// Where the call's parenthesis opens.
    pub paren: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Form {
    pub label: String,
    /// The parameters in the label, which is ASCII but for names of people's own.
    pub params: Vec<(u32, u32)>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Renamable {
    pub range: Range,
    pub name: String,
}

/// Replaces what the range covers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Edit {
    pub range: Range,
    pub text: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
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

/// Answers a question that is JSON text, by an analysis of its own. Errors: why it cannot be read.
pub fn answer_text(world: MemoryWorld, entry: &str, hostname: &str, query: &str) -> Result<String, String> {
    let query: Query = serde_json::from_str(query).map_err(|error| format!("not a question: {error}"))?;
    let analysis = Analysis::new(world, entry, hostname);
    answer(&analysis, &query, &|_| Vec::new()).map(|answer| super::dto::to_json(&answer))
}

/// Answers a question. `values` tells what the expressions at a place are at the moment. Errors: the file
/// is not part of the program.
pub fn answer(analysis: &Analysis, query: &Query, values: &dyn Fn(Span) -> Vec<String>) -> Result<Answer, String> {
    let Some(file) = analysis.file(&query.file) else {
        return Err(format!("`{}` is not part of the program", query.file));
    };
    let mut scales = Scales { analysis, units: query.units, scales: BTreeMap::new() };
    let source = analysis.sources().get(file);
    let position = |scales: &mut Scales<'_>, at: At| Position { file, offset: scales.offset(file, source, at) };
    Ok(match &query.service {
        Service::Tokens { from, to } => {
            let (start, end) = (scales.byte(file, *from), scales.byte(file, *to));
            let tokens = analysis.tokens(Span { file, start, end });
            Answer::Tokens(tokens.into_iter().map(|token| scales.token(token)).collect())
        }
        Service::Hover { at } => {
            let at = position(&mut scales, *at);
            Answer::Hover(analysis.hover(at).map(|hover| {
                let mut now: Vec<String> = Vec::new();
                for value in hover.values.iter().flat_map(|span| values(*span)) {
                    if !now.contains(&value) {
                        now.push(value);
                    }
                }
                let (head, doc, page) = (hover.head, hover.doc, hover.page);
                Hover { range: scales.range(hover.span), head, doc, values: now, page }
            }))
        }
        Service::Completion { at } => {
            let at = position(&mut scales, *at);
            let found = analysis.complete(at);
            let candidates = found.candidates.into_iter().map(|candidate| scales.candidate(candidate)).collect();
            Answer::Completion(Completion { replace: scales.range(found.replace), candidates })
        }
        Service::Signature { at } => {
            let at = position(&mut scales, *at);
            Answer::Signature(analysis.signature(at).map(|help| Signature {
                paren: scales.unit(file, help.paren),
                forms: help.forms.into_iter().map(|form| Form { label: form.label, params: form.params }).collect(),
                active: help.active,
                doc: help.doc,
            }))
        }
        Service::Definition { at } => {
            let at = position(&mut scales, *at);
            Answer::Places(analysis.definition(at).into_iter().map(|span| scales.range(span)).collect())
        }
        Service::Uses { at } => {
            let at = position(&mut scales, *at);
            Answer::Places(analysis.uses(at).into_iter().map(|span| scales.range(span)).collect())
        }
        Service::Renamable { at } => {
            let at = position(&mut scales, *at);
            let found = analysis.renamable(at);
            Answer::Renamable(found.map(|(span, name)| Renamable { range: scales.range(span), name }))
        }
        Service::Rename { at, name } => {
            let at = position(&mut scales, *at);
            match analysis.rename(at, name) {
                Ok(edits) => Answer::Edits(edits.into_iter().map(|edit| scales.edit(edit)).collect()),
                Err(refused) => Answer::Refused(refused.0),
            }
        }
        Service::Symbols => {
            Answer::Symbols(analysis.symbols(file).into_iter().map(|symbol| scales.symbol(symbol)).collect())
        }
    })
}

/// Bytes to the asked unit and back, for each file that an answer is about.
struct Scales<'a> {
    analysis: &'a Analysis,
    units: Units,
    scales: BTreeMap<FileId, Scale>,
}

impl Scales<'_> {
    fn scale(&mut self, file: FileId) -> &Scale {
        let text = &self.analysis.sources().get(file).text;
        self.scales.entry(file).or_insert_with(|| Scale::new(text))
    }

    fn unit(&mut self, file: FileId, byte: u32) -> u32 {
        match self.units {
            Units::Utf8 => byte,
            Units::Utf16 => self.scale(file).unit(byte),
        }
    }

    fn byte(&mut self, file: FileId, unit: u32) -> u32 {
        match self.units {
            Units::Utf8 => unit,
            Units::Utf16 => self.scale(file).byte(unit),
        }
    }

    fn offset(&mut self, file: FileId, source: &Source, at: At) -> u32 {
        match at {
            At::Offset(unit) => self.byte(file, unit),
            At::LineCol { line, col } => {
                let line = source.line(line.max(1));
                let start = line.as_ptr() as usize - source.text.as_ptr() as usize;
                // Behind the last line there is an empty slice from elsewhere.
                let start = if start > source.text.len() { source.text.len() } else { start };
                let text = String::from_utf8_lossy(line);
                let within: usize = text.chars().take(col.saturating_sub(1) as usize).map(char::len_utf8).sum();
                (start + within.min(line.len())) as u32
            }
        }
    }

    fn range(&mut self, span: Span) -> Range {
        let place = self.analysis.sources().get(span.file);
        let at = place.line_col(span.start);
        let file = place.path.clone();
        let (from, to) = (self.unit(span.file, span.start), self.unit(span.file, span.end));
        Range { file, from, to, line: at.line, col: at.col }
    }

    fn token(&mut self, token: editor::ColouredToken) -> Token {
        Token {
            from: self.unit(token.span.file, token.span.start),
            to: self.unit(token.span.file, token.span.end),
            is: token.colour.name().to_owned(),
            defines: token.defines,
            core: token.is_core,
            unused: token.is_unused,
        }
    }

    fn edit(&mut self, edit: editor::TextEdit) -> Edit {
        Edit { range: self.range(edit.span), text: edit.text }
    }

    fn candidate(&mut self, candidate: editor::Candidate) -> Candidate {
        Candidate {
            kind: candidate.kind.name().to_owned(),
            edits: candidate.edits.into_iter().map(|edit| self.edit(edit)).collect(),
            label: candidate.label,
            detail: candidate.detail,
            doc: candidate.doc,
            template: candidate.template,
            rank: candidate.rank,
        }
    }

    fn symbol(&mut self, symbol: editor::Symbol) -> Symbol {
        Symbol {
            kind: symbol.kind.name().to_owned(),
            range: self.range(symbol.span),
            name_range: self.range(symbol.name_span),
            name: symbol.name,
            depth: symbol.depth,
        }
    }
}

/// Where bytes and UTF-16 units of a text part: after each character that is not ASCII, its end in both.
struct Scale {
    steps: Vec<(u32, u32)>,
}

impl Scale {
    fn new(text: &[u8]) -> Scale {
        let (mut bytes, mut units) = (0, 0);
        let mut steps = Vec::new();
        for chunk in text.utf8_chunks() {
            for c in chunk.valid().chars() {
                bytes += c.len_utf8() as u32;
                units += c.len_utf16() as u32;
                if !c.is_ascii() {
                    steps.push((bytes, units));
                }
            }
            // What is no UTF-8 came as one replacement character.
            if !chunk.invalid().is_empty() {
                bytes += chunk.invalid().len() as u32;
                units += 1;
                steps.push((bytes, units));
            }
        }
        Scale { steps }
    }

    fn unit(&self, byte: u32) -> u32 {
        match self.steps.partition_point(|(end, _)| *end <= byte).checked_sub(1).map(|at| self.steps[at]) {
            Some((end, units)) => units + (byte - end),
            None => byte,
        }
    }

    fn byte(&self, unit: u32) -> u32 {
        match self.steps.partition_point(|(_, units)| *units <= unit).checked_sub(1).map(|at| self.steps[at]) {
            Some((end, units)) => end + (unit - units),
            None => unit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, query: &str, expect: &str) {
        let told = answer_text(MemoryWorld::single(text), "/main.mcl", "host1", query).unwrap();
        assert!(told.contains(expect), "{query}\n{told}");
    }

    #[test]
    fn questions_and_answers_are_json() {
        let text = "$a = 1\n";
        check(
            "$a = 1\n$b = $a\n",
            r#"{"file":"/main.mcl","ask":"hover","at":{"line":2,"col":7}}"#,
            r#""head":["$a int"]"#,
        );
        check(
            "$a = 1\n$b = $a\n",
            r#"{"file":"/main.mcl","ask":"definition","at":13}"#,
            r#"{"places":[{"file":"/main.mcl","from":0,"to":2,"line":1,"col":1}]}"#,
        );
        check("$a = 1\n", r#"{"file":"/main.mcl","ask":"rename","at":1,"name":"if"}"#, r#"{"refused":"#);
        check(text, r#"{"file":"/main.mcl","ask":"symbols"}"#, r#"{"symbols":["#);
        check(
            "print \"é\" {}\n",
            r#"{"file":"/main.mcl","units":"utf16","ask":"tokens","from":0,"to":99}"#,
            r#"{"from":6,"to":9,"is":"string"}"#,
        );
    }

    #[test]
    fn what_is_no_question_is_refused() {
        let refused =
            |query: &str| answer_text(MemoryWorld::single("$a = 1\n"), "/main.mcl", "host1", query).unwrap_err();
        assert!(refused("{").starts_with("not a question"));
        assert!(refused(r#"{"file":"/other.mcl","ask":"symbols"}"#).contains("not part"));
    }

    #[test]
    fn units_go_both_ways() {
        let scale = Scale::new("aé𝄞b".as_bytes());
        assert_eq!([0, 1, 3, 7, 8].map(|byte| scale.unit(byte)), [0, 1, 2, 4, 5]);
        assert_eq!([0, 1, 2, 4, 5].map(|unit| scale.byte(unit)), [0, 1, 3, 7, 8]);
    }
}
