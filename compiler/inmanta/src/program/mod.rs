//! The definitions of a model: namespaces, types, entities, relations, implementations, functions.
//!
//! Made by [`crate::define`] and [`crate::scope`], and read-only for evaluation.

mod entity;
mod names;
mod types;

pub use entity::{Attr, AttrKind, Constant, End, Entity, Shape};
pub use names::{Blocks, Callee, Meaning, Names, Promise, StmtMeaning, VarRef};
pub use types::{Base, Primitive, Type};

use crate::ast::{ExprId, StmtId, Tree};
use crate::library::Function;
use crate::pattern::Pattern;
use indexmap::IndexMap;
use mclive_base::define_id;
use mclive_base::ident::Name;
use mclive_base::index::IndexVec;
use mclive_base::span::{FileId, Span};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Arc;

define_id!(
    /// Id of a namespace: one file of a module.
    NsId,
    "ns"
);
define_id!(
    /// Id of an entity.
    EntityId,
    "ent"
);
define_id!(
    /// Id of an attribute or a relation's end, as declared.
    AttrId,
    "attr"
);
define_id!(
    /// Id of a typedef.
    TypedefId,
    "td"
);
define_id!(
    /// Id of an implementation.
    ImplementationId,
    "impl"
);
define_id!(
    /// Id of an `implement` statement.
    ImplementId,
    "use"
);
define_id!(
    /// Id of an index.
    IndexId,
    "ix"
);
define_id!(
    /// Id of a function.
    FunctionId,
    "fn"
);

/// A map with insertion order.
pub type Ordered<K, V> = IndexMap<K, V, FxBuildHasher>;

/// All definitions of a model and its modules.
#[derive(Default)]
pub struct Program {
    /// The syntax tree.
    pub tree: Tree,
    /// All namespaces.
    pub namespaces: IndexVec<NsId, Namespace>,
    /// Namespaces by name.
    pub by_name: FxHashMap<Name, NsId>,
    /// All entities.
    pub entities: IndexVec<EntityId, Entity>,
    /// All attributes and ends.
    pub attrs: IndexVec<AttrId, Attr>,
    /// All typedefs.
    pub typedefs: IndexVec<TypedefId, Typedef>,
    /// All implementations.
    pub implementations: IndexVec<ImplementationId, Implementation>,
    /// All `implement` statements.
    pub implements: IndexVec<ImplementId, Implement>,
    /// All indexes.
    pub indexes: IndexVec<IndexId, Index>,
    /// All functions.
    pub functions: IndexVec<FunctionId, Arc<Function>>,
    /// `std::Entity`.
    pub root_entity: Option<EntityId>,
    /// The meaning of names.
    pub names: Names,
}

/// A namespace.
pub struct Namespace {
    /// The full name.
    pub name: Name,
    /// Its file.
    pub file: FileId,
    /// The path of its file, in messages.
    pub path: String,
    /// The visible namespaces by alias.
    pub visible: FxHashMap<Name, NsId>,
    /// The types by name.
    pub types: FxHashMap<Name, Def>,
    /// Variables with the places that assign them.
    pub vars: Ordered<Name, Vec<Span>>,
    /// The top-level statements.
    pub stmts: Vec<StmtId>,
    /// Whether it is built in.
    pub is_builtin: bool,
    /// Whether it was loaded. A namespace that only holds the root entity was not.
    pub is_loaded: bool,
}

/// The meaning of a type's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Def {
    /// An entity.
    Entity(EntityId),
    /// A typedef.
    Typedef(TypedefId),
    /// An implementation.
    Implementation(ImplementationId),
    /// A function.
    Function(FunctionId),
}

/// A typedef.
pub struct Typedef {
    /// Its namespace.
    pub ns: NsId,
    /// The name with its namespace.
    pub full_name: Name,
    /// Span of the name.
    pub name_span: Span,
    /// The base type.
    pub base: Type,
    /// The condition.
    pub condition: ExprId,
    /// The condition, if it is a regular expression.
    pub pattern: Option<Arc<Pattern>>,
    /// Span of the documentation string, if any.
    pub doc: Option<Span>,
}

/// An implementation.
pub struct Implementation {
    /// Its namespace.
    pub ns: NsId,
    /// The name.
    pub name: Name,
    /// The name with its namespace.
    pub full_name: Name,
    /// Span of the name.
    pub name_span: Span,
    /// The entity.
    pub entity: EntityId,
    /// The statements.
    pub body: Vec<StmtId>,
    /// The number of variables.
    pub n_vars: u32,
    /// Span of the documentation string, if any.
    pub doc: Option<Span>,
}

/// An `implement` statement.
pub struct Implement {
    /// Its namespace.
    pub ns: NsId,
    /// The entity.
    pub entity: EntityId,
    /// Span of the entity's name.
    pub entity_span: Span,
    /// The implementations, in order.
    pub implementations: Vec<ImplementationId>,
    /// Whether it includes the statements of the parents.
    pub with_parents: bool,
    /// The condition, if any.
    pub condition: Option<ExprId>,
    /// The text in messages.
    pub text: String,
}

/// An index.
pub struct Index {
    /// The entity.
    pub entity: EntityId,
    /// Sorted by name.
    pub attrs: Vec<Name>,
    /// Its span.
    pub span: Span,
}

impl Program {
    /// The type as text.
    pub fn type_name(&self, ty: &Type) -> String {
        let base = match &ty.base {
            Base::Primitive(primitive) => primitive.name().to_owned(),
            Base::Typedef(typedef) => self.typedefs[*typedef].full_name.to_string(),
            Base::Entity(entity) => self.entities[*entity].full_name.to_string(),
            Base::Any => "any".into(),
            Base::Null => "null".into(),
            Base::AnyList => "list".into(),
            Base::AnyDict => "dict".into(),
            Base::DictOf(value) => format!("dict[string, {}]", self.type_name(value)),
            Base::Union(members) => {
                let members: Vec<_> = members.iter().map(|member| self.type_name(member)).collect();
                format!("Union[{}]", members.join(","))
            }
        };
        format!("{base}{}{}", if ty.is_list { "[]" } else { "" }, if ty.is_nullable { "?" } else { "" })
    }

    /// Whether `entity` is `ancestor` or one of its descendants.
    pub fn is_a(&self, entity: EntityId, ancestor: EntityId) -> bool {
        entity == ancestor || self.entities[entity].lineage.contains(&ancestor)
    }

    /// The slot of an attribute, and the attribute.
    pub fn slot(&self, entity: EntityId, name: &str) -> Option<(usize, AttrId)> {
        self.entities[entity].slots.get_full(name).map(|(slot, _, attr)| (slot, *attr))
    }

    /// The end, if the attribute is one.
    pub fn end(&self, attr: AttrId) -> Option<&End> {
        self.attrs[attr].end()
    }
}
