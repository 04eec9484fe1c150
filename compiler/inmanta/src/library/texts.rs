//! Functions on texts.

use super::Definition;
use crate::eval::{Call, Stop};
use crate::value::{Arguments, InstId, Value, fill, json, printed, python_json};
use std::cell::RefCell;

/// The cost of a part of a text that becomes a separate value: with its place in a growing list.
const PART: usize = 80;

type Answer = Result<Value, Stop>;

pub(super) static DEFS: &[Definition] = &[
    Definition::new("std::print", "print(message: any) -> any", "Prints a line to standard output.", print),
    Definition::new(
        "std::length",
        "length(value: string) -> int",
        "Returns the number of characters in a string.",
        length,
    )
    .examples(&[("std::length(\"abc\")", "3")]),
    Definition::new(
        "std::replace",
        "replace(string: string, old: string, new: string) -> string",
        "Replaces all occurrences of a substring.",
        replace,
    )
    .examples(&[("std::replace(\"banana\", \"a\", \"o\")", "\"bonono\"")]),
    Definition::new(
        "std::split",
        "split(string_list: string, delim: string) -> list",
        "Splits a string at a delimiter.",
        split,
    )
    .examples(&[("std::split(\"a,b,,c\", \",\")", "[\"a\", \"b\", \"\", \"c\"]")]),
    Definition::new("std::upper", "upper(string: string) -> string", "Converts a string to upper case.", upper)
        .examples(&[("std::upper(\"aBc\")", "\"ABC\"")]),
    Definition::new("std::lower", "lower(string: string) -> string", "Converts a string to lower case.", lower)
        .examples(&[("std::lower(\"aBc\")", "\"abc\"")]),
    Definition::new(
        "std::capitalize",
        "capitalize(string: string) -> string",
        "Converts the first character to upper case and the rest to lower case.",
        capitalize,
    )
    .examples(&[("std::capitalize(\"abc DEF\")", "\"Abc def\"")]),
    Definition::new(
        "std::limit",
        "limit(string: string, length: int) -> string",
        "Returns at most the first `length` characters.",
        limit,
    )
    .examples(&[("std::limit(\"abcdef\", 3)", "\"abc\"")]),
    Definition::new(
        "std::hostname",
        "hostname(fqdn: string) -> string",
        "Returns the part of a host name before the first dot.",
        hostname,
    )
    .examples(&[("std::hostname(\"a.b.c\")", "\"a\"")]),
    Definition::new(
        "std::format",
        "format(__string: string, *args: any, **kwargs: any) -> string",
        "Fills in the fields of a format string.",
        format,
    ),
    Definition::new("std::json_dumps", "json_dumps(obj: any) -> string", "Encodes a value as JSON.", json_dumps)
        .examples(&[("std::json_dumps({\"a\": [1, 2.0, null]})", "\"{\\\"a\\\": [1, 2.0, null]}\"")]),
    Definition::new("std::json_loads", "json_loads(s: string) -> any", "Decodes a JSON string.", json_loads)
        .examples(&[("std::json_loads(\"[1, 2.5]\")", "[1, 2.5]")]),
    Definition::new(
        "std::is_base64_encoded",
        "is_base64_encoded(s: string) -> bool",
        "Reports whether a string is valid Base64.",
        is_base64,
    )
    .examples(&[("std::is_base64_encoded(\"aGVsbG8=\")", "true"), ("std::is_base64_encoded(\"a\")", "false")]),
    Definition::new(
        "std::assert",
        "assert(expression: bool, message: string = \"\") -> any",
        "Fails the compilation if the expression is false.",
        assert,
    ),
    Definition::new(
        "std::equals",
        "equals(arg1: any, arg2: any, desc: string = null) -> any",
        "Fails the compilation if two values differ.",
        equals,
    )
    .deprecated("the `==` binary operator"),
    Definition::new("std::to_number", "to_number(value: any) -> number", "Converts a string to a number.", to_number),
    Definition::new(
        "std::unique_file",
        "unique_file(prefix: string, seed: string, suffix: string, length: int = 20) -> string",
        "Returns a file name derived from a seed.",
        unique_file,
    ),
];

fn text(text: impl AsRef<str>) -> Answer {
    Ok(Value::str(text.as_ref()))
}

fn print(call: &mut Call<'_, '_>) -> Answer {
    let line = printed(call.arg(0), call.names());
    call.spend(line.len())?;
    call.print(line);
    Ok(Value::Null)
}

fn length(call: &mut Call<'_, '_>) -> Answer {
    Ok(Value::int(call.text(0).chars().count() as i64))
}

fn replace(call: &mut Call<'_, '_>) -> Answer {
    let (old, new) = (call.text(1).to_owned(), call.text(2).to_owned());
    let n_hits = call.text(0).matches(&*old).count();
    call.spend(n_hits.saturating_mul(new.len()))?;
    text(call.text(0).replace(&*old, &new))
}

fn split(call: &mut Call<'_, '_>) -> Answer {
    if call.text(1).is_empty() {
        return Err(Stop::Failed("ValueError: empty separator".into()));
    }
    let n_parts = call.text(0).matches(call.text(1)).count() + 1;
    call.spend(n_parts.saturating_mul(PART))?;
    Ok(Value::raw_list(call.text(0).split(call.text(1)).map(Value::str).collect()))
}

