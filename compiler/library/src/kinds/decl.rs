//! What a resource kind declares: its fields with types, its traits, its docs.

use super::host_type::HostType;
use crate::types::Type;
use crate::value::Value;

/// The declaration of a kind: data only, printed by the docs as it stands.
pub struct KindDecl {
    /// `file`, `http:server:file`.
    pub name: &'static str,
    /// In Markdown; the first sentence stands alone in lists.
    pub doc: &'static str,
    /// In declaration order; [`Params`] has the same places.
    pub fields: &'static [Field],
    pub traits: Traits,
    /// What a program finds below `$const.res.KIND.`: dotted name and value.
    pub constants: &'static [(&'static str, Constant)],
}

impl KindDecl {
    /// A kind that has fields and nothing else.
    pub const fn new(name: &'static str, doc: &'static str, fields: &'static [Field]) -> KindDecl {
        KindDecl { name, doc, fields, traits: Traits::NONE, constants: &[] }
    }

    /// The field of a name, unless it cannot be written in the language.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.index_of(name).map(|index| &self.fields[index])
    }

    /// The place of a field in [`KindDecl::fields`] and [`Params`].
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name && field.host.language().is_some())
    }

    /// What it can send under a name.
    pub fn sendable(&self, name: &str) -> Option<&'static Sendable> {
        self.traits.sends.iter().find(|sendable| sendable.name == name)
    }
}

/// One field (*param*) of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// As written in a program.
    pub name: &'static str,
    /// How it is stored, which also tells its type in the language.
    pub host: HostType,
    /// Unset is something else than the zero value.
    pub nullable: bool,
    /// A list of which null and empty are different things when two resources are compared.
    pub empty_differs: bool,
    pub default: FieldDefault,
    /// As golden cases print it (`AnotherStr`); it also sorts them.
    pub printed_name: &'static str,
    /// Validation refuses a resource without it.
    pub required: bool,
    pub compared: Compared,
    pub secrecy: Secrecy,
    pub doc: &'static str,
}

impl Field {
    pub const fn new(name: &'static str, printed_name: &'static str, host: HostType, doc: &'static str) -> Field {
        Field {
            name,
            host,
            nullable: false,
            empty_differs: false,
            default: FieldDefault::Zero,
            printed_name,
            required: false,
            compared: Compared::AsWritten,
            secrecy: Secrecy::Open,
            doc,
        }
    }

    pub const fn bool(name: &'static str, printed_name: &'static str, doc: &'static str) -> Field {
        Field::new(name, printed_name, HostType::Bool, doc)
    }

    pub const fn str(name: &'static str, printed_name: &'static str, doc: &'static str) -> Field {
        Field::new(name, printed_name, HostType::Str, doc)
    }

    /// A list of strings.
    pub(crate) const fn strs(name: &'static str, printed_name: &'static str, doc: &'static str) -> Field {
        Field::new(name, printed_name, HostType::STRS, doc)
    }

    pub const fn int(name: &'static str, printed_name: &'static str, host: HostType, doc: &'static str) -> Field {
        Field::new(name, printed_name, host, doc)
    }

    pub const fn nullable(mut self) -> Field {
        self.nullable = true;
        self
    }

    pub(crate) const fn empty_differs(mut self) -> Field {
        self.empty_differs = true;
        self
    }

    pub const fn required(mut self) -> Field {
        self.required = true;
        self
    }

    pub const fn default(mut self, default: FieldDefault) -> Field {
        self.default = default;
        self
    }

    /// Compared by the kind itself, together with the resource's name.
    pub const fn effective(mut self) -> Field {
        self.compared = Compared::Effective;
        self
    }

    /// Nobody is shown what it holds.
    pub const fn secret(mut self) -> Field {
        self.secrecy = Secrecy::Secret;
        self
    }

    /// A URL, in which a password may stand.
    pub const fn url(mut self) -> Field {
        self.secrecy = Secrecy::Url;
        self
    }

