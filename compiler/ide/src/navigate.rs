//! Finds definitions and uses.

use super::Position;
use super::analysis::Analysis;
use super::marks::{Mark, Role};
use crate::ast::{ExprKind, StmtKind};
use crate::scope::linked::Use;
use crate::span::Span;

/// The thing at a position, if it belongs to the program.
pub(super) enum Target {
    /// Something with a name, by the span of the name in its definition.
    Name(Span),
    /// The alias of an import or include, by its statement.
    Alias(Span),
    /// The file of an import.
    File(Span),
    /// A resource, by kind and name.
    Resource(String, String),
}

/// The thing at a position.
pub(super) fn target(analysis: &Analysis, at: Position) -> Option<Target> {
    let mark = analysis.mark_at(at)?;
    match &mark.role {
        Role::Bind | Role::Param | Role::FuncDef | Role::ClassDef => Some(Target::Name(mark.span)),
        Role::Var { .. } | Role::Call | Role::CallVar | Role::Class => {
            if let Some((alias, chunk)) = alias_chunk(analysis, mark)
                && analysis.clamp(at) <= chunk.end
            {
                return Some(Target::Alias(alias.definition));
            }
            analysis.use_at(mark.span).map(|used| Target::Name(used.definition))
        }
        Role::Alias => {
            let tree = &analysis.parsed(at.file).tree;
            let is_around = |span: Span| span.start < mark.span.start && span.end == mark.span.end;
            tree.stmts.values().map(|stmt| stmt.span).find(|span| is_around(*span)).map(Target::Alias)
        }
        Role::Import => Some(Target::File(mark.span)),
        Role::Kind => {
            let name = resources(analysis).into_iter().find(|place| place.kind == mark.span)?.name?;
            Some(Target::Resource(mark.name.to_string(), name))
        }
        Role::HalfKind { resource } => Some(Target::Resource(mark.name.to_string(), resource.clone()?)),
        Role::Field { .. }
        | Role::SentField { .. }
        | Role::EdgeWord
        | Role::Meta
        | Role::StructField
        | Role::FieldAccess
        | Role::Type
        | Role::Operator => None,
    }
}

/// The alias at the start of a dotted name, and its span.
pub(super) fn alias_chunk<'a>(analysis: &'a Analysis, mark: &Mark) -> Option<(&'a Use, Span)> {
    let alias = analysis.alias_at(mark.span).filter(|alias| &*alias.name != "*")?;
    let sigil = u32::from(analysis.text(mark.span).starts_with('$'));
    let start = mark.span.start + sigil;
    Some((alias, Span { start, end: start + alias.name.len() as u32, ..mark.span }))
}

pub(super) fn definition(analysis: &Analysis, at: Position) -> Option<Span> {
    match target(analysis, at)? {
        Target::Name(span) | Target::Alias(span) => Some(span),
        Target::File(path) => analysis.imported(path).map(|file| Span { file, start: 0, end: 0 }),
        Target::Resource(kind, name) => {
            let is_it = |place: &Resource| place.kind_name == kind && place.name.as_ref() == Some(&name);
            resources(analysis).into_iter().find(is_it).map(|place| place.whole)
        }
    }
}

pub(super) fn uses(analysis: &Analysis, at: Position) -> Vec<Span> {
    let mut places = match target(analysis, at) {
        None => Vec::new(),
        Some(Target::Name(name)) => {
            let uses = analysis.linked().uses.iter().filter(|used| used.definition == name).map(|used| used.span);
            std::iter::once(name).chain(uses).collect()
        }
        Some(Target::Alias(stmt)) => std::iter::once(stmt).chain(alias_uses(analysis, stmt)).collect(),
        Some(Target::File(path)) => vec![path],
        Some(Target::Resource(kind, name)) => {
            let mut places: Vec<Span> = Vec::new();
            let is_it = |place: &Resource| place.kind_name == kind && place.name.as_ref() == Some(&name);
            places.extend(resources(analysis).into_iter().filter(is_it).map(|place| place.kind));
            for (file, _) in analysis.sources().iter() {
                let is_half = |mark: &&Mark| {
                    matches!(&mark.role, Role::HalfKind { resource: Some(found) } if *found == name)
                        && *mark.name == *kind
                };
                places.extend(analysis.parsed(file).marks.iter().filter(is_half).map(|mark| mark.span));
            }
            places
        }
    };
    let mut seen = std::collections::BTreeSet::new();
    places.retain(|place| seen.insert(*place));
    places
}

/// The spans of an alias at the start of names.
pub(super) fn alias_uses(analysis: &Analysis, stmt: Span) -> Vec<Span> {
    let uses = analysis.linked().aliases.iter().filter(|used| used.definition == stmt && &*used.name != "*");
    let chunk = |used: &Use| {
        let start = used.span.start + u32::from(analysis.text(used.span).starts_with('$'));
        Span { start, end: start + used.name.len() as u32, ..used.span }
    };
    uses.map(chunk).collect()
}

struct Resource {
    kind: Span,
    kind_name: String,
    /// If it is a plain string.
    name: Option<String>,
    /// Kind and name.
    whole: Span,
}

/// Every resource statement of the program.
fn resources(analysis: &Analysis) -> Vec<Resource> {
    let mut found = Vec::new();
    for (file, _) in analysis.sources().iter() {
        let tree = &analysis.parsed(file).tree;
        for stmt in tree.stmts.values() {
            let StmtKind::Resource(resource) = &stmt.kind else { continue };
            let name = &tree.exprs[resource.name];
            let text = matches!(name.kind, ExprKind::Str).then(|| analysis.text(name.span));
            found.push(Resource {
                kind: resource.kind_span,
                kind_name: resource.kind.to_string(),
                name: text.map(|text| text.trim_matches('"').to_owned()),
                whole: resource.kind_span.to(name.span),
            });
        }
    }
    found
}
