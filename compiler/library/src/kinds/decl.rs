//! The declaration of a resource kind: fields with types, traits, docs.

use super::host_type::HostType;
use super::required::Required;
use crate::types::Type;
use crate::value::Value;
use std::sync::Arc;

/// The declaration of a kind: only data, also printed in the docs.
pub struct KindDecl {
    /// `file`, `http:server:file`.
    pub name: &'static str,
    /// The description, in Markdown; the first sentence is used alone in lists.
    pub doc: &'static str,
    /// In declaration order; [`Params`] uses the same indices.
    pub fields: &'static [Field],
    /// Its traits.
    pub traits: Traits,
    /// The constants below `$const.res.KIND.`: dotted name and value.
    pub constants: &'static [(&'static str, Constant)],
    /// What the policy of a host must list for it, in the order of the docs.
    pub policy: &'static [Required],
}

impl KindDecl {
    /// A kind with only fields.
    pub const fn new(name: &'static str, doc: &'static str, fields: &'static [Field]) -> KindDecl {
        KindDecl { name, doc, fields, traits: Traits::NONE, constants: &[], policy: &[] }
    }

    /// The field of this name, if it exists in the language.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.index_of(name).map(|index| &self.fields[index])
    }

    /// The index of a field in [`KindDecl::fields`] and [`Params`].
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.position(name).filter(|index| self.fields[*index].host.language().is_some())
    }

    /// The index of a declared field, whether it exists in the language or not.
    ///
    /// Cost: each resource is asked for dozens of fields, and many names have the same length, so first letters are
    /// compared before texts.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let first = name.as_bytes().first();
        let may_be = |known: &str| known.len() == name.len() && known.as_bytes().first() == first;
        self.fields.iter().position(|field| may_be(field.name) && field.name == name)
    }

    /// The sendable of this name.
    pub fn sendable(&self, name: &str) -> Option<&'static Sendable> {
        self.traits.sends.iter().find(|sendable| sendable.name == name)
    }
}

/// One field (*param*) of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// As written in a program.
    pub name: &'static str,
    /// How it is stored, which also determines its type in the language.
    pub host: HostType,
    /// Whether unset differs from the zero value.
    pub nullable: bool,
    /// Whether null and the empty list are different when two resources are compared.
    pub empty_differs: bool,
    /// The value if it is unset.
    pub default: FieldDefault,
    /// The name in golden cases (`AnotherStr`); printed fields are sorted by it.
    pub printed_name: &'static str,
    /// Whether validation refuses a resource without it.
    pub required: bool,
    /// How it is compared.
    pub compared: Compared,
    /// Whether it is secret.
    pub secrecy: Secrecy,
    /// The description, in Markdown.
    pub doc: &'static str,
}

impl Field {
    /// A field with the usual settings.
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

    /// A bool field.
    pub const fn bool(name: &'static str, printed_name: &'static str, doc: &'static str) -> Field {
        Field::new(name, printed_name, HostType::Bool, doc)
    }

    /// A string field.
    pub const fn str(name: &'static str, printed_name: &'static str, doc: &'static str) -> Field {
        Field::new(name, printed_name, HostType::Str, doc)
    }

    /// A list of strings.
    pub(crate) const fn strs(name: &'static str, printed_name: &'static str, doc: &'static str) -> Field {
        Field::new(name, printed_name, HostType::STRS, doc)
    }

    /// An int field.
    pub const fn int(name: &'static str, printed_name: &'static str, host: HostType, doc: &'static str) -> Field {
        Field::new(name, printed_name, host, doc)
    }

    /// Makes it nullable.
    pub const fn nullable(mut self) -> Field {
        self.nullable = true;
        self
    }

    pub(crate) const fn empty_differs(mut self) -> Field {
        self.empty_differs = true;
        self
    }

    /// Makes it required.
    pub const fn required(mut self) -> Field {
        self.required = true;
        self
    }

    /// Sets its default.
    pub const fn default(mut self, default: FieldDefault) -> Field {
        self.default = default;
        self
    }

    /// The kind compares it itself, together with the resource's name.
    pub const fn effective(mut self) -> Field {
        self.compared = Compared::Effective;
        self
    }

    /// Its content is never displayed.
    pub const fn secret(mut self) -> Field {
        self.secrecy = Secrecy::Secret;
        self
    }

    /// A URL, which may contain a password.
    pub const fn url(mut self) -> Field {
        self.secrecy = Secrecy::Url;
        self
    }

    /// A map of options, one of which may be a password.
    pub(crate) const fn options(mut self) -> Field {
        self.secrecy = Secrecy::Options;
        self
    }

    /// For duplicate resources, the order of its items does not matter, and an empty list equals an unset one; for a
    /// running resource, both are changes.
    pub(crate) const fn loosely(mut self) -> Field {
        self.compared = Compared::Loosely;
        self
    }

    pub(crate) const fn not_compared(mut self) -> Field {
        self.compared = Compared::Never;
        self
    }

    /// Its type in the language. Fields that do not exist in the language (`complex64` of `test`) are not found by
    /// [`KindDecl::field`].
    pub fn ty(&self) -> Type {
        self.host.language().unwrap_or(Type::Variant)
    }

