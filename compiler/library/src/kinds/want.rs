//! [`Want`]: one resource as its kind sees it, with access to fields by name.

use super::decl::{Field, FieldDefault, KindDecl, Params};
use super::meta::Meta;
use crate::value::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// A resource: its kind's declaration, name, fields and meta parameters.
#[derive(Clone, Copy)]
pub struct Want<'a> {
    /// The kind's declaration.
    pub decl: &'static KindDecl,
    /// The name.
    pub name: &'a str,
    /// The fields.
    pub params: &'a Params,
    /// The meta parameters.
    pub meta: &'a Meta,
    /// The resource's grouped children; `&()` if there are none.
    pub children: &'a dyn Members,
}

/// Grouped children, however they are stored.
pub trait Members {
    /// The number of children.
    fn n_members(&self) -> usize;
    /// The child at an index.
    fn member(&self, index: usize) -> Want<'_>;
}

/// One of them, in the engine's form.
pub trait Member {
    /// The resource as its kind sees it.
    fn want(&self) -> Want<'_>;
}

impl<M: Member> Members for Vec<Arc<M>> {
    fn n_members(&self) -> usize {
        self.len()
    }

    fn member(&self, index: usize) -> Want<'_> {
        self[index].want()
    }
}

impl Members for () {
    fn n_members(&self) -> usize {
        0
    }

    fn member(&self, index: usize) -> Want<'_> {
        unreachable!("member {index} of nothing")
    }
}

/// The accessors take the name of a declared field and return the default, or the zero value, while it is unset. An
/// undeclared name, or another type, is a bug.
impl<'a> Want<'a> {
    /// The grouped children in order.
    pub fn members(&self) -> impl Iterator<Item = Want<'a>> + use<'a> {
        let children = self.children;
        (0..children.n_members()).map(|index| children.member(index))
    }

    /// The declaration of a field, and its value if set.
    fn field(&self, name: &str) -> Option<(&'static Field, Option<&'a Value>)> {
        let index = self.decl.position(name);
        debug_assert!(index.is_some(), "`{}` has no field `{name}`", self.decl.name);
        let index = index?;
        Some((&self.decl.fields[index], self.params.get(index)))
    }

    /// The value, if set.
    pub fn set(&self, field: &str) -> Option<&'a Value> {
        self.field(field)?.1
    }

    /// The value if set, and the default.
    fn set_or_default(&self, field: &str) -> (Option<&'a Value>, Option<FieldDefault>) {
        match self.field(field) {
            Some((field, set)) => (set, Some(field.default)),
            None => (None, None),
        }
    }

    /// The value: the set one, otherwise the default, otherwise the zero value; `None` for null.
    pub fn get(&self, field: &str) -> Option<Value> {
        match self.field(field)? {
            (_, Some(value)) => Some(value.clone()),
            (field, None) => field.unset_value(),
        }
    }

    /// The bytes of a string; empty if unset.
    pub fn bytes(&self, field: &str) -> Arc<[u8]> {
        match self.get(field) {
            Some(Value::Str(bytes)) => bytes,
            _ => Default::default(),
        }
    }

    /// The text of a string; empty if unset. Invalid UTF-8 becomes U+FFFD.
    pub fn text(&self, field: &str) -> Cow<'a, str> {
        match self.set_or_default(field) {
            (Some(Value::Str(bytes)), _) => String::from_utf8_lossy(bytes),
            (None, Some(FieldDefault::Str(text))) => Cow::Borrowed(text),
            (Some(_) | None, _) => Cow::Borrowed(""),
        }
    }

    /// The text of a nullable string; `None` if it is null.
    pub(crate) fn text_if_set(&self, field: &str) -> Option<Cow<'a, str>> {
        self.set(field)?.as_bytes().map(|bytes| String::from_utf8_lossy(bytes))
    }

    /// *Effective* field (resource spec, 1.2): the field, or the resource's name if it is empty.
    pub fn effective(&self, field: &str) -> Cow<'a, str> {
        let text = self.text(field);
        if text.is_empty() { Cow::Borrowed(self.name) } else { text }
    }

    /// A bool; false if unset.
    pub fn bool(&self, field: &str) -> bool {
        match self.set_or_default(field) {
            (Some(value), _) => value.as_bool().unwrap_or(false),
            (None, default) => default == Some(FieldDefault::Bool(true)),
        }
    }

    /// An int; 0 if unset.
    pub fn int(&self, field: &str) -> i64 {
        match self.set_or_default(field) {
            (Some(value), _) => value.as_int().unwrap_or(0),
            (None, Some(FieldDefault::Int(value))) => value,
            (None, _) => 0,
        }
    }

    /// The items of a list; empty if unset.
    pub fn items(&self, field: &str) -> &'a [Value] {
        match self.set(field) {
            Some(Value::List(items)) => items,
            _ => &[],
        }
    }

    /// The items of a list of strings; empty if unset.
    pub fn texts(&self, field: &str) -> Vec<Cow<'a, str>> {
        self.items(field).iter().map(|item| item.as_text().unwrap_or_default()).collect()
    }

    /// The entries of a map; the default if unset.
    pub fn map(&self, field: &str) -> Arc<Map> {
        match self.get(field) {
            Some(Value::Map(map)) => map,
            _ => Default::default(),
        }
    }
}

/// `kind[name]`.
impl std::fmt::Display for Want<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.decl.name, self.name)
    }
}
