//! Validation rules shared by several kinds, each with its reason.

use crate::value::Value;
use crate::vocab::Datum;

/// Refuses with a reason unless the condition holds.
pub(super) fn ensure(holds: bool, reason: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(reason.into()) }
}

/// Refuses a text that is not one of these.
pub(super) fn one_of(text: &str, allowed: &[&str], reason: impl FnOnce() -> String) -> Result<(), String> {
    if allowed.contains(&text) { Ok(()) } else { Err(reason()) }
}

/// Checks that the state is one of these; an empty one is unmanaged.
pub(super) fn known_state(state: &str, allowed: &[&str]) -> Result<(), String> {
    one_of_named("state", state, allowed)
}

/// Checks that a field has one of these values; an empty one among them leaves it unmanaged.
pub(super) fn one_of_named(field: &str, value: &str, allowed: &[&str]) -> Result<(), String> {
    one_of(value, allowed, || {
        let named: Vec<String> =
            allowed.iter().filter(|known| !known.is_empty()).map(|known| format!("`{known}`")).collect();
        let (last, others) = named.split_last().expect("a field has values");
        let known = if others.is_empty() { last.clone() } else { format!("{} or {last}", others.join(", ")) };
        match value {
            "" => format!("`{field}` is missing: it must be {known}"),
            value => format!("`{field}` must be {known}, not `{value}`"),
        }
    })
}

/// `exists` or `absent`.
pub(super) fn exists_or_absent(state: &str) -> Result<(), String> {
    known_state(state, &["exists", "absent"])
}

/// An absolute path that is not a directory: no trailing slash.
pub(super) fn absolute_file(what: &str, path: &str) -> Result<(), String> {
    ensure(path.starts_with('/'), format!("{what} must be absolute"))?;
    ensure(!path.ends_with('/'), format!("{what} must not end with a slash"))
}

/// A directory: absolute, with a trailing slash.
pub(super) fn absolute_dir(what: &str, path: &str) -> Result<(), String> {
    ensure(path.starts_with('/'), format!("{what} must be absolute"))?;
    ensure(path.ends_with('/'), format!("{what} must be a directory, with a slash at the end"))
}

/// A local user name; dots are allowed after the first letter: `first.last`.
pub(super) fn is_user_name(name: &str) -> bool {
    is_account_name(&name.replace('.', "_")) && !name.starts_with('.')
}

/// A local group name: a letter or underscore, then at most thirty letters, digits, underscores and dashes.
pub(super) fn is_account_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    bytes.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
        && bytes.len() <= 31
        && bytes.iter().all(word)
}

/// Whether a file exists according to the answer about its state.
pub(super) fn file_exists(state: &Datum) -> bool {
    let state = Value::from(state);
    state.as_struct().and_then(|state| state.get("exists")).and_then(Value::as_bool).unwrap_or(false)
}
