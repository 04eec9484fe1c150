//! Renaming in all files.
//!
//! The edits are tried before they are returned: the program must still mean the same, and each use must still refer to
//! the same definition. So no clash is overlooked, however names shadow each other.

use super::Position;
use super::analysis::Analysis;
use super::marks::{Mark, Role};
use super::navigate::{self, Target};
use crate::diag::Stage;
use crate::lex::TokenKind;
use crate::scope::linked::Use;
use crate::sort;
use crate::source::MemoryWorld;
use crate::span::{FileId, Span};

/// Replaces the text of a span.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TextEdit {
    /// The span.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// Why something cannot be renamed: a sentence without a full stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused(pub String);

fn refuse<T>(why: impl Into<String>) -> Result<T, Refused> {
    Err(Refused(why.into()))
}

pub(super) fn renamable(analysis: &Analysis, at: Position) -> Option<(Span, String)> {
    let mark = analysis.mark_at(at)?;
    let span = match navigate::target(analysis, at)? {
        Target::Name(definition) => {
            is_own(analysis, definition.file).then_some(())?;
            last_chunk(analysis, mark.span)
        }
        Target::Alias(_) => match mark.role {
            Role::Alias => mark.span,
            _ => navigate::alias_chunk(analysis, mark)?.1,
        },
        Target::File(_) | Target::Resource(..) => return None,
    };
    Some((span, analysis.text(span)))
}

pub(super) fn rename(analysis: &Analysis, at: Position, name: &str) -> Result<Vec<TextEdit>, Refused> {
    let Some(target) = navigate::target(analysis, at) else { return refuse(why_not(analysis, at)) };
    if analysis.diags().iter().any(|said| said.is_error() && said.stage == Stage::Parse) {
        return refuse("fix the syntax errors first: names in lines with errors would be missed");
    }
    let is_variable = matches!(&target, Target::Name(span) if analysis.text(*span).starts_with('$'));
    check_name(name, is_variable)?;
    let mut spans = match target {
        Target::Name(definition) if !is_own(analysis, definition.file) => {
            return refuse("it is defined in a built-in module");
        }
        Target::Name(definition) => named(analysis, definition),
        Target::Alias(stmt) => {
            let mut spans = navigate::alias_uses(analysis, stmt);
            match alias_of(analysis, stmt) {
                Some(span) => spans.push(span),
                // The alias was derived from the path: write it from now on.
                None => return tried(analysis, made_alias(spans, stmt, name), name),
            }
            spans
        }
        Target::File(_) | Target::Resource(..) => return refuse(why_not(analysis, at)),
    };
    sort::items(&mut spans);
    spans.dedup();
    let edits = spans.into_iter().map(|span| TextEdit { span, text: name.to_owned() }).collect();
    tried(analysis, edits, name)
}

fn made_alias(spans: Vec<Span>, stmt: Span, name: &str) -> Vec<TextEdit> {
    let mut edits: Vec<TextEdit> = spans.into_iter().map(|span| TextEdit { span, text: name.to_owned() }).collect();
    edits.push(TextEdit { span: Span { start: stmt.end, ..stmt }, text: format!(" as {name}") });
    sort::items(&mut edits);
    edits
}

/// The word after `as` of an import or include.
fn alias_of(analysis: &Analysis, stmt: Span) -> Option<Span> {
    let marks = &analysis.parsed(stmt.file).marks;
    let is_it = |mark: &&Mark| mark.role == Role::Alias && mark.span.end == stmt.end && mark.span.start > stmt.start;
    marks.iter().find(is_it).map(|mark| mark.span)
}

/// The spans of the name of a definition.
fn named(analysis: &Analysis, definition: Span) -> Vec<Span> {
    let uses = analysis.linked().uses.iter().filter(|used| used.definition == definition);
    let mut spans: Vec<Span> = uses.map(|used| last_chunk(analysis, used.span)).collect();
    let own = last_chunk(analysis, definition);
    spans.push(own);
    // `class a:b` is inside `class a`.
    let name = analysis.text(own);
    let marks = &analysis.parsed(definition.file).marks;
    let is_class = marks.iter().any(|mark| mark.role == Role::ClassDef && mark.span == definition);
    let inner = marks.iter().filter(|mark| {
        is_class && mark.role == Role::ClassDef && mark.name.split_once(':').is_some_and(|(first, _)| first == name)
    });
    spans.extend(inner.map(|mark| Span { end: mark.span.start + name.len() as u32, ..mark.span }));
    spans
}

