//! Wrong values beside a wrong field: what the kinds refuse in a program whose only errors are in fields of resources.
//!
//! A program with errors has no graph, so a wrong value would only be reported after the other field is repaired. So
//! fields with errors are left out here, and each other field that is wrong is reported.

use super::{Setup, emit};
use crate::diag::{Code, Diagnostic, Diags, codes};
use crate::hir::{Block, Item, ItemKind, Module, Resource, StmtKind};
use crate::kinds;
use crate::rgraph::foresee;
use crate::source::MemoryWorld;
use crate::span::Span;
use crate::understand::{Understood, understand_edited};
use std::sync::Arc;

/// Errors of a single field.
const OF_A_FIELD: [Code; 2] = [codes::UNKNOWN_FIELD, codes::TYPES_DIFFER];

/// The wrong values of a program with these errors and trees; nothing if an error is not in a field of its main file.
pub(super) fn wrong_values(
    world: &MemoryWorld,
    path: &str,
    setup: Setup<'_>,
    said: &Diags,
    modules: &[Module],
) -> Diags {
    let place = |error: &Diagnostic| {
        let label = error.primary.as_ref().filter(|_| OF_A_FIELD.contains(&error.code))?;
        Some(label.span)
    };
    let errors: Option<Vec<Span>> = said.iter().filter(|one| one.is_error()).map(place).collect();
    let (Some(errors), Some(main)) = (errors, modules.first()) else { return Diags::default() };
    let mut rest = Rest { errors: &errors, left_out: Vec::new(), bodies: Vec::new() };
    let mut main = main.clone();
    rest.block(&mut main.root);
    let is_left_out = |error: &Span| rest.left_out.iter().any(|field| holds(*field, *error));
    if errors.is_empty() || !errors.iter().all(is_left_out) {
        return Diags::default();
    }
    let Understood { linked, types, mut diags, .. } = understand_edited(world, path, setup, main);
    let Some(ir) = emit(&linked, &types, &mut diags) else { return Diags::default() };
    let refused = foresee(ir, Arc::new(world.clone())).into_vec().into_iter();
    refused.filter(|one| rest.is_wrong_alone(one)).collect()
}

fn holds(whole: Span, part: Span) -> bool {
    whole.file == part.file && whole.start <= part.start && part.end <= whole.end
}

/// A program without the fields that have errors.
struct Rest<'e> {
    errors: &'e [Span],
    left_out: Vec<Span>,
    bodies: Vec<Fields>,
}

/// The fields of a resource that are left.
struct Fields {
    kind: String,
    fields: Vec<(String, Span)>,
    /// Whether another one was left out.
    is_partial: bool,
}

impl Rest<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            if let StmtKind::Resource(resource) = &mut stmt.kind {
                self.resource(resource);
            }
            stmt.kind.blocks_mut().for_each(|block| self.block(block));
        }
    }

    fn resource(&mut self, resource: &mut Resource) {
        let n_items = resource.items.len();
        let (errors, left_out) = (self.errors, &mut self.left_out);
        resource.items.retain(|item| {
            let is_wrong = field(item).is_some() && errors.iter().any(|error| holds(item.span, *error));
            if is_wrong {
                left_out.push(item.span);
            }
            !is_wrong
        });
        self.bodies.push(Fields {
            kind: resource.kind.to_string(),
            fields: resource.items.iter().filter_map(|item| Some((field(item)?.to_owned(), item.span))).collect(),
            is_partial: resource.items.len() < n_items,
        });
    }

    /// Whether a field is wrong whatever the fields that were left out would be: its kind names it, and no field that is
    /// not set.
    fn is_wrong_alone(&self, said: &Diagnostic) -> bool {
        let Some(place) = said.primary.as_ref().filter(|_| said.code == codes::NOT_VALID) else { return false };
        let blamed = self.bodies.iter().find_map(|body| {
            let (name, _) = body.fields.iter().find(|(_, span)| holds(*span, place.span))?;
            Some((body, name))
        });
        let Some((body, name)) = blamed else { return false };
        if !body.is_partial {
            return true;
        }
        let Some(decl) = kinds::lookup(&body.kind).map(|kind| kind.decl()) else { return false };
        let is_set = |word: &str| body.fields.iter().any(|(field, _)| field == word);
        let mut named = said.message.split('`').skip(1).step_by(2).filter(|word| decl.field(word).is_some()).peekable();
        named.peek().is_some_and(|first| *first == name) && named.all(is_set) && !said.message.contains(" needs ")
    }
}

fn field(item: &Item) -> Option<&str> {
    match &item.kind {
        ItemKind::Field { name, .. } => Some(name),
        ItemKind::Edge { .. } | ItemKind::Meta { .. } | ItemKind::MetaStruct { .. } => None,
    }
}
