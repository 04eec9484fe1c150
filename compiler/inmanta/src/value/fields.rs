//! Python's `str.format`: fields in braces, filled in with arguments by place or name.

use super::pieces::{Piece, Raw, pieces};
use super::spec::{Spec, SpecError};
use super::{InstId, Namer, Value, inner, message, quoted_text};

/// The arguments of a format.
pub(crate) struct Arguments<'a> {
    pub(crate) by_place: &'a dyn Fn(usize) -> Option<Value>,
    pub(crate) by_name: &'a dyn Fn(&str) -> Option<Value>,
    /// An attribute of an instance, or why it has none.
    pub(crate) attribute: &'a dyn Fn(InstId, &str) -> Result<Value, String>,
    pub(crate) names: &'a dyn Namer,
    /// A result that is longer than this is not finished.
    pub(crate) limit: usize,
}

/// How fields without a name are numbered: a format may not mix both.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbering {
    Open,
    Automatic(usize),
    Manual,
}

const EMPTY: &str = "ValueError: Empty attribute in format string";
const MANY_DIGITS: &str = "ValueError: Too many decimal digits in format string";

/// The format with its fields filled in.
///
/// Errors: in the words of Python, with the class before them.
pub(crate) fn fill(pattern: &str, arguments: &Arguments<'_>) -> Result<String, String> {
    let mut numbering = Numbering::Open;
    filled(pattern, arguments, &mut numbering, 2)
}

fn filled(pattern: &str, arguments: &Arguments<'_>, numbering: &mut Numbering, depth: u8) -> Result<String, String> {
    if depth == 0 {
        return Err("ValueError: Max string recursion exceeded".into());
    }
    let mut out = String::new();
    for piece in pieces(pattern, 0) {
        match piece.map_err(|reason| format!("ValueError: {reason}"))? {
            Piece::Text(text) => out.push_str(text),
            Piece::Brace(brace) => out.push(brace),
            Piece::Field(raw) => out.push_str(&field(&raw, arguments, numbering, depth)?),
        }
        if out.len() > arguments.limit {
            break;
        }
    }
    Ok(out)
}

fn field(raw: &Raw<'_>, arguments: &Arguments<'_>, numbering: &mut Numbering, depth: u8) -> Result<String, String> {
    let value = looked_up(raw.name, arguments, numbering)?;
    let shown = |value: &Value| match value {
        Value::Str(text) => quoted_text(text),
        value => text_of(value, arguments.names),
    };
    let value = match raw.conversion {
        None => value,
        Some("s") => Value::str(&text_of(&value, arguments.names)),
        Some("r") => Value::str(&shown(&value)),
        Some("a") => Value::str(&ascii(&shown(&value))),
        Some(other) => return Err(format!("ValueError: Unknown conversion specifier {other}")),
    };
    let spec = match raw.spec.contains('{') {
        true => filled(raw.spec, arguments, numbering, depth - 1)?,
        false => raw.spec.to_owned(),
    };
    if spec.is_empty() {
        return Ok(text_of(&value, arguments.names));
    }
    Spec::format(&spec, &value).map_err(|error| match error {
        SpecError::Reason(reason) => format!("ValueError: {reason}"),
        SpecError::Unsupported(kind) => format!("TypeError: unsupported format string passed to {kind}.__format__"),
    })
}

