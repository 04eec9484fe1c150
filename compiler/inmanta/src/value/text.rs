//! The text forms of values. Spec, 2.6.

use super::{InstId, Int, Value, python_float};
use std::fmt::Write;

/// Writes instances.
pub trait Namer {
    /// `ns::Type (instantiated at LOC,LOC)`.
    fn instance(&self, instance: InstId) -> String;
    /// `ns::Type HEXID`: inside lists and dicts.
    fn instance_inside(&self, instance: InstId) -> String;
}

/// For values without instances, such as constants.
pub struct NoInstances;

impl Namer for NoInstances {
    fn instance(&self, instance: InstId) -> String {
        format!("{instance:?}")
    }
    fn instance_inside(&self, instance: InstId) -> String {
        format!("{instance:?}")
    }
}

const UNKNOWN: &str = "<unknown>";

/// The text form in interpolated strings: an integral float is written as a whole number.
pub fn plain(value: &Value, names: &dyn Namer) -> String {
    match value {
        Value::Float(float) => match integral(*float) {
            Some(int) => int.to_string(),
            None => python_float(*float),
        },
        Value::List(_) | Value::Dict(_) => inner(value, names),
        value => message(value, names),
    }
}

/// A float without a fraction, as a whole number.
pub(crate) fn integral(float: f64) -> Option<Int> {
    if float.is_finite() && libm::trunc(float) == float { Int::of_float(float) } else { None }
}

/// The text form in messages: strings unquoted, floats with their fraction.
pub fn message(value: &Value, names: &dyn Namer) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        Value::Instance(instance) => names.instance(*instance),
        value => beginning(value, names, MAX_SHOWN),
    }
}

/// The text form of the cast `string(v)`.
pub fn cast_text(value: &Value, names: &dyn Namer) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::List(_) | Value::Dict(_) => inner(value, names),
        value => message(value, names),
    }
}

/// The text form of `std::print`.
pub fn printed(value: &Value, names: &dyn Namer) -> String {
    match value {
        Value::Null => "None".into(),
        Value::List(_) | Value::Dict(_) => format!("@{}", inner(value, names)),
        value => message(value, names),
    }
}

/// The text form with quoted strings, as inside lists; instances are written in full.
pub fn quoted(value: &Value, names: &dyn Namer) -> String {
    match value {
        Value::Instance(instance) => names.instance(*instance),
        value => beginning(value, names, MAX_SHOWN),
    }
}

/// The text form inside of a list or dict.
pub fn inner(value: &Value, names: &dyn Namer) -> String {
    beginning(value, names, MAX_TEXT)
}

/// The text form, truncated above this length.
fn beginning(value: &Value, names: &dyn Namer, max: usize) -> String {
    let mut out = String::new();
    write_inner(&mut out, value, names, max);
    out
}

/// The largest size ([`Value::size`]) of a list or dict that is written out.
pub const MAX_WRITTEN: u64 = 4 << 20;
/// The resulting maximum length of a text.
const MAX_TEXT: usize = 64 << 20;
/// The maximum number of bytes of a list or dict in a message.
const MAX_SHOWN: usize = 1 << 16;

fn write_inner(out: &mut String, value: &Value, names: &dyn Namer, max: usize) {
    if out.len() > max {
        return;
    }
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Int(int) => {
            let _ = write!(out, "{int}");
        }
        Value::Float(float) => out.push_str(&python_float(*float)),
        Value::Str(text) => out.push_str(&quoted_text(text)),
        Value::List(list) => {
            out.push('[');
            for (nr, item) in list.items.iter().enumerate() {
                if out.len() > max {
                    break;
                }
                if nr > 0 {
                    out.push_str(", ");
                }
                write_inner(out, item, names, max);
            }
            out.push(']');
        }
        Value::Dict(dict) => {
            out.push('{');
            for (nr, (key, item)) in dict.entries.iter().enumerate() {
                if out.len() > max {
                    break;
                }
                if nr > 0 {
                    out.push_str(", ");
                }
                out.push_str(&quoted_text(key));
                out.push_str(": ");
                write_inner(out, item, names, max);
            }
            out.push('}');
        }
        Value::Instance(instance) => out.push_str(&names.instance_inside(*instance)),
        Value::Unknown(_) => out.push_str(UNKNOWN),
    }
}

/// A string in quotes, as Python writes it.
pub fn quoted_text(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for char in text.chars() {
        match char {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            char if char == quote => {
                out.push('\\');
                out.push(char);
            }
            char if is_printable(char) => out.push(char),
            char => {
                let code = u32::from(char);
                let _ = match code {
                    0..=0xff => write!(out, "\\x{code:02x}"),
                    0x100..=0xffff => write!(out, "\\u{code:04x}"),
                    _ => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push(quote);
    out
}

/// Control characters, spaces other than the space, characters without a glyph and private ones are not.
fn is_printable(char: char) -> bool {
    !(char.is_control()
        || (char.is_whitespace() && char != ' ')
        || matches!(u32::from(char), 0xad | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0xfeff | 0xe000..=0xf8ff | 0xfff9..=0xfffb | 0xe0000..))
}
