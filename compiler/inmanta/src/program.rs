//! What a model defines: namespaces, types, entities, relations, implementations, functions.
//!
//! The product of [`crate::define`] and [`crate::scope`], which evaluation reads only.

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
    /// A namespace: one file of a module.
    NsId,
    "ns"
);
define_id!(
    /// An entity.
    EntityId,
    "ent"
);
define_id!(
    /// An attribute or a relation's end, where it is declared.
    AttrId,
    "attr"
);
define_id!(
    /// A typedef.
    TypedefId,
    "td"
);
define_id!(
    /// A named block for instances.
    ImplementationId,
    "impl"
);
define_id!(
    /// An `implement` statement.
    ImplementId,
    "use"
);
define_id!(
    /// An index.
    IndexId,
    "ix"
);
define_id!(
    /// A function.
    FunctionId,
    "fn"
);

/// A map that keeps the order of insertion.
pub type Ordered<K, V> = IndexMap<K, V, FxBuildHasher>;

/// Everything that a model and its modules define.
#[derive(Default)]
pub struct Program {
    pub tree: Tree,
    pub namespaces: IndexVec<NsId, Namespace>,
    pub by_name: FxHashMap<Name, NsId>,
    pub entities: IndexVec<EntityId, Entity>,
    pub attrs: IndexVec<AttrId, Attr>,
    pub typedefs: IndexVec<TypedefId, Typedef>,
    pub implementations: IndexVec<ImplementationId, Implementation>,
    pub implements: IndexVec<ImplementId, Implement>,
    pub indexes: IndexVec<IndexId, Index>,
    pub functions: IndexVec<FunctionId, Arc<Function>>,
    /// `std::Entity`.
    pub root_entity: Option<EntityId>,
    pub names: Names,
}

/// What names mean, by the expression or statement that mentions them.
#[derive(Default)]
pub struct Names {
    pub exprs: IndexVec<ExprId, Meaning>,
    pub stmts: IndexVec<StmtId, StmtMeaning>,
    /// The variables of the frames around calls of functions that look names up themselves (templates), outermost first.
    pub scopes: FxHashMap<ExprId, Vec<Ordered<Name, Vec<Span>>>>,
}

/// What the name in an expression means.
#[derive(Clone, Debug, Default)]
pub enum Meaning {
    #[default]
    None,
    Var(VarRef),
    /// The entity of a constructor or a lookup.
    Class(EntityId),
    Callee(Callee),
}

/// What is known of a statement.
#[derive(Debug, Default)]
pub enum StmtMeaning {
    #[default]
    None,
    /// The variable that an assignment sets.
    Target(VarRef),
    /// The bodies of a `for` or `if`.
    Blocks(Box<Blocks>),
}

/// What is known of a `for` or `if`.
#[derive(Default, Debug)]
pub struct Blocks {
    pub sizes: [u32; 2],
    pub promises: Vec<Promise>,
}

/// An assignment inside of a `for` or `if` to something outside of it. Spec, 10.5.
#[derive(Clone, Debug)]
pub struct Promise {
    pub root: VarRef,
    pub path: Vec<Name>,
    pub attr: Name,
    pub stmt: StmtId,
}

/// What a variable's name means.
#[derive(Clone, Debug)]
pub enum VarRef {
    /// A slot of the frame so many steps out.
    Local { up: u32, slot: u32 },
    /// At the top level of a file.
    Global(NsId, u32),
    /// An attribute of the instance whose implementation this is, else a variable of the namespace.
    OfSelf { name: Name, otherwise: Option<(NsId, u32)> },
    /// The instance itself.
    SelfInstance,
    /// No such variable: said when the statement is emitted.
    Missing(Name),
}

/// What a call calls.
#[derive(Clone, Debug)]
pub enum Callee {
    Function(FunctionId),
    Cast(Primitive),
}

pub struct Namespace {
    pub name: Name,
    pub file: FileId,
    /// The path of its file, as texts tell it.
    pub path: String,
    /// What is visible here under which name.
    pub visible: FxHashMap<Name, NsId>,
    pub types: FxHashMap<Name, Def>,
    /// Variables with the places that assign them.
    pub vars: Ordered<Name, Vec<Span>>,
    pub stmts: Vec<StmtId>,
    /// Is it one of ours?
    pub is_builtin: bool,
    /// Was it loaded? What only gives the root entity its name was not.
    pub is_loaded: bool,
}

