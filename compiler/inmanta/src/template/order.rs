//! Sorting, and the smallest and the largest element: values without an order are refused, as in Python.

use super::missing::LACKS_KEY;
use super::operators::ordered;
use minijinja::value::{Kwargs, ObjectRepr};
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

/// Errors: an element lacks the attribute by which they are compared, or two neighbours have no order.
fn check(value: &Value, options: &Kwargs, sign: &str) -> Result<(), Error> {
    // The elements of other iterables can be taken only once.
    if value.as_object().is_none_or(|object| object.repr() == ObjectRepr::Iterable) {
        return Ok(());
    }
    let attribute = options.peek::<Option<&str>>("attribute").unwrap_or_default();
    // A path, several attributes, or an index.
    if attribute.is_some_and(|name| name.contains(['.', ',']) || name.parse::<usize>().is_ok()) {
        return Ok(());
    }
    let Ok(items) = value.try_iter() else { return Ok(()) };
    let key = |item: Value| match attribute {
        Some(name) => item.get_attr(name),
        None => Ok(item),
    };
    let keys = items.map(key).collect::<Result<Vec<Value>, Error>>()?;
    if keys.len() > 1 && keys.iter().any(Value::is_undefined) {
        return Err(Error::new(ErrorKind::UndefinedError, LACKS_KEY));
    }
    keys.windows(2).try_for_each(|pair| ordered(&pair[1], &pair[0], sign).map(drop))
}
