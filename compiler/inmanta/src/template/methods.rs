//! Methods of Python's strings, lists and dicts: those of `minijinja_contrib::pycompat`, and those missing there.

use super::budget::Budget;
use super::offered::METHODS;
use super::snapshot::Shared;
use super::{arity, environment, given, scope, shown};
use crate::value::InstId;
use minijinja::value::{Kwargs, Tuple, ValueKind, from_args};
use minijinja::{Error, ErrorKind, State, Value};
use minijinja_contrib::pycompat;
use std::cell::Cell;
use std::collections::BTreeMap;

/// Calls a method of a value; `UnknownMethod` if it has none of this name.
pub(super) fn call(
    budget: &Budget,
    shared: &Shared,
    state: &mut State<'_, '_>,
    value: &Value,
    method: &str,
    args: &[Value],
) -> Result<Value, Error> {
    let found = METHODS.iter().find(|(name, _)| *name == method);
    let (_, cost) = found.ok_or_else(|| Error::from(ErrorKind::UnknownMethod))?;
    arity::check_method(value, method, args)?;
    given::check(value, method, args)?;
    let all: Vec<Value> = std::iter::once(value).chain(args).cloned().collect();
    cost(budget, state, &all)?;
    budget.settle(match value.as_str() {
        Some(text) if method == "format" => formatted(budget, shared, state, text, args)?,
        _ => run(state, value, method, args)?,
    })
}

fn run(state: &mut State<'_, '_>, value: &Value, method: &str, args: &[Value]) -> Result<Value, Error> {
    match (value.as_str(), value.kind()) {
        (Some(text), _) => match method {
            "ljust" | "rjust" | "center" | "zfill" => padded(text, method, args),
            "partition" | "rpartition" => {
                let (separator,): (&str,) = from_args(args)?;
                parts(text, method, separator)
            }
            "swapcase" => {
                let () = from_args(args)?;
                Ok(Value::from(swapped(text)))
            }
            "removeprefix" | "removesuffix" => {
                let (part,): (&str,) = from_args(args)?;
                let rest = if method == "removeprefix" { text.strip_prefix(part) } else { text.strip_suffix(part) };
                Ok(Value::from(rest.unwrap_or(text)))
            }
            "index" | "rindex" => {
                let (part,): (&str,) = from_args(args)?;
                let at = if method == "index" { text.find(part) } else { text.rfind(part) };
                let at = at.ok_or_else(|| invalid("ValueError: substring not found"))?;
                Ok(Value::from(text[..at].chars().count()))
            }
            "casefold" => {
                let () = from_args(args)?;
                Ok(Value::from(text.replace('ß', "ss").to_lowercase()))
            }
            "isidentifier" => {
                let () = from_args(args)?;
                let is_word = |char: char| char.is_alphanumeric() || char == '_';
                Ok(Value::from(text.chars().all(is_word) && !text.is_empty() && !text.starts_with(char::is_numeric)))
            }
            "expandtabs" => {
                let (size,): (Option<usize>,) = from_args(args)?;
                Ok(Value::from(expanded(text, size.unwrap_or(8))))
            }
            "startswith" | "endswith" if args.first().is_some_and(Value::is_tuple) => {
                let (parts,): (Value,) = from_args(args)?;
                let has = |part: Value| match part.as_str() {
                    Some(part) if method == "startswith" => text.starts_with(part),
                    Some(part) => text.ends_with(part),
                    None => false,
                };
                Ok(Value::from(parts.try_iter()?.any(has)))
            }
            "split" if args.first().and_then(Value::as_str) == Some("") => Err(invalid(EMPTY_SEPARATOR)),
            "join" => {
                let (list,): (Value,) = from_args(args)?;
                // The elements of other iterables can be taken only once.
                let other = match list.kind() {
                    ValueKind::Seq => list.try_iter()?.enumerate().find(|(_, item)| item.as_str().is_none()),
                    _ => None,
                };
                match other {
                    Some((nr, item)) => {
                        let kind = shown::python_kind(&item);
                        let text = format!("TypeError: sequence item {nr}: expected str instance, {kind} found");
                        Err(Error::new(ErrorKind::InvalidOperation, text))
                    }
                    None => pycompat::unknown_method_callback(state, value, method, args),
                }
            }
            "rsplit" => split_from_the_end(text, args),
            "isdecimal" => {
                let () = from_args(args)?;
                Ok(Value::from(!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())))
            }
            "istitle" => {
                let () = from_args(args)?;
                Ok(Value::from(is_title(text)))
            }
            _ => pycompat::unknown_method_callback(state, value, method, args),
        },
        (None, ValueKind::Seq) if method == "index" => {
            let (wanted,): (Value,) = from_args(args)?;
            let nr = value.try_iter()?.position(|item| item == wanted);
            nr.map(Value::from).ok_or_else(|| {
                let text = format!("ValueError: {} is not in list", shown::repr(&wanted));
                Error::new(ErrorKind::InvalidOperation, text)
            })
        }
        (None, _) => pycompat::unknown_method_callback(state, value, method, args),
    }
}