/// The value of `NAME`, `NUMBER` or nothing, each followed by `[KEY]` and `.ATTRIBUTE`.
fn looked_up(name: &str, arguments: &Arguments<'_>, numbering: &mut Numbering) -> Result<Value, String> {
    let end = name.find(['.', '[']).unwrap_or(name.len());
    let (first, mut path) = name.split_at(end);
    let is_number = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
    let numbered = is_number.then(|| first.parse::<usize>()).transpose().map_err(|_| MANY_DIGITS)?;
    let place = match (first.is_empty(), numbered, *numbering) {
        (true, _, Numbering::Manual) => {
            let text = "cannot switch from manual field specification to automatic field numbering";
            return Err(format!("ValueError: {text}"));
        }
        (true, _, Numbering::Open) => Some((0, Numbering::Automatic(1))),
        (true, _, Numbering::Automatic(next)) => Some((next, Numbering::Automatic(next + 1))),
        (false, Some(_), Numbering::Automatic(_)) => {
            let text = "cannot switch from automatic field numbering to manual field specification";
            return Err(format!("ValueError: {text}"));
        }
        (false, Some(nr), _) => Some((nr, Numbering::Manual)),
        (false, None, _) => None,
    };
    let mut value = match place {
        Some((nr, now)) => {
            *numbering = now;
            let missing = || format!("IndexError: Replacement index {nr} out of range for positional args tuple");
            (arguments.by_place)(nr).ok_or_else(missing)?
        }
        None => (arguments.by_name)(first).ok_or_else(|| format!("KeyError: '{first}'"))?,
    };
    while !path.is_empty() {
        if let Some(behind) = path.strip_prefix('[') {
            let (key, rest) = behind.split_once(']').ok_or("ValueError: Missing ']' in format string")?;
            value = element(&value, key)?;
            path = rest;
        } else if let Some(behind) = path.strip_prefix('.') {
            let (name, rest) = behind.split_at(behind.find(['.', '[']).unwrap_or(behind.len()));
            value = attribute(&value, name, arguments)?;
            path = rest;
        } else {
            return Err("ValueError: Only '.' or '[' may follow ']' in format field specifier".into());
        }
    }
    Ok(value)
}

fn element(value: &Value, key: &str) -> Result<Value, String> {
    if key.is_empty() {
        return Err(EMPTY.into());
    }
    // Digits only are a number, which no key of a dict is.
    let nr = key.bytes().all(|byte| byte.is_ascii_digit()).then(|| key.parse::<usize>()).transpose();
    let nr = nr.map_err(|_| MANY_DIGITS)?;
    match (value, nr) {
        (Value::List(list), Some(nr)) => {
            list.items.get(nr).cloned().ok_or_else(|| "IndexError: list index out of range".into())
        }
        (Value::Dict(_), Some(nr)) => Err(format!("KeyError: {nr}")),
        (Value::Dict(dict), None) => dict.entries.get(key).cloned().ok_or_else(|| format!("KeyError: '{key}'")),
        (Value::Str(text), Some(nr)) => {
            let char = text.chars().nth(nr).ok_or("IndexError: string index out of range")?;
            Ok(Value::str(&char.to_string()))
        }
        (Value::Str(_), None) => Err("TypeError: string indices must be integers, not 'str'".into()),
        (Value::List(_), None) => Err("TypeError: list indices must be integers or slices, not str".into()),
        (value, _) => Err(format!("TypeError: '{}' object is not subscriptable", python_kind(value))),
    }
}

fn attribute(value: &Value, name: &str, arguments: &Arguments<'_>) -> Result<Value, String> {
    match value {
        _ if name.is_empty() => Err(EMPTY.into()),
        Value::Instance(instance) => (arguments.attribute)(*instance, name),
        value => Err(format!("AttributeError: '{}' object has no attribute '{name}'", python_kind(value))),
    }
}

/// Python's name of the type of an argument: null arrives as nothing.
fn python_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        value => value.kind(),
    }
}

fn text_of(value: &Value, names: &dyn Namer) -> String {
    match value {
        Value::Null => "None".into(),
        Value::List(_) | Value::Dict(_) => inner(value, names),
        value => message(value, names),
    }
}

