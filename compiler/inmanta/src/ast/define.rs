//! Definitions. Spec, 6.

use super::{ExprId, Path, StmtId};
use mclive_base::ident::Name;
use mclive_base::span::Span;

/// An item at the top level of a file.
#[allow(clippy::large_enum_variant, reason = "nearly all are definitions in a large file")]
#[derive(Debug)]
pub enum Item {
    /// A definition.
    Define(Definition),
    /// A statement.
    Stmt(StmtId),
}

/// A definition.
#[derive(Debug)]
pub enum Definition {
    /// An import.
    Import(ImportDef),
    /// An entity.
    Entity(EntityDef),
    /// An implementation.
    Implementation(ImplementationDef),
    /// An `implement` statement.
    Implement(ImplementDef),
    /// A relation.
    Relation(RelationDef),
    /// A typedef.
    Typedef(TypedefDef),
    /// An index.
    Index(IndexDef),
}

/// `import a::b as c`.
#[derive(Debug)]
pub struct ImportDef {
    /// The module, `a::b`.
    pub module: Name,
    /// Span of the module name.
    pub module_span: Span,
    /// The name after `as`, if any.
    pub alias: Option<(Name, Span)>,
    /// Span of the word `import`.
    pub at: Span,
    /// Its span.
    pub span: Span,
}

/// `entity Name extends Parents: … end`.
#[derive(Debug)]
pub struct EntityDef {
    /// The name.
    pub name: Name,
    /// Span of the name.
    pub name_span: Span,
    /// The parents, in order.
    pub parents: Vec<Path>,
    /// Span of the documentation string, if any.
    pub doc: Option<Span>,
    /// The attributes, in order.
    pub attributes: Vec<AttributeDef>,
    /// Span of the word `entity`.
    pub at: Span,
    /// Its span.
    pub span: Span,
}

/// A type as written: `ns::name[]?`.
#[derive(Clone, Debug)]
pub struct TypeText {
    /// The name of the type.
    pub path: Path,
    /// Whether it ends in `[]`.
    pub is_list: bool,
    /// Whether it ends in `?`.
    pub is_nullable: bool,
}

impl TypeText {
    /// The type as text.
    pub fn text(&self) -> String {
        let list = if self.is_list { "[]" } else { "" };
        let nullable = if self.is_nullable { "?" } else { "" };
        format!("{}{list}{nullable}", self.path.text())
    }
}

/// An attribute of an entity.
#[derive(Debug)]
pub struct AttributeDef {
    /// The type.
    pub ty: TypeText,
    /// The name.
    pub name: Name,
    /// Span of the name.
    pub name_span: Span,
    /// The default, if any.
    pub default: Option<Default>,
    /// Its span.
    pub span: Span,
}

/// The default of an attribute.
#[derive(Clone, Copy, Debug)]
pub enum Default {
    /// `= undef`: removes an inherited default.
    Removed,
    /// A value.
    Value(ExprId),
}

/// `implementation name for Entity: … end`.
#[derive(Debug)]
pub struct ImplementationDef {
    /// The name.
    pub name: Name,
    /// Span of the name.
    pub name_span: Span,
    /// The entity.
    pub entity: Path,
    /// Span of the documentation string, if any.
    pub doc: Option<Span>,
    /// The statements.
    pub body: Vec<StmtId>,
    /// Its span.
    pub span: Span,
}

/// `implement Entity using implementations when condition`.
#[derive(Debug)]
pub struct ImplementDef {
    /// The entity.
    pub entity: Path,
    /// The implementations, in order.
    pub implementations: Vec<Path>,
    /// Span of the word `parents` among the implementations, if present.
    pub parents: Option<Span>,
    /// The condition after `when`, if any.
    pub condition: Option<ExprId>,
    /// Span of the documentation string, if any.
    pub doc: Option<Span>,
    /// Its span.
    pub span: Span,
}

/// The multiplicity of a relation's end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Multi {
    /// The lower bound.
    pub low: i64,
    /// The upper bound; `None`: unbounded.
    pub high: Option<i64>,
}

/// `Entity.name [multi]`.
#[derive(Debug)]
pub struct RelationEnd {
    /// The name of the attribute.
    pub name: Name,
    /// Span of the name.
    pub name_span: Span,
    /// The multiplicity.
    pub multi: Multi,
    /// Span of the multiplicity.
    pub multi_span: Span,
}

/// A relation.
#[derive(Debug)]
pub struct RelationDef {
    /// The left entity.
    pub left: Path,
    /// The attribute of the left entity, which refers to the right one.
    pub left_end: RelationEnd,
    /// The right entity.
    pub right: Path,
    /// The attribute of the right entity, if any.
    pub right_end: Option<RelationEnd>,
    /// The annotations.
    pub annotations: Vec<ExprId>,
    /// Span of the arrow, if there is one.
    pub arrow: Option<Span>,
    /// Span of the documentation string, if any.
    pub doc: Option<Span>,
    /// Its span.
    pub span: Span,
}

/// `typedef name as base matching condition`.
#[derive(Debug)]
pub struct TypedefDef {
    /// The name.
    pub name: Name,
    /// Span of the name.
    pub name_span: Span,
    /// The base type.
    pub base: Path,
    /// The condition.
    pub condition: ExprId,
    /// Span of the documentation string, if any.
    pub doc: Option<Span>,
    /// Its span.
    pub span: Span,
}

/// `index Entity(attributes)`.
#[derive(Debug)]
pub struct IndexDef {
    /// The entity.
    pub entity: Path,
    /// The attributes with their spans.
    pub attributes: Vec<(Name, Span)>,
    /// Span of the word `index`.
    pub at: Span,
    /// Its span.
    pub span: Span,
}
