//! The types of what methods of strings are given: another one is an error in the words of Python.

use super::shown::python_kind;
use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Value};

/// Errors: the method of a string does not take an argument of this type.
pub(super) fn check(text: &Value, method: &str, args: &[Value]) -> Result<(), Error> {
    if text.as_str().is_none() {
        return Ok(());
    }
    for (nr, arg) in args.iter().enumerate().filter(|(_, arg)| !arg.is_kwargs() && !arg.is_undefined()) {
        if let Some(wrong) = refusal(method, nr, arg) {
            return Err(Error::new(ErrorKind::InvalidOperation, format!("TypeError: {wrong}")));
        }
    }
    Ok(())
}

fn refusal(method: &str, nr: usize, arg: &Value) -> Option<String> {
    let kind = python_kind(arg);
    let (is_text, is_none) = (arg.as_str().is_some(), arg.is_none());
    let is_whole = arg.is_integer() || arg.kind() == ValueKind::Bool;
    let is_list = matches!(arg.kind(), ValueKind::Seq | ValueKind::Iterable);
    Some(match (method, nr) {
        ("center" | "ljust" | "rjust" | "zfill", 0) if !is_whole => {
            format!("'{kind}' object cannot be interpreted as an integer")
        }
        ("split" | "rsplit", 0) if !is_text && !is_none => format!("must be str or None, not {kind}"),
        ("strip" | "lstrip" | "rstrip", 0) if !is_text && !is_none => format!("{method} arg must be None or str"),
        ("startswith" | "endswith", 0) if !is_text && !is_list => {
            format!("{method} first arg must be str or a tuple of str, not {kind}")
        }
        ("replace", 0 | 1) if !is_text => format!("replace() argument {} must be str, not {kind}", nr + 1),
        ("removeprefix" | "removesuffix", 0) if !is_text => format!("{method}() argument must be str, not {kind}"),
        ("count" | "find" | "index" | "partition" | "rfind" | "rindex" | "rpartition", 0) if !is_text => {
            format!("must be str, not {kind}")
        }
        ("join", 0) if is_whole || is_none => "can only join an iterable".into(),
        _ => return None,
    })
}
