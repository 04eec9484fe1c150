//! Costs of filters, tests, functions and methods, computed from the arguments before the call.
//!
//! A cost is an upper bound on the bytes inspected and made by the call, accurate to a small factor: each entry offered
//! to templates ([`mod@super::offered`]) names its cost function.

use super::budget::{Budget, ITEM, Weight};
use minijinja::value::{Kwargs, ObjectRepr};
use minijinja::{Error, State, Value};

pub(super) type Cost = fn(&Budget, &mut State<'_, '_>, &[Value]) -> Result<(), Error>;

/// A constant cost.
pub(super) fn nothing(_: &Budget, _: &mut State<'_, '_>, _: &[Value]) -> Result<(), Error> {
    Ok(())
}

/// Inspects all arguments.
pub(super) fn read(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    budget.look(sizes(budget, args)?)
}

/// Searches the first argument for others: comparing at each place takes far longer than reading a byte.
pub(super) fn searched(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    budget.look(sizes(budget, args)?.saturating_mul(16))
}

/// Inspects the first argument, if it is a text.
pub(super) fn text(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    budget.look(first(args).as_str().map_or(0, |text| text.len() as u64))
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

/// For each element or character of the first argument, makes a value and inspects all other arguments.
pub(super) fn each(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let n = count(first(args));
    let others = sizes(budget, args.get(1..).unwrap_or_default())?;
    budget.look(n.saturating_mul(others))?;
    budget.make(n.saturating_add(1).saturating_mul(2 * ITEM))
}

/// Sorts the elements of the first argument.
pub(super) fn sorted(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    sorted_by(budget, state, args, 0)
}

/// The same for `groupby(list, attribute)`.
pub(super) fn sorted_by_first(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    sorted_by(budget, state, args, 1)
}

fn sorted_by(budget: &Budget, state: &mut State<'_, '_>, args: &[Value], nr: usize) -> Result<(), Error> {
    each(budget, state, args)?;
    let n = count(first(args));
    let keys = keys(budget, state, args, nr)?;
    budget.make(keys)?;
    // Comparing two of them folds both to the same case.
    budget.look(keys.saturating_mul(8 * u64::from(n.max(2).ilog2())))
}

/// Adds the elements one after the other: texts and lists are copied each time.
pub(super) fn summed(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    each(budget, state, args)?;
    let start = args.get(2).filter(|value| !value.is_kwargs()).cloned().or_else(|| named(args, "start"));
    match start {
        Some(start) if !start.is_number() => {
            let all = keys(budget, state, args, 1)?.saturating_add(budget.weigh(&start)?.size);
            budget.make(all.saturating_mul(count(first(args)).saturating_add(1)))
        }
        _ => Ok(()),
    }
}

/// The parts of a text between separators.
pub(super) fn split(budget: &Budget, _: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let text = first(args).as_str().unwrap_or_default();
    budget.look(text.len() as u64)?;
    let n = match args.get(1).and_then(Value::as_str) {
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
    let [text, from, to] = [0, 1, 2].map(|nr| args.get(nr).and_then(Value::as_str).unwrap_or_default());
    let most = args.get(3).and_then(Value::as_usize).unwrap_or(usize::MAX);
    budget.make((text.matches(from).count().min(most) as u64).saturating_mul(to.len() as u64))
}

/// `join(list, between)`, and `between.join(list)` with swapped arguments.
pub(super) fn joined(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let between = args.get(1).filter(|value| !value.is_kwargs()).cloned().or_else(|| named(args, "d"));
    let between = match between {
        Some(value) => budget.weigh(&value)?.size - ITEM,
        None => 0,
    };
    let all = keys(budget, state, args, 2)?;
    budget.make(all.saturating_mul(6).saturating_add(count(first(args)).saturating_mul(between)))
}

pub(super) fn joins(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    match args {
        [between, list] => joined(budget, state, &[list.clone(), between.clone()]),
        _ => Ok(()),
    }
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
    let ends = args.iter().skip(1).filter_map(Value::as_str).map(|end| end.len() as u64).max().unwrap_or(1);
    // No line of the result is shorter than a word of the text, unless a width breaks the word.
    let text = first(args).as_str().unwrap_or_default();
    let width = number(args, "width").max(1);
    let n_lines =
        text.split_whitespace().count() as u64 + text.len() as u64 / width + text.matches('\n').count() as u64;
    budget.make((n_lines + 1).saturating_mul(ends + ITEM))
}

/// Each blank of the text becomes as many as given.
pub(super) fn expanded(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    copied(budget, state, args)?;
    let n_tabs = first(args).as_str().map_or(0, |text| text.matches('\t').count()) as u64;
    budget.make(number(args, "tabsize").max(8).saturating_mul(n_tabs))
}

/// Each word of the text may become a link, which has the other arguments as attributes.
pub(super) fn linked(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    escaped(budget, state, args)?;
    let others = sizes(budget, args.get(1..).unwrap_or_default())?;
    let n_words = first(args).as_str().map_or(0, |text| text.split_whitespace().count()) as u64;
    budget.look(n_words.saturating_mul(others))?;
    budget.make(n_words.saturating_mul(others.saturating_mul(6) + 100))
}

/// Lists of a number of elements, or a number of lists.
pub(super) fn grouped(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    each(budget, state, args)?;
    budget.make(number(args, "count").saturating_mul(2 * ITEM))
}

/// JSON, in which each line may begin with spaces.
pub(super) fn json(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    escaped(budget, state, args)?;
    let Weight { size, depth, .. } = budget.weigh(first(args))?;
    let prefix = args.get(1).and_then(Value::as_str).map_or(0, str::len) as u64;
    let indent = number(args, "indent").max(prefix);
    budget.make((size / ITEM + 1).saturating_mul(indent).saturating_mul(depth as u64 + 1))
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
            largest = budget.weigh(&part)?.size.max(largest);
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
    match (a.len(), b.len()) {
        (Some(_), _) => budget.make(budget.weigh(&a)?.size.saturating_mul(times(&b))),
        (None, Some(_)) => budget.make(budget.weigh(&b)?.size.saturating_mul(times(&a))),
        (None, None) => Ok(()),
    }
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

/// The size of the sort or join keys of the first argument's elements: the elements, and the attribute named by the
/// argument with this index or name, which is not part of an instance's weight.
fn keys(budget: &Budget, state: &mut State<'_, '_>, args: &[Value], nr: usize) -> Result<u64, Error> {
    let list = first(args);
    let mut size = budget.weigh(list)?.size;
    let asked = args.get(nr).filter(|value| nr > 0 && !value.is_kwargs()).cloned().or_else(|| named(args, "attribute"));
    let paths = asked.map(|path| path.to_string()).unwrap_or_default();
    for path in paths.split(',').map(str::trim).filter(|path| !path.is_empty()) {
        let attribute = Kwargs::from_iter([("attribute", Value::from(path)), ("default", Value::from(()))]);
        let keys = state.apply_filter("map", &[list.clone(), attribute.into()])?;
        size = size.saturating_add(budget.weigh(&keys)?.size);
    }
    Ok(size)
}