/// What a type's name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Def {
    Entity(EntityId),
    Typedef(TypedefId),
    Implementation(ImplementationId),
    Function(FunctionId),
}

/// A type without a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Primitive {
    String,
    Int,
    Float,
    Number,
    Bool,
    List,
    Dict,
}

impl Primitive {
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
    pub base: Base,
    pub is_list: bool,
    pub is_nullable: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Base {
    Primitive(Primitive),
    Typedef(TypedefId),
    Entity(EntityId),
    /// Everything: in signatures only, like what follows.
    Any,
    Null,
    /// A list of anything.
    AnyList,
    /// A dict with any values.
    AnyDict,
    /// A dict with values of a type.
    DictOf(Box<Type>),
    Union(Vec<Type>),
}

impl Type {
    pub fn plain(base: Base) -> Type {
        Type { base, is_list: false, is_nullable: false }
    }
}

pub struct Entity {
    pub ns: NsId,
    pub name: Name,
    /// With its namespace.
    pub full_name: Name,
    pub name_span: Span,
    pub at: Span,
    pub doc: Option<Span>,
    pub parents: Vec<EntityId>,
    /// Itself and all ancestors; itself first, then in order of the walk upwards.
    pub lineage: Vec<EntityId>,
    pub children: Vec<EntityId>,
    /// What is declared here.
    pub own: Ordered<Name, AttrId>,
    /// Every attribute and end, inherited ones too; the position is the slot of an instance.
    pub slots: Ordered<Name, AttrId>,
    /// The defaults by slot.
    pub defaults: Vec<Option<Constant>>,
    /// Its own indexes and those of its ancestors.
    pub indexes: Vec<IndexId>,
    pub implements: Vec<ImplementId>,
}

/// A default value.
#[derive(Clone, Debug)]
pub struct Constant {
    pub value: Value,
    pub expr: ExprId,
}

pub struct Attr {
    pub name: Name,
    pub entity: EntityId,
    pub span: Span,
    pub kind: AttrKind,
    /// The declaration as messages show it.
    pub text: String,
}

pub enum AttrKind {
    Plain(Type),
    End(End),
}

/// A relation's end.
#[derive(Clone, Debug)]
pub struct End {
    pub target: EntityId,
    pub low: i64,
    pub high: Option<i64>,
    pub inverse: Option<AttrId>,
    /// When rules put its relation before others: its rank.
    pub precedence: Option<u32>,
}

impl End {
    pub fn shape(&self) -> Shape {
        match (self.low, self.high) {
            (1, Some(1)) => Shape::One,
            (0, Some(1)) => Shape::Optional,
            _ => Shape::List,
        }
    }
}

/// How an end behaves. Spec, 6.3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    One,
    Optional,
    List,
}

impl Attr {
    pub fn end(&self) -> Option<&End> {
        if let AttrKind::End(end) = &self.kind { Some(end) } else { None }
    }
}

pub struct Typedef {
    pub ns: NsId,
    pub full_name: Name,
    pub name_span: Span,
    pub base: Type,
    pub condition: ExprId,
    /// The condition, where it is a regular expression.
    pub pattern: Option<Arc<Pattern>>,
    pub doc: Option<Span>,
}

pub struct Implementation {
    pub ns: NsId,
    pub name: Name,
    pub full_name: Name,
    pub name_span: Span,
    pub entity: EntityId,
    pub body: Vec<StmtId>,
    pub n_vars: u32,
    pub doc: Option<Span>,
}

pub struct Implement {
    pub ns: NsId,
    pub entity: EntityId,
    pub entity_span: Span,
    pub implementations: Vec<ImplementationId>,
    pub with_parents: bool,
    pub condition: Option<ExprId>,
    /// As messages show it when it selects.
    pub text: String,
}

pub struct Index {
    pub entity: EntityId,
    /// Sorted by name.
    pub attrs: Vec<Name>,
    pub span: Span,
}

impl Program {
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

    /// Is `entity` the other one or a descendant of it?
    pub fn is_a(&self, entity: EntityId, ancestor: EntityId) -> bool {
        entity == ancestor || self.entities[entity].lineage.contains(&ancestor)
    }

    pub fn slot(&self, entity: EntityId, name: &str) -> Option<(usize, AttrId)> {
        self.entities[entity].slots.get_full(name).map(|(slot, _, attr)| (slot, *attr))
    }

    /// The type of an attribute, or the instance type of a relation's end.
    pub fn end(&self, attr: AttrId) -> Option<&End> {
        self.attrs[attr].end()
    }
}