/// Escapes non-ASCII characters.
pub(crate) fn ascii(text: &str) -> String {
    text.chars()
        .map(|char| match u32::from(char) {
            0..=0x7f => char.to_string(),
            code @ 0x80..=0xff => format!("\\x{code:02x}"),
            code @ 0x100..=0xffff => format!("\\u{code:04x}"),
            code => format!("\\U{code:08x}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::NoInstances;

    fn formatted(pattern: &str) -> Result<String, String> {
        let by_name = |name: &str| (name == "w").then(|| Value::int(5));
        let attribute = |_: InstId, name: &str| match name {
            "n" => Ok(Value::raw_list(vec![Value::int(7)])),
            _ => Err(format!("AttributeError: (None, '{name}')")),
        };
        let given = [Value::int(1), Value::str("it's"), Value::Float(2.5), Value::Instance(InstId(0))];
        let by_place = |nr: usize| given.get(nr).cloned();
        let (by_place, by_name, attribute) = (&by_place, &by_name, &attribute);
        fill(pattern, &Arguments { by_place, by_name, attribute, names: &NoInstances, limit: 1000 })
    }

    #[test]
    fn fields_have_a_conversion_and_fields_in_their_format() {
        assert_eq!(formatted("{0:{w}}|{1!r}|{2:.2f}|{{{w}}}").as_deref(), Ok("    1|\"it's\"|2.50|{5}"));
        assert_eq!(formatted("{}{}").as_deref(), Ok("1it's"));
    }

    #[test]
    fn numbers_of_fields_are_either_written_or_counted() {
        let automatic = "ValueError: cannot switch from automatic field numbering to manual field specification";
        assert_eq!(formatted("{} {0}").unwrap_err(), automatic);
        assert_eq!(formatted("{x}").unwrap_err(), "KeyError: 'x'");
        assert_eq!(formatted("{"), Err("ValueError: Single '{' encountered in format string".into()));
        assert_eq!(formatted("{+0}").unwrap_err(), "KeyError: '+0'");
        let many = "ValueError: Too many decimal digits in format string";
        assert_eq!(formatted("{99999999999999999999}").unwrap_err(), many);
        assert_eq!(formatted("{0!q}"), Err("ValueError: Unknown conversion specifier q".into()));
        let index = "IndexError: Replacement index 7 out of range for positional args tuple";
        assert_eq!(formatted("{7}").unwrap_err(), index);
    }

    /// As in an f-string.
    #[test]
    fn fields_are_read_as_those_of_other_formats() {
        for (pattern, reason) in [
            ("{0:>5", "unmatched '{' in format spec"),
            ("{0{w}}", "unexpected '{' in field name"),
            ("{0!", "end of string while looking for conversion specifier"),
        ] {
            assert_eq!(formatted(pattern).unwrap_err(), format!("ValueError: {reason}"), "{pattern}");
        }
        // What is before it is filled in first.
        assert_eq!(formatted("{x} {").unwrap_err(), "KeyError: 'x'");
    }

    #[test]
    fn a_value_without_parts_is_told_by_its_type() {
        assert_eq!(formatted("{1[0]}").as_deref(), Ok("i"));
        assert_eq!(formatted("{1[9]}").unwrap_err(), "IndexError: string index out of range");
        assert_eq!(formatted("{1[x]}").unwrap_err(), "TypeError: string indices must be integers, not 'str'");
        assert_eq!(formatted("{0[0]}").unwrap_err(), "TypeError: 'int' object is not subscriptable");
        assert_eq!(formatted("{2.x}").unwrap_err(), "AttributeError: 'float' object has no attribute 'x'");
    }

    #[test]
    fn a_field_names_an_attribute_of_an_instance() {
        assert_eq!(formatted("{3.n[0]:>3}|{3.n}").as_deref(), Ok("  7|[7]"));
        assert_eq!(formatted("{3.k}").unwrap_err(), "AttributeError: (None, 'k')");
        assert_eq!(formatted("{3.}").unwrap_err(), "ValueError: Empty attribute in format string");
        let behind = "ValueError: Only '.' or '[' may follow ']' in format field specifier";
        assert_eq!(formatted("{3.n[0]x}").unwrap_err(), behind);
    }
}