    /// The value while it is unset: the default, otherwise the zero value; `None` is null.
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

/// The default of a field.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FieldDefault {
    /// Null, or the zero value of its type.
    Zero,
    /// This bool.
    Bool(bool),
    /// This int.
    Int(i64),
    /// This string.
    Str(&'static str),
    /// A map of these strings.
    StrMap(&'static [(&'static str, &'static str)]),
}

/// How a field is compared between two resources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compared {
    /// By its written value.
    AsWritten,
    /// By its effective value, which also depends on the resource's name and other fields.
    Effective,
    /// By the kind itself, which ignores differences that matter while it runs.
    Loosely,
    /// Not at all.
    Never,
}

/// Whether the content of a field may be displayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Secrecy {
    /// It may.
    Open,
    /// A password, a token, a key: it never appears in descriptions, plans, logs, traces, or on a command line.
    Secret,
    /// The password of a URL is secret, and a user without one, which is a token; the rest is not.
    Url,
    /// In a map of options those that are passwords are secret; the rest is not.
    Options,
}

/// A constant of a kind.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Constant {
    /// A string.
    Str(&'static str),
    /// An int.
    Int(i64),
}

impl Constant {
    /// Its value.
    pub fn value(self) -> Value {
        match self {
            Constant::Str(text) => Value::str(text),
            Constant::Int(value) => Value::Int(value),
        }
    }
}

/// The traits of a kind.
#[derive(Clone, Copy, Default, Debug)]
pub struct Traits {
    /// It claims or wants something, so automatic edges apply.
    pub edgeable: bool,
    /// It declares automatic edges but has none.
    pub edgeable_inert: bool,
    /// It can be grouped into others.
    pub groupable: bool,
    /// Others can be grouped into it.
    pub groups_others: bool,
    /// It reacts to notifications.
    pub refreshable: bool,
    /// It can receive values.
    pub recvable: bool,
    /// It can be undone.
    pub reversible: bool,
    /// It can be exported.
    pub exportable: bool,
    /// Its check can be interrupted.
    pub interruptable: bool,
    /// It must know about other resources.
    pub graph_queryable: bool,
    /// A task per kind runs while such a resource exists.
    pub background: bool,
    /// Duplicates can be merged.
    pub compatible: bool,
    /// It keeps files in the resource's state directory.
    pub uses_vardir: bool,
    /// Its sendables.
    pub sends: &'static [Sendable],
    /// Everything it sends is secret.
    pub sends_secrets: bool,
}

impl Traits {
    /// The default: exportable only.
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

/// A value that a kind can send.
#[derive(Clone, Copy, Debug)]
pub struct Sendable {
    /// Its name.
    pub name: &'static str,
    /// How it is stored.
    pub host: HostType,
    /// Whether it may be null.
    pub nullable: bool,
}

impl Sendable {
    /// Its type in the language.
    pub fn ty(&self) -> Type {
        self.host.language().unwrap_or(Type::Variant)
    }
}

/// The set fields of a resource. The others are unset, which means the default, or null.
///
/// A graph may have a hundred thousand resources, and most set few of many fields: so only those are stored, and copies
/// share them.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Params {
    /// By index of [`KindDecl::fields`], ascending.
    set: Arc<Vec<(usize, Value)>>,
}

impl Params {
    /// No field is set, but there is room for this many.
    pub fn with_room(n_fields: usize) -> Params {
        Params { set: Arc::new(Vec::with_capacity(n_fields)) }
    }

    /// The value of the field at an index, if it is set.
    pub fn get(&self, index: usize) -> Option<&Value> {
        self.set.iter().find(|(known, _)| *known == index).map(|(_, value)| value)
    }

    /// Sets the field at an index.
    pub fn set(&mut self, index: usize, value: Value) {
        let set = Arc::make_mut(&mut self.set);
        match set.binary_search_by_key(&index, |(known, _)| *known) {
            Ok(at) => set[at].1 = value,
            Err(at) => set.insert(at, (index, value)),
        }
    }

    /// Unsets the field at an index.
    pub fn clear(&mut self, index: usize) {
        if self.get(index).is_some() {
            Arc::make_mut(&mut self.set).retain(|(known, _)| *known != index);
        }
    }

    /// The set fields with their indices, in declaration order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Value)> {
        self.set.iter().map(|(index, value)| (*index, value))
    }

    /// Whether the same fields have the same values ([`Value::is_same`]).
    pub fn is_same(&self, other: &Params) -> bool {
        let mut pairs = self.set.iter().zip(&*other.set);
        self.set.len() == other.set.len() && pairs.all(|((at, a), (other, b))| at == other && a.is_same(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_in_declaration_order_however_they_are_set() {
        let (mut one, mut other) = (Params::default(), Params::with_room(2));
        for index in [5, 0, 2] {
            one.set(index, Value::Int(index as i64));
        }
        let shared = one.clone();
        one.clear(0);
        one.clear(7);
        one.set(5, Value::Int(6));
        other.set(2, Value::Int(2));
        other.set(5, Value::Int(6));
        assert!(one == other && one.is_same(&other) && one != shared && !one.is_same(&shared));
        assert_eq!(shared.iter().map(|(index, _)| index).collect::<Vec<_>>(), [0, 2, 5]);
        assert_eq!((shared.get(5), shared.get(0), one.get(0)), (Some(&Value::Int(5)), Some(&Value::Int(0)), None));
    }
}
