//! Filters whose result grows with a number or by a product: what would be too long is refused before it is made.
//!
//! What a template joins by its own operators has no such place; there the memory of the whole compile is the bound.

use super::methods::width;
use minijinja::filters;
use minijinja::value::{Kwargs, Rest, StringInput, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, Value};

/// No filter makes a longer text. Units: bytes.
const MAX_TEXT: usize = 16 << 20;

/// The bounded filters take the places of those that minijinja has.
pub(super) fn add(environment: &mut Environment<'_>) {
    environment.add_filter("replace", replace);
    environment.add_filter("indent", indent);
    environment.add_filter("join", join);
    environment.add_filter("batch", |state: &State, value: Value, count: usize, fill: Option<Value>| {
        filters::batch(state, value, width(count)?, fill)
    });
    environment.add_filter("slice", |state: &State, value: Value, count: usize, fill: Option<Value>| {
        filters::slice(state, value, width(count)?, fill)
    });
    environment.add_filter("format", |state: &mut State, text: &Value, args: Rest<ValueOrKwargs>| {
        widths(text.as_str().unwrap_or_default())?;
        filters::format(state, text, args)
    });
}

/// Errors: the text of a format asks for a width of six digits or more.
pub(super) fn widths(format: &str) -> Result<(), Error> {
    let mut n_digits = 0;
    for char in format.bytes() {
        n_digits = if char.is_ascii_digit() { n_digits + 1 } else { 0 };
        if n_digits > 5 {
            return Err(Error::new(ErrorKind::InvalidOperation, "no text is padded to 100000 characters or more"));
        }
    }
    Ok(())
}

/// Errors: a text of this length is too long.
fn length(parts: usize, each: usize, rest: usize) -> Result<(), Error> {
    match parts.saturating_mul(each).saturating_add(rest) {
        bytes if bytes <= MAX_TEXT => Ok(()),
        _ => Err(Error::new(
            ErrorKind::InvalidOperation,
            format!("the text would be longer than {} MiB", MAX_TEXT >> 20),
        )),
    }
}

fn replace(text: StringInput<'_>, from: &str, to: &str, count: Option<usize>) -> Result<String, Error> {
    let (text, count) = (text.as_str(), count.unwrap_or(usize::MAX));
    length(text.matches(from).count().min(count), to.len(), text.len())?;
    Ok(text.replacen(from, to, count))
}

fn indent(
    text: StringInput<'_>,
    by: Option<usize>,
    first: Option<bool>,
    blank: Option<bool>,
    named: Kwargs,
) -> Result<Value, Error> {
    let asked = by.or(named.peek::<Option<usize>>("width")?).unwrap_or(4);
    length(text.as_str().lines().count(), width(asked)?, text.as_str().len())?;
    filters::indent(text, by, first, blank, named)
}

fn join(
    state: &mut State,
    value: &Value,
    between: Option<StringInput<'_>>,
    attribute: Option<&str>,
    named: Kwargs,
) -> Result<Value, Error> {
    length(value.len().unwrap_or(0), between.as_ref().map_or(0, |text| text.as_str().len()), 0)?;
    filters::join(state, value, between, attribute, named)
}
