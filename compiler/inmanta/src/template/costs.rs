//! Costs of filters, tests, functions and methods, computed from the arguments before the call.
//!
//! A cost is an upper bound on the bytes inspected and made by the call, accurate to a small factor: each entry offered
//! to templates ([`mod@super::offered`]) names its cost function.

mod keys;

use super::budget::{Budget, ITEM, Weight};
use super::{shown, whole, wrap};
use minijinja::value::{Kwargs, ObjectRepr, ValueKind};
use minijinja::{Error, State, Value};
use std::borrow::Cow;

pub(super) use keys::{distinct, joined, joins, sorted, sorted_by_first, summed};

pub(super) type Cost = fn(&Budget, &mut State<'_, '_>, &[Value]) -> Result<(), Error>;

/// A constant cost.
pub(super) fn nothing(_: &Budget, _: &mut State<'_, '_>, _: &[Value]) -> Result<(), Error> {
    Ok(())
}

/// Inspects all arguments.
pub(super) fn read(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    budget.look(sizes(budget, args)?)
}

/// Inspects all arguments, and reads the first one as a number if it is a text.
pub(super) fn numbered(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    read(budget, state, args)?;
    let n_digits = first(args).as_str().map_or(0, str::len) as u64;
    budget.look(n_digits.saturating_mul(whole::DIGIT))
}

/// Searches the first argument for others: comparing at each place takes far longer than reading a byte.
pub(super) fn searched(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    budget.look(sizes(budget, args)?.saturating_mul(16))
}

/// Looks the other arguments up in the first one, of which nothing else is read.
pub(super) fn looked_up(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    read(budget, state, args.get(1..).unwrap_or_default())
}

/// Searches the first argument for a part, for which nothing is made: a key is looked up, other parts are compared one
/// after the other.
pub(super) fn within(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let whole = first(args);
    match (whole.as_str(), whole.kind()) {
        (Some(text), _) => budget.look(text.len() as u64 + ITEM),
        (None, ValueKind::Map) => budget.look(ITEM),
        (None, _) => budget.look(budget.weigh(whole)?.size.saturating_mul(6)),
    }
}

/// Searches the second argument for the first one.
pub(super) fn contained(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    budget.look(budget.weigh(first(args))?.size)?;
    within(budget, state, args.get(1..).unwrap_or_default())
}

/// Inspects the first argument, if it is a text.
pub(super) fn text(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    budget.look(first(args).as_str().map_or(0, |text| text.len() as u64))
}

/// Inspects the first argument in its text form.
pub(super) fn spelled(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    budget.look(written(budget, first(args))?)
}

/// Goes to the end of the first argument: of a text, or of the keys of a dict.
pub(super) fn reached(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let value = first(args);
    match value.kind() {
        ValueKind::Map => budget.make(count(value).saturating_mul(ITEM)),
        _ => budget.look(value.as_str().map_or(0, |text| text.len() as u64)),
    }
}

/// Copies all arguments, by characters.
pub(super) fn copied(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let size = sizes(budget, args)?;
    budget.look(size.saturating_mul(6))?;
    budget.make(size.saturating_mul(2))
}

/// Writes the arguments out, with escapes.
pub(super) fn escaped(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    budget.make(sizes(budget, args)?.saturating_mul(6))
}

/// For each element or character of the first argument, makes a value and inspects all other arguments. The entries of
/// a dict are found by their keys.
pub(super) fn each(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let n = count(first(args));
    if first(args).kind() == ValueKind::Map {
        budget.look(budget.weigh(first(args))?.size)?;
    }
    let others = sizes(budget, args.get(1..).unwrap_or_default())?;
    budget.look(n.saturating_mul(others))?;
    budget.make(n.saturating_add(1).saturating_mul(2 * ITEM))
}

/// Makes a value for each element or character of all arguments, which is looked for in one after the other.
pub(super) fn together(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    for arg in args.iter().filter(|arg| arg.kind() == ValueKind::Map) {
        budget.look(budget.weigh(arg)?.size)?;
    }
    let n = args.iter().map(count).fold(1, u64::saturating_add);
    budget.look(n.saturating_mul(args.len() as u64 * ITEM))?;
    budget.make(n.saturating_mul(2 * ITEM))
}

/// Takes characters off the ends of a text, or of the text form of another value.
pub(super) fn trimmed(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let text = written(budget, first(args))?;
    let others = sizes(budget, args.get(1..).unwrap_or_default())?;
    budget.look(text.saturating_mul(others))?;
    budget.make(text.saturating_add(ITEM).saturating_mul(2).saturating_add(others.saturating_mul(4)))
}

/// Makes a dict: each key is read as a whole.
pub(super) fn keyed(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    read(budget, state, args)?;
    each(budget, state, args)
}

