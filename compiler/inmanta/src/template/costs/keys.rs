//! Costs that depend on the keys by which elements are sorted, compared, added or joined.

use super::{Budget, count, each, first, named, written};
use minijinja::value::{Kwargs, ObjectRepr};
use minijinja::{Error, State, Value};

/// Sorts the elements of the first argument.
pub(in crate::template) fn sorted(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    sorted_by(budget, state, args, 0)
}

/// The same for `groupby(list, attribute)`.
pub(in crate::template) fn sorted_by_first(
    budget: &Budget,
    state: &mut State<'_, '_>,
    args: &[Value],
) -> Result<(), Error> {
    sorted_by(budget, state, args, 1)
}

fn sorted_by(budget: &Budget, state: &mut State<'_, '_>, args: &[Value], nr: usize) -> Result<(), Error> {
    let Keys { longest, .. } = compared(budget, state, args, nr)?;
    // Comparing two texts folds both to the same case as a whole, so a long one among many short ones is folded again
    // and again.
    budget.look(count(first(args)).saturating_mul(2).saturating_mul(longest.saturating_sub(LONG)))
}

/// Text of this length may be folded more often than the size of a list suggests.
const LONG: u64 = 4096;

/// Looks each element of the first argument up among those before it.
pub(in crate::template) fn distinct(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    compared(budget, state, args, 0).map(drop)
}

fn compared(budget: &Budget, state: &mut State<'_, '_>, args: &[Value], nr: usize) -> Result<Keys, Error> {
    each(budget, state, args)?;
    let n = count(first(args));
    let keys = keys(budget, state, args, nr)?;
    budget.make(keys.size)?;
    // Comparing two of them folds both to the same case.
    budget.look(keys.size.saturating_mul(8 * u64::from(n.max(2).ilog2())))?;
    Ok(keys)
}

/// Adds the elements one after the other: texts and lists are copied each time.
pub(in crate::template) fn summed(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    each(budget, state, args)?;
    let start = args.get(2).filter(|value| !value.is_kwargs()).cloned().or_else(|| named(args, "start"));
    match start {
        Some(start) if !start.is_number() => {
            let all = keys(budget, state, args, 1)?.size.saturating_add(budget.weigh(&start)?.size);
            budget.make(all.saturating_mul(count(first(args)).saturating_add(1)))
        }
        _ => Ok(()),
    }
}

/// `join(list, between)`, and `between.join(list)` with swapped arguments.
pub(in crate::template) fn joined(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let between = args.get(1).filter(|value| !value.is_kwargs()).cloned().or_else(|| named(args, "d"));
    let between = match between {
        Some(value) => written(budget, &value)?,
        None => 0,
    };
    let all = keys(budget, state, args, 2)?.size;
    budget.make(all.saturating_mul(6).saturating_add(count(first(args)).saturating_mul(between)))
}

pub(in crate::template) fn joins(budget: &Budget, state: &mut State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    match args {
        [between, list] => joined(budget, state, &[list.clone(), between.clone()]),
        _ => Ok(()),
    }
}

/// The sort or join keys of the elements of a list.
#[derive(Debug)]
struct Keys {
    size: u64,
    /// The bytes of the longest text.
    longest: u64,
}

/// The keys of the first argument's elements: the elements, and the attribute named by the argument with this index or
/// name, which is not part of an instance's weight.
fn keys(budget: &Budget, state: &mut State<'_, '_>, args: &[Value], nr: usize) -> Result<Keys, Error> {
    let list = first(args);
    let mut found = Keys { size: budget.weigh(list)?.size, longest: longest(list) };
    let asked = args.get(nr).filter(|value| nr > 0 && !value.is_kwargs()).cloned().or_else(|| named(args, "attribute"));
    let paths = asked.map(|path| path.to_string()).unwrap_or_default();
    for path in paths.split(',').map(str::trim).filter(|path| !path.is_empty()) {
        let attribute = Kwargs::from_iter([("attribute", Value::from(path)), ("default", Value::from(()))]);
        let keys = state.apply_filter("map", &[list.clone(), attribute.into()])?;
        found.size = found.size.saturating_add(budget.weigh(&keys)?.size);
        found.longest = found.longest.max(longest(&keys));
    }
    Ok(found)
}

/// The bytes of the longest text in a list, or among the keys and values of a dict.
fn longest(list: &Value) -> u64 {
    let len = |value: &Value| value.as_str().map_or(0, |text| text.len() as u64);
    let Some(object) = list.as_object() else { return 0 };
    let found = match object.repr() {
        ObjectRepr::Map => {
            object.try_iter_pairs().into_iter().flatten().map(|(key, value)| len(&key).max(len(&value))).max()
        }
        _ => object.try_iter().into_iter().flatten().map(|value| len(&value)).max(),
    };
    found.unwrap_or(0)
}
