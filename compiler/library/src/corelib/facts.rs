//! Reading facts: helpers shared by functions.

use super::{CallContext, CallState, FnError};
use crate::value::Value;
use crate::vocab::{FactSpec, HostErrorKind};

/// A fact as a value; `None` until the host has answered.
///
/// Errors: fatal, with the host's message.
pub(crate) fn ask(world: &mut dyn CallContext, spec: &FactSpec) -> Result<Option<Value>, FnError> {
    match world.fact(spec) {
        None => Ok(None),
        Some(Ok(datum)) => Ok(Some(Value::from(&datum))),
        Some(Err(error)) => Err(FnError::fatal(error.message)),
    }
}

/// A fact that may be missing: `Some(None)` if it is.
///
/// Errors: fatal, with the host's message.
pub(crate) fn ask_optional(world: &mut dyn CallContext, spec: &FactSpec) -> Result<Option<Option<Value>>, FnError> {
    match world.fact(spec) {
        None => Ok(None),
        Some(Ok(datum)) => Ok(Some(Some(Value::from(&datum)))),
        Some(Err(error)) if error.kind == HostErrorKind::NotFound => Ok(Some(None)),
        Some(Err(error)) => Err(FnError::fatal(error.message)),
    }
}

/// The fact, or an early return of "no value yet".
macro_rules! known {
    ($fact:expr) => {
        match $fact? {
            Some(value) => value,
            None => return Ok(None),
        }
    };
}
pub(crate) use known;

/// A field of an answer, as text; empty if it is missing.
pub(crate) fn text_field(answer: &Value, field: &str) -> String {
    let text = answer.as_struct().and_then(|fields| fields.get(field)?.as_text().map(|text| text.into_owned()));
    text.unwrap_or_default()
}

/// A field of an answer, as an int; 0 if it is missing.
pub(crate) fn int_field(answer: &Value, field: &str) -> i64 {
    answer.as_struct().and_then(|fields| fields.get(field)?.as_int()).unwrap_or_default()
}

/// A field of an answer, as a bool; false if it is missing.
pub(crate) fn bool_field(answer: &Value, field: &str) -> bool {
    answer.as_struct().and_then(|fields| fields.get(field)?.as_bool()).unwrap_or_default()
}

/// A function with a key keeps the first one it gets. Functions spec, section 2.
///
/// Errors: fatal, if the key differs from the earlier one.
pub(crate) fn keep_first(world: &mut dyn CallContext, key: &str, what: &str) -> Result<(), FnError> {
    let state = world.state();
    match state.as_ref().and_then(CallState::get::<String>) {
        Some(known) if known == key => Ok(()),
        Some(known) => Err(FnError::fatal(format!("can't change {what}, previously: `{known}`"))),
        None => {
            *state = Some(CallState::new(key.to_string()));
            Ok(())
        }
    }
}