const EMPTY_SEPARATOR: &str = "ValueError: empty separator";

fn invalid(text: &'static str) -> Error {
    Error::new(ErrorKind::InvalidOperation, text)
}

fn padded(text: &str, method: &str, args: &[Value]) -> Result<Value, Error> {
    let (width, fill): (usize, Option<&str>) = from_args(args)?;
    let fill = if method == "zfill" { "0" } else { fill.unwrap_or(" ") };
    if fill.chars().count() != 1 {
        return Err(invalid("TypeError: The fill character must be exactly one character long"));
    }
    let missing = width.saturating_sub(text.chars().count());
    // Python puts the odd one to the left of a text in an odd width.
    let left = if method == "center" { missing / 2 + (missing & width & 1) } else { 0 };
    let filling = fill.repeat(missing - left);
    Ok(Value::from(match method {
        "center" => format!("{}{text}{filling}", fill.repeat(left)),
        "ljust" => format!("{text}{filling}"),
        "zfill" if text.starts_with(['+', '-']) => format!("{}{filling}{}", &text[..1], &text[1..]),
        _ => format!("{filling}{text}"),
    }))
}

/// The parts before and after the separator, with the separator; the whole text if there is none.
fn parts(text: &str, method: &str, separator: &str) -> Result<Value, Error> {
    if separator.is_empty() {
        return Err(invalid(EMPTY_SEPARATOR));
    }
    let found = if method == "partition" { text.split_once(separator) } else { text.rsplit_once(separator) };
    let parts = match found {
        Some((before, behind)) => [before, separator, behind],
        None if method == "partition" => [text, "", ""],
        None => ["", "", text],
    };
    Ok(Tuple::from(parts.map(Value::from)).into())
}

/// `text.rsplit(separator, maxsplit)`
fn split_from_the_end(text: &str, args: &[Value]) -> Result<Value, Error> {
    let (separator, most, options): (Option<Value>, Option<i64>, Kwargs) = from_args(args)?;
    let most = most.or(options.get("maxsplit")?).and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    let separator = separator.or(options.get("sep")?).filter(|separator| !separator.is_none());
    options.assert_all_used()?;
    let mut parts: Vec<&str> = Vec::new();
    match separator.as_ref().map(|separator| separator.as_str().unwrap_or_default()) {
        Some("") => return Err(invalid(EMPTY_SEPARATOR)),
        Some(separator) => parts.extend(text.rsplitn(most.saturating_add(1), separator)),
        None => {
            let mut rest = text.trim_end();
            while !rest.is_empty() {
                let word = match rest.rfind(char::is_whitespace) {
                    Some(at) if parts.len() < most => at + rest[at..].chars().next().map_or(0, char::len_utf8),
                    _ => rest.len() - rest.trim_start().len(),
                };
                parts.push(&rest[word..]);
                rest = rest[..word].trim_end();
            }
        }
    }
    Ok(parts.into_iter().rev().map(Value::from).collect())
}