/// The parts of a text between separators.
pub(super) fn split(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let text = first(args).as_str().unwrap_or_default();
    budget.look(text.len() as u64)?;
    let separator = args.get(1).filter(|value| !value.is_kwargs()).cloned().or_else(|| named(args, "sep"));
    let n = match separator.as_ref().and_then(Value::as_str) {
        Some(separator) => text.matches(separator).count(),
        None => text.split_whitespace().count(),
    };
    budget.make(text.len() as u64 + (n as u64 + 1) * ITEM)
}

pub(super) fn lines(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let text = first(args).as_str().unwrap_or_default();
    budget.make(text.len() as u64 + (text.matches('\n').count() as u64 + 1) * ITEM)
}

/// `replace(text, from, to)`
pub(super) fn replaced(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    copied(budget, state, args)?;
    let n_hits = match (spelling(first(args)), args.get(1).and_then(spelling)) {
        (Some(text), Some(from)) => text.matches(&*from).count() as u64,
        // At most before each character, and at the end.
        _ => written(budget, first(args))?.saturating_add(1),
    };
    let most = args.get(3).and_then(Value::as_usize).map_or(u64::MAX, |most| most as u64);
    let to = args.get(2).map_or(Ok(0), |to| written(budget, to))?;
    budget.make(n_hits.min(most).saturating_mul(to))
}

/// Pads the first argument to a width: the second argument, or the one of this name.
pub(super) fn padded(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    copied(budget, state, args)?;
    budget.make(number(args, "width").saturating_mul(4))
}

/// Adds spaces before each line.
pub(super) fn indented(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    copied(budget, state, args)?;
    let n_lines = first(args).as_str().map_or(0, |text| text.matches('\n').count()) as u64 + 1;
    let prefix = args.get(1).and_then(Value::as_str).map_or(4, str::len) as u64;
    budget.make(number(args, "width").max(prefix).saturating_mul(n_lines + 1))
}

/// Adds an end to each line of a text.
pub(super) fn wrapped(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    copied(budget, state, args)?;
    let ends = args.iter().skip(1).try_fold(1, |most: u64, end| Ok::<u64, Error>(most.max(written(budget, end)?)))?;
    // A line of the result and the word after it are longer than the width, unless the text ends the line.
    let width = match number(args, "width") {
        0 => wrap::WIDTH as u64,
        width => width,
    };
    let n_lines = match spelling(first(args)) {
        Some(text) => {
            budget.make((text.len() as u64).saturating_mul(4))?;
            text.len() as u64 * 2 / width + text.matches(wrap::ends_line).count() as u64
        }
        None => written(budget, first(args))?.saturating_mul(2),
    };
    budget.make(n_lines.saturating_add(1).saturating_mul(ends + ITEM))
}

/// Each space of the text is replaced with the given number of spaces.
pub(super) fn expanded(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    copied(budget, state, args)?;
    let n_tabs = first(args).as_str().map_or(0, |text| text.matches('\t').count()) as u64;
    budget.make(number(args, "tabsize").max(8).saturating_mul(n_tabs))
}

/// Each word of the text may become a link, which has the other arguments as attributes.
pub(super) fn linked(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    escaped(budget, state, args)?;
    let others = sizes(budget, args.get(1..).unwrap_or_default())?;
    let n_words = match spelling(first(args)) {
        Some(text) => text.split_whitespace().count() as u64,
        None => written(budget, first(args))?,
    };
    budget.look(n_words.saturating_mul(others))?;
    budget.make(n_words.saturating_mul(others.saturating_mul(6) + 100))
}

/// Lists of a number of elements, or a number of lists.
pub(super) fn grouped(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    each(budget, state, args)?;
    budget.make(number(args, "count").saturating_mul(2 * ITEM))
}

/// The least size of a value, which is that of a number in a list of the model.
const SMALLEST: u64 = 8;

/// JSON, in which each line may begin with spaces.
pub(super) fn json(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    escaped(budget, state, args)?;
    let Weight { size, depth, .. } = budget.weigh(first(args))?;
    let prefix = args.get(1).and_then(Value::as_str).map_or(0, str::len) as u64;
    let indent = number(args, "indent").max(prefix);
    budget.make((size / SMALLEST + 1).saturating_mul(indent).saturating_mul(depth as u64 + 1))
}

