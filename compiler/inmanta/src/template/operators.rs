//! Filters inserted by [`super::tree`], whose names cannot be written, which charge the cost of operators.
//!
//! minijinja evaluates operators without a hook. If the cost of one is the sum of its operands' weights, each operand
//! is charged before it; if it is a product, the filter replaces the operator. So it does where numbers may be larger than
//! those of minijinja.

use super::budget::{Budget, ITEM, NODE};
use super::objects::Macro;
use super::shown::{LOOP, python_kind};
use super::snapshot::Shared;
use super::{arithmetic, costs, order, percent, power, sums, texts};
use minijinja::value::{Kwargs, Rest, Tuple, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, Value};
use std::sync::Arc;

/// An operand that is compared or searched.
pub(super) const READ: &str = "<read";
/// An operand whose text or elements become a part of the result.
pub(super) const JOINED: &str = "<joined";
/// What is searched for an element or a part.
pub(super) const SEARCHED: &str = "<searched";
/// `a in b`
pub(super) const CONTAINED: &str = "<contained";
/// `value[key]`, if the key is not a name: the characters of a text are charged.
pub(super) const PLACES: &str = "<places";
/// `value.name`, or `value["name"]`: a value that lacks it is recorded.
pub(super) const ATTRIBUTE: &str = "<attribute";
/// A new list, tuple or dict.
pub(super) const MADE: &str = "<made";
/// A value that becomes an attribute of a namespace.
pub(super) const KEPT: &str = "<kept";
/// Entering a body with this many nodes.
pub(super) const COUNT: &str = "<count";
/// `a + b`
pub(super) const PLUS: &str = "<plus";
/// `a - b`
pub(super) const MINUS: &str = "<minus";
/// `a * b`
pub(super) const TIMES: &str = "<times";
/// `a / b`
pub(super) const DIVIDED: &str = "<divided";
/// `a // b`
pub(super) const FLOOR: &str = "<floor";
/// `a ** b`
pub(super) const POWER: &str = "<power";
/// `a % b`
pub(super) const PERCENT: &str = "<percent";
/// `list|sum`
pub(super) const SUMMED: &str = "<summed";
/// `-a`
pub(super) const NEGATED: &str = "<negated";
/// `value[start:stop:step]`
pub(super) const SLICE: &str = "<slice";
/// `a < b`, with the sign
pub(super) const ORDERED: &str = "<ordered";
/// `a < b < c`, with the signs between them
pub(super) const CHAINED: &str = "<chained";
/// What a loop goes through, and whether it has several names for each element
pub(super) const ITERATED: &str = "<iterated";
/// A value whose elements get several names.
pub(super) const UNPACKED: &str = "<unpacked";
/// `value.cycle(a, b)`, which may be that of a loop: minijinja divides by the number of arguments.
pub(super) const CYCLE: &str = "<cycle";
/// A macro of minijinja, with its name, parameters, and whether it uses further arguments
pub(super) const MACRO: &str = "<macro";

type Run = fn(&Budget, &mut State<'_, '_>, &[Value]) -> Result<Value, Error>;