/// Whether each word begins with a capital and continues in lower case.
fn is_title(text: &str) -> bool {
    let (mut is_inside, mut has_words) = (false, false);
    for char in text.chars() {
        if char.is_uppercase() && is_inside || char.is_lowercase() && !is_inside {
            return false;
        }
        is_inside = char.is_uppercase() || char.is_lowercase();
        has_words |= is_inside;
    }
    has_words
}

/// Each tab up to the next multiple of the size.
fn expanded(text: &str, size: usize) -> String {
    let (mut out, mut column) = (String::with_capacity(text.len()), 0);
    for char in text.chars() {
        match char {
            '\t' if size > 0 => {
                let n_blanks = size - column % size;
                out.extend(std::iter::repeat_n(' ', n_blanks));
                column += n_blanks;
            }
            '\t' => {}
            char => {
                out.push(char);
                column = if matches!(char, '\n' | '\r') { 0 } else { column + 1 };
            }
        }
    }
    out
}

/// `text.format(value, name=value)`
fn formatted(
    budget: &Budget,
    shared: &Shared,
    state: &mut State<'_, '_>,
    text: &str,
    args: &[Value],
) -> Result<Value, Error> {
    let mut given = args.to_vec();
    let named = given.pop_if(|last| last.is_kwargs()).map(Kwargs::try_from).transpose()?;
    let mut inside = |value: &Value| match scope::of_template(value) {
        _ if environment::is_missing(state, value) => Ok(None),
        // A conditional expression without `else`.
        Some(_) if value.is_undefined() => Ok(Some(crate::value::Value::str(""))),
        Some(value) => Ok(Some(value)),
        None => Err(invalid("this value cannot be formatted")),
    };
    let placed = given.iter().map(&mut inside).collect::<Result<Vec<_>, Error>>()?;
    let mut keyed = BTreeMap::new();
    for name in named.iter().flat_map(Kwargs::args) {
        let value = named.as_ref().map_or(Ok(Value::UNDEFINED), |named| named.peek::<Value>(name))?;
        keyed.insert(name, inside(&value)?);
    }
    // What does not exist is an error once it is used.
    let uses_missing = Cell::new(false);
    let existing = |value: &Option<crate::value::Value>| {
        uses_missing.set(uses_missing.get() || value.is_none());
        value.clone().unwrap_or(crate::value::Value::Null)
    };
    let by_place = |nr: usize| placed.get(nr).map(&existing);
    let by_name = |name: &str| keyed.get(name).map(&existing);
    let attribute = |instance: InstId, name: &str| {
        let lacking = || format!("AttributeError: (None, '{name}')");
        let value = shared.attribute(instance, name).ok_or_else(lacking)?;
        // An instance weighs less than its attributes.
        let made = budget.weigh(&value).and_then(|weight| budget.make(weight.size.saturating_mul(8)));
        made.map_err(|error| error.to_string())?;
        scope::of_template(&value).ok_or_else(lacking)
    };
    let limit = usize::try_from(budget.room()).unwrap_or(usize::MAX);
    let (by_name, attribute) = (&by_name, &attribute);
    let arguments = crate::value::Arguments { by_place: &by_place, by_name, attribute, names: shared, limit };
    let out = crate::value::fill(text, &arguments);
    let out = match out {
        Err(text) if uses_missing.get() && text.starts_with("TypeError: unsupported format string") => {
            Err(invalid("TypeError: unsupported format string passed to StrictUndefined.__format__"))
        }
        _ if uses_missing.get() => Err(Error::from(ErrorKind::UndefinedError)),
        out => out.map_err(|text| Error::new(ErrorKind::InvalidOperation, text)),
    }?;
    // A width may be put together from several arguments: only the result tells it.
    budget.make(out.len() as u64)?;
    Ok(Value::from(out))
}

fn swapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_uppercase() { out.extend(char.to_lowercase()) } else { out.extend(char.to_uppercase()) }
    }
    out
}
