//! Values that filters of Jinja2 refuse, with the errors of Python; minijinja takes some of them, or has words of its
//! own.

use super::shown::python_kind;
use super::whole;
use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Value};

/// Errors: the filter cannot be applied to the value.
pub(super) fn check(filter: &str, value: &Value) -> Result<(), Error> {
    if value.is_undefined() {
        return Ok(());
    }
    let kind = python_kind(value);
    let is_map = value.kind() == ValueKind::Map;
    let is_number = matches!(value.kind(), ValueKind::Bool | ValueKind::Number) || whole::is_big(value);
    let has_no_parts = is_number || value.is_none();
    let text = match filter {
        "abs" if !is_number => format!("TypeError: bad operand type for abs(): '{kind}'"),
        "round" if !is_number => format!("TypeError: type {kind} doesn't define __round__ method"),
        "items" if !is_map => "TypeError: Can only get item pairs from a mapping.".to_owned(),
        "xmlattr" if !is_map => format!("AttributeError: '{kind}' object has no attribute 'items'"),
        "last" if has_no_parts => format!("TypeError: '{kind}' object is not reversible"),
        "reverse" if has_no_parts => "FilterArgumentError: argument must be iterable".to_owned(),
        "truncate" if has_no_parts => format!("TypeError: object of type '{kind}' has no len()"),
        "indent" if has_no_parts => format!("TypeError: unsupported operand type(s) for +=: '{kind}' and 'str'"),
        "indent" if kind == "dict" => "TypeError: unsupported operand type(s) for +=: 'dict' and 'str'".to_owned(),
        "indent" if kind == "tuple" => "TypeError: can only concatenate tuple (not \"str\") to tuple".to_owned(),
        // A list gets the end of a line as an element.
        "indent" if kind == "list" => "AttributeError: 'list' object has no attribute 'splitlines'".to_owned(),
        "wordwrap" if has_no_parts || matches!(kind, "list" | "tuple" | "dict") => {
            format!("AttributeError: '{kind}' object has no attribute 'splitlines'")
        }
        _ if has_no_parts && value.is_true() && is_lazy(filter) => {
            format!("TypeError: '{kind}' object is not iterable")
        }
        _ => return Ok(()),
    };
    Err(Error::new(ErrorKind::InvalidOperation, text))
}

/// Whether the filter gives nothing, as for an empty list: it does not look into a value that counts as false.
pub(super) fn is_skipped(filter: &str, value: &Value) -> bool {
    is_lazy(filter) && matches!(value.kind(), ValueKind::None | ValueKind::Bool | ValueKind::Number) && !value.is_true()
}

fn is_lazy(filter: &str) -> bool {
    matches!(filter, "map" | "select" | "reject" | "selectattr" | "rejectattr")
}