fn upper(call: &mut Call<'_, '_>) -> Answer {
    text(call.text(0).to_uppercase())
}

fn lower(call: &mut Call<'_, '_>) -> Answer {
    text(call.text(0).to_lowercase())
}

fn capitalize(call: &mut Call<'_, '_>) -> Answer {
    let mut chars = call.text(0).chars();
    let first: String = chars.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    text(first + &chars.as_str().to_lowercase())
}

fn limit(call: &mut Call<'_, '_>) -> Answer {
    let length = call.int(1)?;
    let n_chars = call.text(0).chars().count() as i64;
    let length = if length < 0 { (n_chars + length).max(0) } else { length };
    text(call.text(0).chars().take(length as usize).collect::<String>())
}

pub(super) fn hostname(call: &mut Call<'_, '_>) -> Answer {
    text(call.text(0).split('.').next().unwrap_or_default())
}

/// Python's `str.format`.
fn format(call: &mut Call<'_, '_>) -> Answer {
    let pattern = call.text(0).to_owned();
    let named = |name: &str| call.keywords.iter().find(|(known, _)| **known == *name).map(|(_, value)| value.clone());
    // An attribute that is not ready, or unknown, stops the call.
    let stopped = RefCell::new(None);
    let attribute = |instance: InstId, name: &str| match call.attribute(instance, name) {
        Ok(value) if !value.is_unknown() => Ok(value),
        Err(Stop::Failed(cause)) => Err(cause),
        other => {
            *stopped.borrow_mut() = Some(other.err().unwrap_or(Stop::Unknown));
            Err(String::new())
        }
    };
    let limit = usize::try_from(call.left().1).unwrap_or(usize::MAX);
    let by_place = |nr: usize| call.rest.get(nr).cloned();
    let arguments =
        Arguments { by_place: &by_place, by_name: &named, attribute: &attribute, names: call.names(), limit };
    let filled = fill(&pattern, &arguments);
    if let Some(stop) = stopped.into_inner() {
        return Err(stop);
    }
    let out = filled.map_err(Stop::Failed)?;
    call.spend(out.len())?;
    text(out)
}

fn json_dumps(call: &mut Call<'_, '_>) -> Answer {
    match python_json(call.arg(0)) {
        Some(json) => text(json),
        None if call.arg(0).has_unknown() => Err(Stop::Unknown),
        None => Err(Stop::Failed("TypeError: Object of this type is not JSON serializable".into())),
    }
}

fn json_loads(call: &mut Call<'_, '_>) -> Answer {
    let n_values = call.text(0).matches(['[', '{', ',', ':']).count();
    call.spend(n_values.saturating_mul(PART))?;
    json(call.text(0)).map_err(|reason| Stop::Failed(format!("json.decoder.JSONDecodeError: {reason}")))
}

fn is_base64(call: &mut Call<'_, '_>) -> Answer {
    let text = call.text(0);
    let body = text.trim_end_matches('=');
    let padding = text.len() - body.len();
    let fits = text.len().is_multiple_of(4)
        && padding <= 2
        && body.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    Ok(Value::Bool(fits))
}

fn assert(call: &mut Call<'_, '_>) -> Answer {
    match call.arg(0) {
        Value::Bool(false) => Err(Stop::Failed(format!("AssertionError: Assertion error: {}", call.text(1)))),
        _ => Ok(Value::Null),
    }
}

fn equals(call: &mut Call<'_, '_>) -> Answer {
    if crate::value::same(call.arg(0), call.arg(1)) {
        return Ok(Value::Null);
    }
    // As `std::print` writes them, but not the whole of a long list.
    let show = |value: &Value| match value {
        Value::Null => "None".to_owned(),
        Value::List(_) | Value::Dict(_) => format!("@{}", crate::value::message(value, call.names())),
        value => crate::value::message(value, call.names()),
    };
    let differ = format!("AssertionError: {} != {}", show(call.arg(0)), show(call.arg(1)));
    Err(Stop::Failed(match call.arg(2) {
        Value::Str(desc) => format!("{differ}: {desc}"),
        _ => differ,
    }))
}

fn to_number(call: &mut Call<'_, '_>) -> Answer {
    match call.arg(0) {
        Value::Str(text) => match (crate::value::Int::parse(text.trim()), text.trim().parse::<f64>()) {
            (Some(int), _) => Ok(Value::Int(int)),
            (None, Ok(float)) if float.is_finite() => Ok(Value::Float(float)),
            _ => Err(Stop::Failed(format!("ValueError: could not convert string to float: '{text}'"))),
        },
        value => Ok(value.clone()),
    }
}

fn unique_file(call: &mut Call<'_, '_>) -> Answer {
    let digest = mclive_base::hash::sha256(call.text(1).as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let length = usize::try_from(call.int(3)?).unwrap_or(0).min(hex.len());
    text(format!("{}{}{}", call.text(0), &hex[..length], call.text(2)))
}