/// The last part of a name with dots or colons, without a dollar.
fn last_chunk(analysis: &Analysis, span: Span) -> Span {
    let text = analysis.text(span);
    let from = text.rfind(['.', ':', '$']).map_or(0, |at| at + 1);
    Span { start: span.start + from as u32, ..span }
}

fn is_own(analysis: &Analysis, file: FileId) -> bool {
    analysis.source(file).path.starts_with('/')
}

fn why_not(analysis: &Analysis, at: Position) -> &'static str {
    match analysis.mark_at(at).map(|mark| &mark.role) {
        Some(Role::Call) => "it is a function of the core library, or is not defined",
        Some(Role::Var { .. } | Role::CallVar) => "it is built in, or is not defined",
        Some(Role::Class) => "cannot find this class",
        Some(Role::Kind | Role::HalfKind { .. } | Role::Field { .. } | Role::SentField { .. }) => {
            "resource kinds and their fields cannot be renamed"
        }
        Some(Role::EdgeWord | Role::Meta | Role::Type | Role::Operator) => "it is a keyword",
        Some(Role::StructField | Role::FieldAccess) => {
            "fields of a struct cannot be renamed, because they are part of \
                                                        its type"
        }
        Some(Role::Import) => "the name of a module cannot be renamed",
        Some(Role::Bind | Role::Param | Role::FuncDef | Role::ClassDef | Role::Alias) | None => {
            "there is no name at this position"
        }
    }
}

fn check_name(name: &str, is_variable: bool) -> Result<(), Refused> {
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(good) || name.ends_with('_') {
        return refuse(
            "a name consists of lower case letters, digits and `_`, starts with a letter and does not end with `_`",
        );
    }
    if TokenKind::of_word(name.as_bytes()) != TokenKind::Ident {
        return refuse(format!("`{name}` is a keyword"));
    }
    if is_variable && name.contains("__") {
        return refuse("a variable cannot have two underscores in a row");
    }
    Ok(())
}

/// Returns the edits if the program still means the same.
fn tried(analysis: &Analysis, edits: Vec<TextEdit>, name: &str) -> Result<Vec<TextEdit>, Refused> {
    let changed = analysis.with(apply(analysis, &edits));
    let codes = |of: &Analysis| of.diags().iter().map(|said| said.code).collect::<Vec<_>>();
    if let Some(clash) = changed.diags().iter().find(|_| codes(analysis) != codes(&changed)) {
        return refuse(format!("with the name `{name}`, {}", clash.message));
    }
    let meant = |of: &Analysis, map: &dyn Fn(Span) -> (FileId, u32)| {
        let linked = of.linked();
        let all = linked.uses.iter().chain(linked.aliases.iter());
        let mut all: Vec<_> = all.map(|used: &Use| (map(used.span), map(used.definition))).collect();
        sort::items(&mut all);
        all.dedup();
        all
    };
    let moved = |span: Span| (span.file, moved(&edits, span));
    if meant(analysis, &moved) != meant(&changed, &|span| (span.file, span.start)) {
        return refuse(format!("`{name}` already has a different meaning in at least one of these places"));
    }
    Ok(edits)
}

/// The start of a span after the edits.
fn moved(edits: &[TextEdit], span: Span) -> u32 {
    let before = edits.iter().filter(|edit| {
        let is_behind =
            if edit.span.start == edit.span.end { edit.span.end < span.start } else { edit.span.end <= span.start };
        edit.span.file == span.file && is_behind
    });
    let shift: i64 = before.map(|edit| edit.text.len() as i64 - i64::from(edit.span.end - edit.span.start)).sum();
    (i64::from(span.start) + shift) as u32
}

/// The program's files after the edits, which are sorted.
pub(super) fn apply(analysis: &Analysis, edits: &[TextEdit]) -> MemoryWorld {
    let mut world = analysis.world.clone();
    for (file, source) in analysis.sources().iter().filter(|(_, source)| source.path.starts_with('/')) {
        let mut text = source.text.to_vec();
        let mut changed = false;
        for edit in edits.iter().rev().filter(|edit| edit.span.file == file) {
            text.splice(edit.span.start as usize..edit.span.end as usize, edit.text.bytes());
            changed = true;
        }
        if changed {
            world.insert(&source.path, text);
        }
    }
    world
}