const FILTERS: [(&str, Run); 23] = [
    (READ, |budget, state, args| {
        costs::read(budget, state, args)?;
        Ok(first(args))
    }),
    (JOINED, joined),
    (SEARCHED, |budget, state, args| {
        let value = first(args);
        texts::check_searchable(&value)?;
        costs::within(budget, state, args)?;
        Ok(value)
    }),
    // Both are charged before it.
    (CONTAINED, |_, state, args| Ok(Value::from(texts::contained(state, &first(args), &second(args))?))),
    (MADE, |budget, _, args| made(budget, first(args))),
    (KEPT, |budget, _, args| {
        budget.keep(&first(args))?;
        Ok(first(args))
    }),
    (COUNT, |budget, _, args| {
        let n_nodes = args.get(1).and_then(Value::as_usize).unwrap_or(0) as u64;
        budget.look(n_nodes * NODE)?;
        Ok(first(args))
    }),
    (PLUS, |budget, state, args| {
        for operand in args.chunks(1) {
            joined(budget, state, operand)?;
        }
        made(budget, arithmetic::sum(budget, &first(args), &second(args))?)
    }),
    (MINUS, |budget, _, args| arithmetic::difference(budget, &first(args), &second(args))),
    (TIMES, |budget, state, args| {
        costs::repeated(budget, state, args)?;
        arithmetic::product(budget, &first(args), &second(args))
    }),
    (DIVIDED, |budget, _, args| arithmetic::quotient(budget, &first(args), &second(args))),
    (FLOOR, |budget, _, args| arithmetic::floor(budget, &first(args), &second(args))),
    (POWER, |budget, _, args| power::power(budget, &first(args), &second(args))),
    (PERCENT, |budget, state, args| {
        let (left, right) = (first(args), args.get(1).cloned().unwrap_or_default());
        if left.as_str().is_none() {
            costs::divided(budget, state, args)?;
            return arithmetic::remainder(&left, &right);
        }
        costs::read(budget, state, args.get(1..).unwrap_or_default())?;
        let given = inserted(&left, &right)?;
        costs::formatted(budget, state, &given)?;
        let given = percent::prepared(budget, given)?;
        budget.settle(Value::from_function(minijinja::filters::format).call(state, &given)?)
    }),
    (SUMMED, |budget, _, args| sums::sum(budget, args)),
    (NEGATED, |budget, _, args| arithmetic::negated(budget, &first(args))),
    (SLICE, |budget, state, args| {
        costs::copied(budget, state, args.get(..1).unwrap_or_default())?;
        slice(budget, args)
    }),
    (ORDERED, |budget, state, args| {
        costs::read(budget, state, args)?;
        order::ordered(&first(args), &second(args), args.get(2).and_then(Value::as_str).unwrap_or_default())
    }),
    (CHAINED, |budget, state, args| {
        costs::read(budget, state, args)?;
        order::chained(args)
    }),
    (ITERATED, |budget, _, args| {
        let value = first(args);
        texts::check_iterable(&value)?;
        // minijinja does not count the letters of a text for `loop.length`.
        let value = spelled(budget, value)?;
        if !second(args).is_true() {
            return Ok(value);
        }
        texts::check_elements(&value)?;
        taken_apart(budget, value)
    }),
    (UNPACKED, |budget, _, args| {
        let value = first(args);
        texts::check_unpackable(&value)?;
        spelled(budget, value)
    }),
    (CYCLE, |_, state, args| {
        let (value, items) = (first(args), args.get(1..).unwrap_or_default());
        if items.is_empty() && python_kind(&value) == LOOP {
            return Err(invalid("TypeError: no items for cycling given".into()));
        }
        value.call_method(state, "cycle", items)
    }),
    (MACRO, |_, _, args| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let params = args.get(2).and_then(|params| params.try_iter().ok()).into_iter().flatten();
        let params: Vec<Value> = params.collect();
        Ok(Value::from_object(Macro {
            inner: first(args),
            name: text(&second(args)),
            params: params.iter().map(text).collect(),
            arguments: Tuple::from(params).into(),
            catches: [3, 4].map(|nr| args.get(nr).is_some_and(Value::is_true)),
        }))
    }),
];

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FILTERS.iter().map(|(name, _)| *name).chain([PLACES, ATTRIBUTE])
}

pub(super) fn add(environment: &mut Environment<'_>, budget: &Arc<Budget>, shared: &Arc<Shared>) {
    for (name, run) in FILTERS {
        let budget = budget.clone();
        environment.add_filter(name, move |state: &mut State<'_, '_>, args: Rest<ValueOrKwargs>| {
            run(&budget, state, &args.into_values())
        });
    }
    let of_attributes = shared.clone();
    environment.add_filter(ATTRIBUTE, move |value: &Value, name: &Value| -> Result<Value, Error> {
        let found = value.get_attr(name.as_str().unwrap_or_default())?;
        if found.is_undefined() {
            of_attributes.miss(python_kind(value), name);
        }
        Ok(found)
    });
    let (budget, shared) = (budget.clone(), shared.clone());
    environment.add_filter(PLACES, move |state: &mut State<'_, '_>, args: Rest<ValueOrKwargs>| {
        let args = args.into_values();
        costs::text(&budget, state, &args)?;
        costs::read(&budget, state, args.get(1..).unwrap_or_default())?;
        let (value, key) = (first(&args), second(&args));
        // A list has no element of that name, but a dict needs the value.
        if key.is_undefined() && value.kind() == ValueKind::Map {
            return Err(Error::from(ErrorKind::UndefinedError));
        }
        let found = value.get_item(&key)?;
        if found.is_undefined() {
            shared.miss(python_kind(&value), &key);
        }
        Ok(found)
    });
}

/// A value that was just made.
fn made(budget: &Budget, value: Value) -> Result<Value, Error> {
    let made = budget.settle(value)?;
    budget.make(ITEM * (made.len().unwrap_or(0) as u64 + 1))?;
    Ok(made)
}