/// A text with placeholders for the other arguments, each of which may have a width.
pub(super) fn formatted(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let format = first(args).as_str().unwrap_or_default();
    budget.look(format.len() as u64)?;
    let n_places = format.matches(['%', '{']).count() as u64;
    let (mut largest, mut number) = (0, 0);
    for arg in args.iter().skip(1) {
        let parts = arg.as_object().filter(|object| object.repr() == ObjectRepr::Map);
        let parts = parts.and_then(|object| object.try_iter_pairs()).map(|pairs| pairs.map(|(_, part)| part).collect());
        for part in parts.unwrap_or_else(|| vec![arg.clone()]) {
            let size = budget.weigh(&part)?.size;
            // Whether the format takes it or not, it is handed over.
            budget.look(size)?;
            largest = size.max(largest);
            number = part.as_i64().map_or(0, i64::unsigned_abs).max(number);
        }
    }
    if !has_width_among_arguments(format) {
        number = 0;
    }
    let each = largest.saturating_mul(6).saturating_add(number);
    let widths = digits(format).fold(0, u64::saturating_add);
    budget.make(widths.saturating_add(n_places.saturating_mul(each)).saturating_add(format.len() as u64))
}

/// `%*d` and `{:{}}` take a width from the arguments.
fn has_width_among_arguments(format: &str) -> bool {
    let mut depth = 0;
    let mut chars = format.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '*' => return true,
            '{' if depth == 0 && chars.next_if_eq(&'{').is_some() => {}
            '{' if depth > 0 => return true,
            '{' => depth += 1,
            '}' => depth = 0,
            _ => {}
        }
    }
    false
}

/// The numbers in a text.
fn digits(text: &str) -> impl Iterator<Item = u64> {
    let parts = text.split(|char: char| !char.is_ascii_digit()).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().unwrap_or(u64::MAX))
}

/// A product of two numbers, or a repeated text or list.
pub(super) fn repeated(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let [a, b] = [0, 1].map(|nr| args.get(nr).cloned().unwrap_or_default());
    let times = |value: &Value| value.as_usize().unwrap_or(0) as u64;
    // Also what is taken no time at all is gone through.
    let is_long = |value: &Value| value.as_str().is_some() || value.as_object().is_some() && !whole::is_big(value);
    let (value, times) = match (is_long(&a), is_long(&b)) {
        (true, _) => (a, times(&b)),
        (false, true) => (b, times(&a)),
        (false, false) => return Ok(()),
    };
    let size = budget.weigh(&value)?.size;
    budget.look(size)?;
    budget.make(size.saturating_mul(times))
}

/// Divides numbers.
pub(super) fn divided(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    args.iter().try_for_each(|arg| whole::look_at(budget, arg))
}

/// `range(start, stop, step)`
pub(super) fn counted(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let number = |nr: usize| args.get(nr).and_then(Value::as_i64);
    let (start, stop) = match (number(0), number(1)) {
        (Some(stop), None) => (0, stop),
        (start, stop) => (start.unwrap_or(0), stop.unwrap_or(0)),
    };
    let step = number(2).unwrap_or(1).unsigned_abs().max(1);
    budget.make((start.abs_diff(stop) / step).saturating_mul(ITEM))
}

/// The arguments are kept.
pub(super) fn kept(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    copied(budget, state, args)?;
    args.iter().try_for_each(|value| budget.keep(value))
}

fn first(args: &[Value]) -> &Value {
    static NOTHING: Value = Value::UNDEFINED;
    args.first().unwrap_or(&NOTHING)
}

/// The text form of a value without parts.
fn spelling(value: &Value) -> Option<Cow<'_, str>> {
    match value.as_str() {
        Some(text) => Some(Cow::Borrowed(text)),
        None => value.as_object().is_none().then(|| Cow::Owned(shown::text(value))),
    }
}

/// The maximum number of bytes of a value's text form.
fn written(budget: &Budget, value: &Value) -> Result<u64, Error> {
    match spelling(value) {
        Some(text) => Ok(text.len() as u64),
        None => Ok(budget.weigh(value)?.size.saturating_mul(6)),
    }
}

fn sizes(budget: &Budget, values: &[Value]) -> Result<u64, Error> {
    values.iter().try_fold(0u64, |sum, value| Ok(sum.saturating_add(budget.weigh(value)?.size)))
}

/// The number of elements of a list, or of bytes of a text.
fn count(value: &Value) -> u64 {
    value.as_str().map_or_else(|| value.len().unwrap_or(0), str::len) as u64
}

/// A keyword argument.
pub(super) fn named(args: &[Value], name: &str) -> Option<Value> {
    let kwargs = Kwargs::try_from(args.last().filter(|value| value.is_kwargs())?.clone()).ok()?;
    kwargs.peek::<Value>(name).ok()
}

/// The number given as second argument, or as keyword argument.
fn number(args: &[Value], name: &str) -> u64 {
    let second = args.get(1).filter(|value| !value.is_kwargs()).cloned();
    let number = second.or_else(|| named(args, name)).and_then(|value| value.as_i64());
    number.map_or(0, |number| u64::try_from(number).unwrap_or(0))
}
