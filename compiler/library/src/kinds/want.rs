//! [`Want`]: one resource as its kind sees it, with its fields by name.

use super::decl::{Field, FieldDefault, KindDecl, Params};
use super::meta::Meta;
use crate::value::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// A resource: its kind's declaration, its name, its fields, its meta parameters.
#[derive(Clone, Copy)]
pub struct Want<'a> {
    pub decl: &'static KindDecl,
    pub name: &'a str,
    pub params: &'a Params,
    pub meta: &'a Meta,
    /// The resource's grouped children; `&()` when there are none.
    pub children: &'a dyn Members,
}

/// Grouped children, wherever they are kept.
pub trait Members {
    fn n_members(&self) -> usize;
    fn member(&self, index: usize) -> Want<'_>;
}

/// One of them, as the engine has it.
pub trait Member {
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

/// The accessors take the name of a declared field and read the default, or the zero value, while
/// it is unset. A name that is not declared, or another type, is a mistake of ours.
impl<'a> Want<'a> {
    pub fn members(&self) -> impl Iterator<Item = Want<'a>> + use<'a> {
        let children = self.children;
        (0..children.n_members()).map(|index| children.member(index))
    }

    /// The declaration of a field, and what was set.
    fn field(&self, name: &str) -> Option<(&'static Field, Option<&'a Value>)> {
        let index = self.decl.fields.iter().position(|known| known.name == name);
        debug_assert!(index.is_some(), "`{}` has no field `{name}`", self.decl.name);
        let index = index?;
        Some((&self.decl.fields[index], self.params.values.get(index)?.as_ref()))
    }

    /// What was set, if anything.
    pub fn set(&self, field: &str) -> Option<&'a Value> {
        self.field(field)?.1
    }

    /// What was set, and the default.
    fn set_or_default(&self, field: &str) -> (Option<&'a Value>, Option<FieldDefault>) {
        match self.field(field) {
            Some((field, set)) => (set, Some(field.default)),
            None => (None, None),
        }
    }

    /// What it holds: what was set, else the default, else the zero value; `None` for null.
    pub fn get(&self, field: &str) -> Option<Value> {
        match self.field(field)? {
            (_, Some(value)) => Some(value.clone()),
            (field, None) => field.unset_value(),
        }
    }

    /// The bytes of a string; empty when unset.
    pub fn bytes(&self, field: &str) -> Arc<[u8]> {
        match self.get(field) {
            Some(Value::Str(bytes)) => bytes,
            _ => Default::default(),
        }
    }

    /// The text of a string; empty when unset. Bytes that are no UTF-8 become U+FFFD.
    pub fn text(&self, field: &str) -> Cow<'a, str> {
        match self.set_or_default(field) {
            (Some(Value::Str(bytes)), _) => String::from_utf8_lossy(bytes),
            (None, Some(FieldDefault::Str(text))) => Cow::Borrowed(text),
            (Some(_) | None, _) => Cow::Borrowed(""),
        }
    }

    /// The text of a nullable string; `None` while it is null.
    pub(crate) fn text_if_set(&self, field: &str) -> Option<Cow<'a, str>> {
        self.set(field)?.as_bytes().map(|bytes| String::from_utf8_lossy(bytes))
    }

    /// *Effective* field (resource spec, 1.2): the field, or the resource's name when it is empty.
    pub fn effective(&self, field: &str) -> Cow<'a, str> {
        let text = self.text(field);
        if text.is_empty() { Cow::Borrowed(self.name) } else { text }
    }

    pub fn bool(&self, field: &str) -> bool {
        match self.set_or_default(field) {
            (Some(value), _) => value.as_bool().unwrap_or(false),
            (None, default) => default == Some(FieldDefault::Bool(true)),
        }
    }

    pub fn int(&self, field: &str) -> i64 {
        match self.set_or_default(field) {
            (Some(value), _) => value.as_int().unwrap_or(0),
            (None, Some(FieldDefault::Int(value))) => value,
            (None, _) => 0,
        }
    }

    /// The elements of a list; empty when unset.
    pub fn items(&self, field: &str) -> &'a [Value] {
        match self.set(field) {
            Some(Value::List(items)) => items,
            _ => &[],
        }
    }

    /// The elements of a list of strings; empty when unset.
    pub fn texts(&self, field: &str) -> Vec<Cow<'a, str>> {
        self.items(field).iter().map(|item| item.as_text().unwrap_or_default()).collect()
    }

    /// The entries of a map; the default when unset.
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
