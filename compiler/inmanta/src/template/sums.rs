//! The filter `sum`, as in Python: whole numbers have any size, and the rounding errors of floats are made up for.

use super::arithmetic;
use super::budget::Budget;
use super::costs;
use super::order::part;
use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Value};

/// `sum(list, attribute, start)`. The list and the start are charged before.
pub(super) fn sum(budget: &Budget, args: &[Value]) -> Result<Value, Error> {
    let given = |place: usize, name: &str| {
        let by_place = args.get(place).filter(|value| !value.is_kwargs()).cloned();
        by_place.or_else(|| costs::named(args, name)).filter(|value| !value.is_undefined())
    };
    let path = given(1, "attribute").filter(|path| !path.is_none()).map(|path| path.to_string());
    let start = given(2, "start").unwrap_or_else(|| Value::from(0));
    if start.as_str().is_some() {
        let text = "TypeError: sum() can't sum strings [use ''.join(seq) instead]";
        return Err(Error::new(ErrorKind::InvalidOperation, text));
    }
    let mut total = Total::new(start);
    for item in args.first().cloned().unwrap_or_default().try_iter()?.checked() {
        let item = match &path {
            Some(path) => part(item?, path, &Value::UNDEFINED),
            None => item?,
        };
        // What a template asks the model for may not be there yet; otherwise, its absence was an error before.
        if !item.is_undefined() {
            total = total.plus(budget, &item)?;
        }
    }
    Ok(total.value())
}

/// The sum so far.
enum Total {
    /// A whole number of 64 bits.
    Whole(Value),
    /// Of floats, and what was lost by rounding it.
    Floats { sum: f64, lost: f64 },
    /// Anything else, to which Python adds one value after the other.
    Other(Value),
}

impl Total {
    fn new(value: Value) -> Total {
        match float(&value) {
            Some(sum) => Total::Floats { sum, lost: 0.0 },
            None if value.is_integer() && value.as_i64().is_some() => Total::Whole(value),
            None => Total::Other(value),
        }
    }

    fn plus(self, budget: &Budget, item: &Value) -> Result<Total, Error> {
        let (sum, lost) = match self {
            Total::Floats { sum, lost } => (sum, lost),
            Total::Whole(sum) => return Ok(Total::new(arithmetic::sum(budget, &sum, item)?)),
            Total::Other(sum) => return Ok(Total::Other(arithmetic::sum(budget, &sum, item)?)),
        };
        if let Some(item) = float(item) {
            let both = sum + item;
            // The smaller of the two loses its last digits.
            let is_larger = libm::fabs(sum) >= libm::fabs(item);
            let rest = if is_larger { (sum - both) + item } else { (item - both) + sum };
            return Ok(Total::Floats { sum: both, lost: lost + rest });
        }
        let small = match item.kind() {
            ValueKind::Bool => Some(i64::from(item.is_true())),
            _ if item.is_integer() => item.as_i64(),
            _ => None,
        };
        match small {
            Some(item) => Ok(Total::Floats { sum: sum + item as f64, lost }),
            None => {
                let sum = Total::Floats { sum, lost }.value();
                Ok(Total::Other(arithmetic::sum(budget, &sum, item)?))
            }
        }
    }

    fn value(self) -> Value {
        match self {
            // An infinite sum stays so: what was lost is then no number.
            Total::Floats { sum, lost } if lost != 0.0 && lost.is_finite() => Value::from(sum + lost),
            Total::Floats { sum, .. } => Value::from(sum),
            Total::Whole(value) | Total::Other(value) => value,
        }
    }
}

fn float(value: &Value) -> Option<f64> {
    let is_float = value.is_number() && !value.is_integer();
    if is_float { f64::try_from(value.clone()).ok() } else { None }
}
