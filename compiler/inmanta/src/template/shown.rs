//! Output of values in templates. Spec, 13.

use super::budget::Budget;
use super::markup;
use super::scope::{Dict, List};
use super::whole::Big;
use crate::value::{python_float, quoted_text};
use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Output, Value};

/// null is `None`, booleans are `True` and `False`, floats keep their fraction. Inside `{% autoescape true %}` it is
/// escaped.
pub(super) fn write(out: &mut Output<'_>, value: &Value, is_markup: bool, budget: &Budget) -> Result<(), Error> {
    let failed = |_| Error::new(ErrorKind::WriteFailure, "");
    if is_markup && !value.is_safe() && !value.is_undefined() {
        budget.make(budget.weigh(value)?.size.saturating_mul(12))?;
        return out.write_str(&markup::escaped(&text(value))).map_err(failed);
    }
    match (value.as_str(), value.kind()) {
        (Some(text), _) => {
            budget.make(text.len() as u64)?;
            out.write_str(text).map_err(failed)
        }
        // Missing values are errors before this point; this is `{{ x if false }}`.
        (None, ValueKind::Undefined) => Ok(()),
        (None, _) => {
            budget.make(budget.weigh(value)?.size.saturating_mul(6))?;
            let text = repr(value);
            // An instance weighs less than its text.
            budget.make(text.len() as u64)?;
            out.write_str(&text).map_err(failed)
        }
    }
}

/// Whether it is a tuple in Python; the groups of `groupby` are, too.
fn is_tuple(value: &Value) -> bool {
    value.is_tuple() || value.get_attr("grouper").is_ok_and(|key| !key.is_undefined())
}

/// The types of the model's instances, lists and dicts in the original.
pub(super) const INSTANCE: &str = "DynamicProxy";
pub(super) const LIST: &str = "SequenceProxy";
pub(super) const DICT: &str = "DictProxy";

/// The type of `loop` in Jinja2.
pub(super) const LOOP: &str = "LoopContext";

/// The types of a template's own objects, by the ends of their names in Rust, in Jinja2.
const OBJECTS: [(&str, &str); 5] = [
    ("::Loop", LOOP),
    ("::Namespace", "Namespace"),
    ("::Macro", "Macro"),
    ("::Cycler", "Cycler"),
    ("::Joiner", "Joiner"),
];

/// Python's name of the type of a value.
pub(super) fn python_kind(value: &Value) -> &'static str {
    if value.downcast_object_ref::<List>().is_some() {
        return LIST;
    }
    if value.downcast_object_ref::<Dict>().is_some() {
        return DICT;
    }
    if value.is_tuple() {
        return "tuple";
    }
    if value.downcast_object_ref::<Big>().is_some() {
        return "int";
    }
    if let Some(object) = value.as_object()
        && let Some(&(_, kind)) = OBJECTS.iter().find(|(name, _)| object.type_name().ends_with(*name))
    {
        return kind;
    }
    match value.kind() {
        ValueKind::Undefined => "StrictUndefined",
        ValueKind::None => "NoneType",
        ValueKind::Bool => "bool",
        ValueKind::Number if value.is_integer() => "int",
        ValueKind::Number => "float",
        ValueKind::String => "str",
        ValueKind::Seq | ValueKind::Iterable => "list",
        ValueKind::Map => "dict",
        _ => INSTANCE,
    }
}

/// Jinja2's name for a value of a type.
pub(super) fn jinja_kind(python_kind: &str) -> String {
    match python_kind {
        "NoneType" => "None".into(),
        LOOP | "Macro" => format!("jinja2.runtime.{python_kind} object"),
        "Namespace" | "Cycler" | "Joiner" => format!("jinja2.utils.{python_kind} object"),
        INSTANCE | LIST | DICT => format!("inmanta.execute.proxy.{python_kind} object"),
        _ => format!("{python_kind} object"),
    }
}

/// A value as text, as Python's `str` does.
pub(super) fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| repr(value), str::to_owned)
}

/// A value in Python's `repr` form, as inside a list. Lists and dicts of the model are written as the model writes
/// them.
pub(super) fn repr(value: &Value) -> String {
    let mut out = String::new();
    push(&mut out, value);
    out
}

/// Writes the parts in sequence: each is copied once, however deep it is.
fn push(out: &mut String, value: &Value) {
    if let Some(list) = value.downcast_object_ref::<List>() {
        return out.push_str(&list.text());
    }
    if let Some(dict) = value.downcast_object_ref::<Dict>() {
        return out.push_str(&dict.text());
    }
    if let Some(text) = value.as_str() {
        return out.push_str(&quoted_text(text));
    }
    match (value.kind(), value.try_iter()) {
        (ValueKind::None, _) => out.push_str("None"),
        (ValueKind::Undefined, _) => out.push_str("Undefined"),
        (ValueKind::Bool, _) => out.push_str(if value.is_true() { "True" } else { "False" }),
        (ValueKind::Number, _) if !value.is_integer() => {
            out.push_str(&f64::try_from(value.clone()).map_or_else(|_| value.to_string(), python_float));
        }
        (ValueKind::Seq | ValueKind::Iterable, Ok(items)) => {
            let (begin, end) = if is_tuple(value) { ('(', ')') } else { ('[', ']') };
            out.push(begin);
            let mut n_items = 0;
            for (nr, item) in items.enumerate() {
                out.push_str(if nr > 0 { ", " } else { "" });
                push(out, &item);
                n_items = nr + 1;
            }
            out.push_str(if n_items == 1 && begin == '(' { "," } else { "" });
            out.push(end);
        }
        (ValueKind::Map, Ok(keys)) => {
            out.push('{');
            for (nr, key) in keys.enumerate() {
                out.push_str(if nr > 0 { ", " } else { "" });
                push(out, &key);
                out.push_str(": ");
                push(out, &value.get_item(&key).unwrap_or_else(|_| Value::from(())));
            }
            out.push('}');
        }
        _ => out.push_str(&value.to_string()),
    }
}
