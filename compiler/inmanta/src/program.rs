//! The definitions of a model: namespaces, types, entities, relations, implementations, functions.
//!
//! Made by [`crate::define`] and [`crate::scope`], and read-only for evaluation.

use crate::ast::{ExprId, StmtId, Tree};
use crate::library::Function;
use crate::pattern::Pattern;
use crate::value::Value;
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

/// The meaning of names, by the expression or statement that contains them.
#[derive(Default)]
pub struct Names {
    /// By expression.
    pub exprs: IndexVec<ExprId, Meaning>,
    /// By statement.
    pub stmts: IndexVec<StmtId, StmtMeaning>,
    /// The variables of the frames around calls of functions that look up names themselves (templates), outermost
    /// first.
    pub scopes: FxHashMap<ExprId, Vec<Ordered<Name, Vec<Span>>>>,
}

/// The meaning of the name in an expression.
#[derive(Clone, Debug, Default)]
pub enum Meaning {
    /// None.
    #[default]
    None,
    /// A variable.
    Var(VarRef),
    /// The entity of a constructor or a lookup.
    Class(EntityId),
    /// The function of a call.
    Callee(Callee),
}

/// The resolved names of a statement.
#[derive(Debug, Default)]
pub enum StmtMeaning {
    /// None.
    #[default]
    None,
    /// The variable that an assignment sets.
    Target(VarRef),
    /// The bodies of a `for` or `if`.
    Blocks(Box<Blocks>),
    /// A name in it has no meaning, so it is left out when errors in the other statements are looked for.
    Broken,
}

/// The resolved bodies of a `for` or `if`.
#[derive(Default, Debug)]
pub struct Blocks {
    /// The number of variables in each body; 0 if it has no frame.
    pub sizes: [u32; 2],
    /// Its promises.
    pub promises: Vec<Promise>,
}

/// An assignment inside a `for` or `if` to an end outside it. Spec, 10.5.
#[derive(Clone, Debug)]
pub struct Promise {
    /// The variable at the start of the path.
    pub root: VarRef,
    /// The attributes of the path.
    pub path: Vec<Name>,
    /// The assigned attribute.
    pub attr: Name,
    /// The assignment.
    pub stmt: StmtId,
}

/// The meaning of a variable's name.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum VarRef {
    /// The slot `slot` of the frame `up` levels out.
    Local { up: u32, slot: u32 },
    /// At the top level of a file.
    Global(NsId, u32),
    /// An attribute of the instance of this implementation, otherwise a variable of the namespace.
    OfSelf { name: Name, otherwise: Option<(NsId, u32)> },
    /// `self`.
    SelfInstance,
    /// No such variable: reported when the statement is emitted.
    Missing(Name),
}

/// The target of a call.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function.
    Function(FunctionId),
    /// A cast to a primitive type.
    Cast(Primitive),
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

/// A type without a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Primitive {
    /// `string`.
    String,
    /// `int`.
    Int,
    /// `float`.
    Float,
    /// `number`.
    Number,
    /// `bool`.
    Bool,
    /// `list`.
    List,
    /// `dict`.
    Dict,
}

impl Primitive {
    /// The primitive type of this name.
    pub fn of(name: &str) -> Option<Primitive> {
        Some(match name {
            "string" => Primitive::String,
            "int" => Primitive::Int,
            "float" => Primitive::Float,
            "number" => Primitive::Number,
            "bool" => Primitive::Bool,
            "list" => Primitive::List,
            "dict" => Primitive::Dict,
            _ => return None,
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Primitive::String => "string",
            Primitive::Int => "int",
            Primitive::Float => "float",
            Primitive::Number => "number",
            Primitive::Bool => "bool",
            Primitive::List => "list",
            Primitive::Dict => "dict",
        }
    }
}

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub struct Type {
    /// The type of the value or the elements.
    pub base: Base,
    /// Whether it is a list.
    pub is_list: bool,
    /// Whether null is allowed.
    pub is_nullable: bool,
}

/// A type without list and null.
#[derive(Clone, PartialEq, Debug)]
pub enum Base {
    /// A primitive type.
    Primitive(Primitive),
    /// A typedef.
    Typedef(TypedefId),
    /// An entity.
    Entity(EntityId),
    /// Anything; like the following ones only in signatures.
    Any,
    /// Null.
    Null,
    /// A list of anything.
    AnyList,
    /// A dict with any values.
    AnyDict,
    /// A dict with values of a type.
    DictOf(Box<Type>),
    /// One of these types.
    Union(Vec<Type>),
}

impl Type {
    /// A type that is neither a list nor nullable.
    pub fn plain(base: Base) -> Type {
        Type { base, is_list: false, is_nullable: false }
    }
}

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

    /// Whether `entity` is the other one or a descendant of it.
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
