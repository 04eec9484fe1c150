//! Entities with their attributes and the ends of their relations. Spec, 6.2 and 6.3.

use super::{AttrId, EntityId, ImplementId, IndexId, NsId, Ordered, Type};
use crate::ast::ExprId;
use crate::value::Value;
use mclive_base::ident::Name;
use mclive_base::span::Span;

/// An entity.
pub struct Entity {
    /// Its namespace.
    pub ns: NsId,
    /// The name.
    pub name: Name,
    /// The name with its namespace.
    pub full_name: Name,
    /// Span of the name.
    pub name_span: Span,
    /// Span of the word `entity`.
    pub at: Span,
    /// Span of the documentation string, if any.
    pub doc: Option<Span>,
    /// The parents, in order.
    pub parents: Vec<EntityId>,
    /// Itself and all ancestors, breadth first.
    pub lineage: Vec<EntityId>,
    /// Entities that extend it directly.
    pub children: Vec<EntityId>,
    /// Its own attributes and ends.
    pub own: Ordered<Name, AttrId>,
    /// Every attribute and end, including inherited ones; the index is the slot of an instance.
    pub slots: Ordered<Name, AttrId>,
    /// The defaults by slot.
    pub defaults: Vec<Option<Constant>>,
    /// Its own indexes and those of its ancestors.
    pub indexes: Vec<IndexId>,
    /// Its `implement` statements.
    pub implements: Vec<ImplementId>,
}

/// A default value.
#[derive(Clone, Debug)]
pub struct Constant {
    /// The value.
    pub value: Value,
    /// Its expression.
    pub expr: ExprId,
}

/// An attribute or a relation's end.
pub struct Attr {
    /// The name.
    pub name: Name,
    /// The entity that declares it.
    pub entity: EntityId,
    /// Span of the declaration.
    pub span: Span,
    /// What it is.
    pub kind: AttrKind,
    /// The declaration in messages.
    pub text: String,
}

/// The kind of an attribute.
pub enum AttrKind {
    /// An attribute with a type.
    Plain(Type),
    /// An end of a relation.
    End(End),
}

/// A relation's end.
#[derive(Clone, Debug)]
pub struct End {
    /// The entity it refers to.
    pub target: EntityId,
    /// The lower bound.
    pub low: i64,
    /// The upper bound; `None`: unbounded.
    pub high: Option<i64>,
    /// The inverse end, if any.
    pub inverse: Option<AttrId>,
    /// Its rank, if rules order its relation before others.
    pub precedence: Option<u32>,
}

impl End {
    /// The shape, from the bounds.
    pub fn shape(&self) -> Shape {
        match (self.low, self.high) {
            (1, Some(1)) => Shape::One,
            (0, Some(1)) => Shape::Optional,
            _ => Shape::List,
        }
    }
}

/// The shape of an end. Spec, 6.3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Exactly one member.
    One,
    /// At most one member.
    Optional,
    /// A list of members.
    List,
}

impl Attr {
    /// The end, if it is one.
    pub fn end(&self) -> Option<&End> {
        if let AttrKind::End(end) = &self.kind { Some(end) } else { None }
    }
}
