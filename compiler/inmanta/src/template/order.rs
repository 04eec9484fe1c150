//! Comparing by size, sorting, and the smallest and the largest element: values without an order are refused, as in
//! Python.

use super::costs;
use super::missing::Missed;
use super::objects::Group;
use super::offered::STRICT;
use super::shown::python_kind;
use super::whole::{compared, is_below, is_big};
use minijinja::value::{Kwargs, ObjectRepr, ValueKind};
use minijinja::{Error, ErrorKind, State, Value, filters};

pub(super) fn sort(state: &State<'_, '_>, value: Value, options: Kwargs) -> Result<Value, Error> {
    check(&value, &options, "<")?;
    filters::sort(state, value, options)
}

pub(super) fn min(state: &State<'_, '_>, value: Value, options: Kwargs) -> Result<Value, Error> {
    check(&value, &options, "<")?;
    filters::min(state, value, options)
}

pub(super) fn max(state: &State<'_, '_>, value: Value, options: Kwargs) -> Result<Value, Error> {
    check(&value, &options, ">")?;
    filters::max(state, value, options)
}

pub(super) fn groupby(value: Value, options: Kwargs) -> Result<Value, Error> {
    check(&value, &options, "<")?;
    let path = options.peek::<Option<&str>>("attribute").unwrap_or_default().unwrap_or_default().to_owned();
    let default = options.peek::<Value>("default").unwrap_or_default();
    let groups = filters::groupby(value, None, options)?;
    // Values that differ in case only are in one group, which minijinja names by the last one.
    let named = |group: Value| -> Result<Value, Error> {
        let elements: Vec<Value> = group.get_attr("list")?.try_iter()?.collect();
        let grouper = elements.first().map(|first| part(first.clone(), &path, &default)).unwrap_or_default();
        Ok(Value::from_object(Group { grouper, list: Value::from(elements) }))
    };
    groups.try_iter()?.map(named).collect::<Result<Value, Error>>()
}

pub(super) fn dictsort(dict: &Value, options: Kwargs) -> Result<Value, Error> {
    let by = options.peek::<Option<&str>>("by").unwrap_or_default().unwrap_or("key");
    if !matches!(by, "key" | "value") {
        return Err(invalid("FilterArgumentError: You can only sort by either \"key\" or \"value\"".into()));
    }
    if dict.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    if dict.kind() != ValueKind::Map {
        return Err(invalid(format!("AttributeError: '{}' object has no attribute 'items'", python_kind(dict))));
    }
    let keys = dict.try_iter()?;
    let keys: Vec<Value> =
        if by == "key" { keys.collect() } else { keys.map(|key| dict.get_item(&key)).collect::<Result<_, _>>()? };
    check_neighbours(keys, &options, "<")?;
    filters::dictsort(dict, options)
}

/// Whether its elements can be taken only once, unlike those of lists, dicts and texts; or it has none.
fn is_once(value: &Value) -> bool {
    value.as_str().is_none() && value.as_object().is_none_or(|object| object.repr() == ObjectRepr::Iterable)
}

/// Errors: an element lacks the attribute by which they are compared, or two neighbours have no order.
fn check(value: &Value, options: &Kwargs, sign: &str) -> Result<(), Error> {
    if is_once(value) {
        return Ok(());
    }
    let attributes = options.peek::<Option<&str>>("attribute").unwrap_or_default().unwrap_or_default();
    let Ok(items) = value.try_iter() else { return Ok(()) };
    match attributes.split_once(',') {
        None if attributes.is_empty() => check_neighbours(items.collect(), options, sign),
        None => {
            let default = options.peek::<Value>("default").unwrap_or_default();
            let items: Vec<Value> = items.collect();
            let keys: Vec<Value> = items.iter().map(|item| part(item.clone(), attributes, &default)).collect();
            let lacks = keys.iter().position(Value::is_undefined).filter(|_| keys.len() > 1);
            match lacks.and_then(|nr| items.get(nr)) {
                Some(item) => Err(lacking(item, attributes)),
                None => check_neighbours(keys, options, sign),
            }
        }
        // Lists are compared by the first elements that differ.
        Some(_) => Ok(()),
    }
}

/// The value at a path in an element, such as `a.b`, or `0` in a pair; the default if there is none.
pub(super) fn part(element: Value, path: &str, default: &Value) -> Value {
    let found = path.split('.').fold(element, |value, name| step(&value, name));
    if found.is_undefined() { default.clone() } else { found }
}

/// An attribute, or an element by its number.
fn step(value: &Value, name: &str) -> Value {
    let found = match name.parse::<usize>() {
        Ok(nr) => value.get_item_by_index(nr),
        Err(_) => value.get_attr(name),
    };
    found.unwrap_or_default()
}

/// The type of what lacks a part of this path in an element, and that part.
fn lacked(element: &Value, path: &str) -> Option<(&'static str, Value)> {
    let mut value = element.clone();
    for name in path.split('.') {
        let next = step(&value, name);
        if next.is_undefined() {
            let key = name.parse::<usize>().map_or_else(|_| Value::from(name), Value::from);
            return Some((python_kind(&value), key));
        }
        value = next;
    }
    None
}

