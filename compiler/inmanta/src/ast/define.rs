//! Definitions. Spec, 6.

use super::{ExprId, Path, StmtId};
use mclive_base::ident::Name;
use mclive_base::span::Span;

/// One thing at the top level of a file.
#[allow(clippy::large_enum_variant, reason = "nearly all are definitions in a large file")]
#[derive(Debug)]
pub enum Item {
    Define(Definition),
    Stmt(StmtId),
}

#[derive(Debug)]
pub enum Definition {
    Import(ImportDef),
    Entity(EntityDef),
    Implementation(ImplementationDef),
    Implement(ImplementDef),
    Relation(RelationDef),
    Typedef(TypedefDef),
    Index(IndexDef),
}

#[derive(Debug)]
pub struct ImportDef {
    /// The module's name, `a::b`.
    pub module: Name,
    pub module_span: Span,
    pub alias: Option<(Name, Span)>,
    /// The word `import`.
    pub at: Span,
    pub span: Span,
}

#[derive(Debug)]
pub struct EntityDef {
    pub name: Name,
    pub name_span: Span,
    pub parents: Vec<Path>,
    pub doc: Option<Span>,
    pub attributes: Vec<AttributeDef>,
    /// The word `entity`.
    pub at: Span,
    pub span: Span,
}

/// A type as it is written: `ns::name[]?`.
#[derive(Clone, Debug)]
pub struct TypeText {
    pub path: Path,
    pub is_list: bool,
    pub is_nullable: bool,
}

impl TypeText {
    pub fn text(&self) -> String {
        let list = if self.is_list { "[]" } else { "" };
        let nullable = if self.is_nullable { "?" } else { "" };
        format!("{}{list}{nullable}", self.path.text())
    }
}

#[derive(Debug)]
pub struct AttributeDef {
    pub ty: TypeText,
    pub name: Name,
    pub name_span: Span,
    pub default: Option<Default>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub enum Default {
    /// `= undef`
    Removed,
    Value(ExprId),
}

#[derive(Debug)]
pub struct ImplementationDef {
    pub name: Name,
    pub name_span: Span,
    pub entity: Path,
    pub doc: Option<Span>,
    pub body: Vec<StmtId>,
    pub span: Span,
}

#[derive(Debug)]
pub struct ImplementDef {
    pub entity: Path,
    pub implementations: Vec<Path>,
    /// Where the word `parents` stands among the implementations.
    pub parents: Option<Span>,
    pub condition: Option<ExprId>,
    pub doc: Option<Span>,
    pub span: Span,
}

/// Bounds of a relation's end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Multi {
    pub low: i64,
    /// `None`: no bound.
    pub high: Option<i64>,
}

/// `Entity.name [multi]`.
#[derive(Debug)]
pub struct RelationEnd {
    pub name: Name,
    pub name_span: Span,
    pub multi: Multi,
    pub multi_span: Span,
}

#[derive(Debug)]
pub struct RelationDef {
    pub left: Path,
    /// The end on the left entity, which leads to the right one.
    pub left_end: RelationEnd,
    pub right: Path,
    pub right_end: Option<RelationEnd>,
    pub annotations: Vec<ExprId>,
    /// The arrow, where there is one.
    pub arrow: Option<Span>,
    pub doc: Option<Span>,
    pub span: Span,
}

#[derive(Debug)]
pub struct TypedefDef {
    pub name: Name,
    pub name_span: Span,
    pub base: Path,
    pub condition: ExprId,
    pub doc: Option<Span>,
    pub span: Span,
}

#[derive(Debug)]
pub struct IndexDef {
    pub entity: Path,
    pub attributes: Vec<(Name, Span)>,
    /// The word `index`.
    pub at: Span,
    pub span: Span,
}
