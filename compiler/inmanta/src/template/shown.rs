//! How values are written by a template. Spec, 13.

use super::scope::{Dict, List, Shared};
use crate::value::{NoInstances, printed, python_float};
use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Output, Value};

/// null is `None`, booleans are `True` and `False`, floats keep their fraction, lists and dicts begin with `@`.
pub(super) fn write(out: &mut Output<'_>, value: &Value, _shared: &Shared) -> Result<(), Error> {
    let text = if let Some(list) = value.downcast_object_ref::<List>() {
        printed(&list.values, &NoInstances)
    } else if let Some(dict) = value.downcast_object_ref::<Dict>() {
        printed(&dict.values, &NoInstances)
    } else {
        match value.kind() {
            ValueKind::Undefined => return Err(Error::new(ErrorKind::UndefinedError, "")),
            ValueKind::None => "None".into(),
            ValueKind::Bool => {
                if value.is_true() {
                    "True".into()
                } else {
                    "False".into()
                }
            }
            ValueKind::Number if !value.is_integer() => {
                f64::try_from(value.clone()).map_or_else(|_| value.to_string(), python_float)
            }
            _ => value.to_string(),
        }
    };
    out.write_str(&text).map_err(|_| Error::new(ErrorKind::WriteFailure, ""))
}