/// The error about an element that has nothing at this path.
fn lacking(element: &Value, path: &str) -> Error {
    match lacked(element, path) {
        Some((kind, key)) => Error::new(ErrorKind::UndefinedError, Missed::of(kind, &key).to_string()),
        None => Error::from(ErrorKind::UndefinedError),
    }
}

/// The part that the first element without the attribute of `map` lacks: its value is undefined.
pub(super) fn unmapped(args: &[Value]) -> Option<(&'static str, Value)> {
    let (list, path) = (args.first()?, costs::named(args, "attribute")?);
    if is_once(list) || costs::named(args, "default").is_some() {
        return None;
    }
    list.try_iter().ok()?.find_map(|item| lacked(&item, path.as_str()?))
}

/// The filters that use an attribute of each element, in any case: minijinja leaves out those that lack it.
///
/// Errors: an element lacks it.
pub(super) fn check_attribute(filter: &str, args: &[Value]) -> Result<(), Error> {
    let place = match filter {
        "sum" => 1,
        "join" => 2,
        "unique" => usize::MAX,
        // Without a test, the value itself decides.
        "selectattr" | "rejectattr" if args.get(2).is_none_or(is_strict) => 1,
        _ => return Ok(()),
    };
    let path = args.get(place).filter(|arg| !arg.is_kwargs()).cloned();
    let path = path.or_else(|| costs::named(args, "attribute")).unwrap_or_default();
    let (Some(path), Some(list)) = (path.as_str(), args.first()) else { return Ok(()) };
    if is_once(list) {
        return Ok(());
    }
    let Ok(mut items) = list.try_iter() else { return Ok(()) };
    match items.find(|item| part(item.clone(), path, &Value::UNDEFINED).is_undefined()) {
        Some(item) => Err(lacking(&item, path)),
        None => Ok(()),
    }
}

/// Whether it is the name of a test that takes no value that does not exist.
fn is_strict(test: &Value) -> bool {
    test.as_str().is_some_and(|test| STRICT.contains(&test))
}

fn check_neighbours(mut keys: Vec<Value>, options: &Kwargs, sign: &str) -> Result<(), Error> {
    if keys.len() > 1 && keys.iter().any(Value::is_undefined) {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    // minijinja puts all of them behind the other numbers.
    if keys.iter().any(is_below) && !keys.iter().all(is_big) {
        return Err(invalid("OverflowError: integers below -2 ** 127 cannot be sorted with larger ones".into()));
    }
    if options.peek::<Option<bool>>("reverse").unwrap_or_default() == Some(true) {
        keys.reverse();
    }
    keys.windows(2).try_for_each(|pair| ordered(&pair[1], &pair[0], sign).map(drop))
}

/// `a < b <= c`, with the signs between the values: a pair is compared if those before it hold.
pub(super) fn chained(args: &[Value]) -> Result<Value, Error> {
    for pair in args.windows(3).step_by(2) {
        let [a, sign, b] = pair else { continue };
        let holds = match sign.as_str().unwrap_or_default() {
            "==" | "!=" if a.is_undefined() || b.is_undefined() => return Err(Error::from(ErrorKind::UndefinedError)),
            "==" => is_equal(a, b),
            "!=" => !is_equal(a, b),
            sign => ordered(a, b, sign)?.is_true(),
        };
        if !holds {
            return Ok(Value::from(false));
        }
    }
    Ok(Value::from(true))
}

/// Whether two values are equal, also numbers of which minijinja cannot hold one.
pub(super) fn is_equal(a: &Value, b: &Value) -> bool {
    compared(a, b).map_or_else(|| a == b, |order| order.is_eq())
}

/// Whether one value is less or greater than another. Errors: they have no order in Python.
pub(super) fn ordered(a: &Value, b: &Value, sign: &str) -> Result<Value, Error> {
    if a.is_undefined() || b.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    if let Some(order) = compared(a, b) {
        return Ok(Value::from(match sign {
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            _ => order.is_ge(),
        }));
    }
    let is_number = |value: &Value| value.is_number() || value.kind() == ValueKind::Bool;
    let both = |of: fn(&Value) -> bool| of(a) && of(b);
    let have_order = both(|value| value.as_str().is_some())
        || is_number(a) && is_number(b)
        || both(|value| value.kind() == ValueKind::Seq) && a.is_tuple() == b.is_tuple();
    if !have_order {
        let [a, b] = [a, b].map(python_kind);
        return Err(invalid(format!("TypeError: '{sign}' not supported between instances of '{a}' and '{b}'")));
    }
    // `true` counts as 1.
    let number = |value: &Value| match value.kind() {
        ValueKind::Bool => Value::from(i64::from(value.is_true())),
        _ => value.clone(),
    };
    let (a, b) = (number(a), number(b));
    Ok(Value::from(match sign {
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        _ => a >= b,
    }))
}

fn invalid(text: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, text)
}