    pub(crate) const fn not_compared(mut self) -> Field {
        self.compared = Compared::Never;
        self
    }

    /// Its type in the language. A field that the language does not know (`complex64` of `test`)
    /// is never found by [`KindDecl::field`].
    pub fn ty(&self) -> Type {
        self.host.language().unwrap_or(Type::Variant)
    }

    /// What it holds while it is unset: the default, else the zero value; `None` is null.
    pub fn unset_value(&self) -> Option<Value> {
        match self.default {
            FieldDefault::Bool(value) => Some(Value::Bool(value)),
            FieldDefault::Int(value) => Some(Value::Int(value)),
            FieldDefault::Str(text) => Some(Value::str(text)),
            FieldDefault::StrMap(entries) => {
                Some(Value::map(entries.iter().map(|(key, value)| (Value::str(key), Value::str(value)))))
            }
            FieldDefault::Zero if self.nullable => None,
            FieldDefault::Zero => self.host.zero(),
        }
    }
}

/// What a field holds when the program says nothing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FieldDefault {
    /// Null, or the zero value of its type.
    Zero,
    Bool(bool),
    Int(i64),
    Str(&'static str),
    StrMap(&'static [(&'static str, &'static str)]),
}

/// How a field counts when two resources are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compared {
    AsWritten,
    /// Only what it comes to, with the resource's name and other fields.
    Effective,
    Never,
}

/// Who may see what a field holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Secrecy {
    Open,
    /// A password, a token, a key: it stands in no words, plan, log or trace, and on no command line.
    Secret,
    /// The password of a URL is such a secret; the rest is open.
    Url,
}

/// A constant that a kind offers to programs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Constant {
    Str(&'static str),
    Int(i64),
}

impl Constant {
    pub fn value(self) -> Value {
        match self {
            Constant::Str(text) => Value::str(text),
            Constant::Int(value) => Value::Int(value),
        }
    }
}

/// What a kind takes part in.
#[derive(Clone, Copy, Default, Debug)]
pub struct Traits {
    /// It claims or wants identities, so the autoedge switch means something.
    pub edgeable: bool,
    /// It says to take part in automatic edges and has none.
    pub edgeable_inert: bool,
    /// It may be grouped into others.
    pub groupable: bool,
    /// Others may be grouped into it.
    pub groups_others: bool,
    pub refreshable: bool,
    pub recvable: bool,
    pub reversible: bool,
    pub exportable: bool,
    pub interruptable: bool,
    pub graph_queryable: bool,
    /// One task per kind runs while any such resource is there.
    pub background: bool,
    /// Duplicates may merge.
    pub compatible: bool,
    /// It keeps files in the resource's state directory.
    pub uses_vardir: bool,
    /// What it can send: name, host type, nullable.
    pub sends: &'static [Sendable],
    /// All that it sends is as secret as a field that is marked so.
    pub sends_secrets: bool,
}

impl Traits {
    /// What every kind has: it can be exported.
    pub const NONE: Traits = Traits {
        edgeable: false,
        edgeable_inert: false,
        groupable: false,
        groups_others: false,
        refreshable: false,
        recvable: false,
        reversible: false,
        exportable: true,
        interruptable: false,
        graph_queryable: false,
        background: false,
        compatible: false,
        uses_vardir: false,
        sends: &[],
        sends_secrets: false,
    };
}

/// One of the values that a kind sends.
#[derive(Clone, Copy, Debug)]
pub struct Sendable {
    pub name: &'static str,
    pub host: HostType,
    pub nullable: bool,
}

impl Sendable {
    pub fn ty(&self) -> Type {
        self.host.language().unwrap_or(Type::Variant)
    }
}

/// The fields of one resource that were set, by declaration order. `None`: unset, that is the
/// default, or null.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    pub values: Vec<Option<Value>>,
}

impl Params {
    /// Nothing is set yet.
    pub fn unset(decl: &KindDecl) -> Params {
        Params { values: vec![None; decl.fields.len()] }
    }
}