/// A text as the list of its letters; any other value remains.
fn spelled(budget: &Budget, value: Value) -> Result<Value, Error> {
    match value.as_str() {
        Some(text) => {
            budget.make(text.len() as u64 * ITEM)?;
            Ok(text.chars().map(Value::from).collect())
        }
        None => Ok(value),
    }
}

/// For several names: elements and keys that are texts as lists of their letters, which are all that minijinja takes
/// apart.
fn taken_apart(budget: &Budget, value: Value) -> Result<Value, Error> {
    // The elements of other iterables can be taken only once.
    let is_kept = matches!(value.kind(), ValueKind::Seq | ValueKind::Map);
    if !is_kept || !value.try_iter()?.any(|item| item.as_str().is_some()) {
        return Ok(value);
    }
    budget.make(value.len().unwrap_or(0) as u64 * ITEM)?;
    value.try_iter()?.map(|item| spelled(budget, item)).collect()
}

fn joined(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
    match args.first().and_then(Value::as_str) {
        Some(text) => budget.make(text.len() as u64 + ITEM)?,
        None => costs::escaped(budget, state, args)?,
    }
    Ok(first(args))
}

fn first(args: &[Value]) -> Value {
    args.first().cloned().unwrap_or_default()
}

fn second(args: &[Value]) -> Value {
    args.get(1).cloned().unwrap_or_default()
}

fn invalid(text: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, text)
}

/// The arguments of `format` for `text % values`: the elements of a tuple, the entries of a dict, or one value.
fn inserted(text: &Value, values: &Value) -> Result<Vec<Value>, Error> {
    let mut given = vec![text.clone()];
    if values.is_tuple() {
        given.extend(values.try_iter()?);
    } else if values.kind() == ValueKind::Map && text.as_str().is_some_and(|text| text.contains("%(")) {
        let mut entries = Vec::new();
        for key in values.try_iter()? {
            entries.push((key.to_string(), values.get_item(&key)?));
        }
        given.push(Kwargs::from_iter(entries).into());
    } else {
        given.push(values.clone());
    }
    Ok(given)
}

const BOUNDS: &str = "TypeError: slice indices must be integers or None or have an __index__ method";

/// A slice as in Python: positions past an end are that end, negative ones count from the end.
fn slice(budget: &Budget, args: &[Value]) -> Result<Value, Error> {
    let value = first(args);
    let bound = |nr: usize| match args.get(nr) {
        Some(bound) if !bound.is_none() => match bound.as_i64() {
            Some(bound) => Ok(Some(bound)),
            None => Err(invalid(BOUNDS.into())),
        },
        _ => Ok(None),
    };
    let (start, stop, step) = (bound(1)?, bound(2)?, bound(3)?.unwrap_or(1));
    if step == 0 {
        return Err(invalid("ValueError: slice step cannot be zero".into()));
    }
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    let items: Vec<Value> = match value.as_str() {
        Some(text) => {
            budget.make(text.len() as u64 * ITEM)?;
            text.chars().map(Value::from).collect()
        }
        None if value.is_none() => Vec::new(),
        None if value.kind() == ValueKind::Map => Err(not_sliced(&value))?,
        None => value.try_iter().map_err(|_| not_sliced(&value))?.collect(),
    };
    let len = items.len() as i64;
    let place = |bound: Option<i64>, missing: i64, lowest: i64, highest: i64| match bound {
        None => missing,
        Some(bound) if bound < 0 => bound.saturating_add(len).clamp(lowest, highest),
        Some(bound) => bound.clamp(lowest, highest),
    };
    let (mut at, end) = if step > 0 {
        (place(start, 0, 0, len), place(stop, len, 0, len))
    } else {
        (place(start, len - 1, -1, len - 1), place(stop, -1, -1, len - 1))
    };
    let mut taken = Vec::new();
    while if step > 0 { at < end } else { at > end } {
        taken.extend(usize::try_from(at).ok().and_then(|at| items.get(at)).cloned());
        at = at.saturating_add(step);
    }
    Ok(match value.as_str() {
        Some(_) => Value::from(taken.iter().filter_map(Value::as_str).collect::<String>()),
        None if value.is_tuple() => Tuple::from(taken).into(),
        None => Value::from(taken),
    })
}

fn not_sliced(value: &Value) -> Error {
    invalid(format!("value of type {} cannot be sliced", value.kind()))
}
