//! [`Marks`]: the names in a text, and their meaning.

mod entities;
mod find;

use super::Own;
use super::regions::Regions;
use crate::ast::Path;
use crate::compile::Compilation;
use crate::program::{AttrId, EntityId, FunctionId, ImplementationId, NsId, TypedefId};
use find::Finder;
use mclive_base::ident::Name;
use mclive_base::span::{FileId, Span};
use mclive_ide::Position;
use std::collections::BTreeMap;

/// The meaning of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Entity(EntityId),
    Attr(AttrId),
    Typedef(TypedefId),
    Implementation(ImplementationId),
    Function(FunctionId),
    Namespace(NsId),
    /// A variable, by its first assignment.
    Variable(Span),
}

/// A name in a text.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) span: Span,
    pub(super) target: Target,
}

/// All names in a model's own files, by place.
#[derive(Default)]
pub(super) struct Marks {
    list: Vec<Mark>,
    /// The entity of a variable's value, by the variable's first assignment.
    entities: BTreeMap<Span, EntityId>,
    /// The assigned name, by the sign of the assignment.
    assigned: BTreeMap<Span, Span>,
    blocks: Regions<Block>,
}

impl Marks {
    pub(super) fn of(compilation: &Compilation, files: &[Option<Own>]) -> Marks {
        Finder::new(compilation).marks(files)
    }

    /// The name that contains a position or ends there.
    pub(super) fn at(&self, at: Position) -> Option<&Mark> {
        let here =
            |mark: &&Mark| mark.span.file == at.file && mark.span.start <= at.offset && at.offset <= mark.span.end;
        self.list.iter().filter(here).max_by_key(|mark| mark.span.start)
    }

    /// The name at exactly this place.
    pub(super) fn starting(&self, file: FileId, start: u32) -> Option<&Mark> {
        let at = self.list.partition_point(|mark| (mark.span.file, mark.span.start) < (file, start));
        self.list.get(at).filter(|mark| mark.span.file == file && mark.span.start == start)
    }

    /// Every occurrence with the same meaning, its definition first.
    pub(super) fn uses(&self, target: &Target) -> Vec<Span> {
        self.list.iter().filter(|mark| mark.target == *target).map(|mark| mark.span).collect()
    }

    /// The name of a file's variable at its first assignment; such places are given by the sign.
    pub(super) fn first(&self, signs: &[Span]) -> Option<Span> {
        signs.first().and_then(|sign| self.assigned.get(sign)).copied()
    }

    /// The variables of the blocks around a place, innermost first, each with its declaration.
    pub(super) fn local(&self, at: Span) -> impl Iterator<Item = (&Name, Span)> {
        self.blocks.around(at).flat_map(|block| block.vars.iter().map(|(name, span)| (name, *span)))
    }

    /// The entity of the first value assigned here.
    pub(super) fn entity_of(&self, variable: Span) -> Option<EntityId> {
        self.entities.get(&variable).copied()
    }
}

/// Where a target is defined.
pub(super) fn definition(compilation: &Compilation, target: &Target) -> Option<Span> {
    let program = &compilation.program;
    match target {
        Target::Entity(id) => Some(program.entities[*id].name_span),
        Target::Attr(id) => Some(program.attrs[*id].span),
        Target::Typedef(id) => Some(program.typedefs[*id].name_span),
        Target::Implementation(id) => Some(program.implementations[*id].name_span),
        Target::Function(_) => None,
        Target::Namespace(id) => Some(Span::new(program.namespaces[*id].file, 0, 0)),
        Target::Variable(span) => Some(*span),
    }
}

/// The last word of a path.
fn last_word(path: &Path) -> Span {
    match path.namespace {
        // It may be written with escapes, in a string.
        None => path.span,
        Some(_) => Span { start: path.span.end - path.name.len() as u32, ..path.span },
    }
}

/// A region with its own variables: the body of an implementation, of a loop or a branch, or a comprehension.
#[derive(Default, Debug)]
struct Block {
    /// The entity of `self`.
    entity: Option<EntityId>,
    /// Variables by name, with their declarations.
    vars: BTreeMap<Name, Span>,
}
