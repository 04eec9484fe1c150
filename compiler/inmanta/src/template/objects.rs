//! Objects that templates make: macros, cyclers, joiners, and groups.

use super::shown;
use minijinja::value::{Enumerator, Kwargs, Object, ObjectRepr, Tuple, from_args};
use minijinja::{Error, ErrorKind, State, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The names of arguments beyond the parameters of a macro, inside it.
pub(super) const REST: [&str; 2] = ["varargs", "kwargs"];

/// A macro that takes its arguments as Jinja2 does: more than it has parameters, if it uses them.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) inner: Value,
    pub(super) name: String,
    pub(super) params: Vec<String>,
    /// The same, as a template sees them.
    pub(super) arguments: Value,
    /// Whether it uses `varargs` and `kwargs`.
    pub(super) catches: [bool; 2],
}

impl Macro {
    fn wrong(&self, text: &str) -> Error {
        Error::new(ErrorKind::InvalidOperation, format!("TypeError: macro '{}' {text}", self.name))
    }

    fn has_caller(&self) -> bool {
        self.inner.get_attr("caller").is_ok_and(|it| it.is_true())
    }
}

impl Object for Macro {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        Some(match key.as_str()? {
            "name" => Value::from(self.name.as_str()),
            "arguments" => self.arguments.clone(),
            "catch_varargs" => Value::from(self.catches[0]),
            "catch_kwargs" => Value::from(self.catches[1]),
            "caller" => Value::from(self.has_caller()),
            _ => return None,
        })
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        let mut given = args.to_vec();
        let named = given.pop_if(|last| last.is_kwargs()).map(Kwargs::try_from).transpose()?;
        let surplus = given.split_off(given.len().min(self.params.len()));
        let mut passed: Vec<(String, Value)> = Vec::new();
        let mut others: Vec<(Value, Value)> = Vec::new();
        let places: BTreeMap<&str, usize> = match &named {
            Some(_) => self.params.iter().enumerate().map(|(at, param)| (param.as_str(), at)).collect(),
            None => BTreeMap::new(),
        };
        for name in named.iter().flat_map(|named| named.args()) {
            let value = named.as_ref().map_or(Ok(Value::UNDEFINED), |named| named.peek::<Value>(name))?;
            match places.get(name).copied() {
                Some(at) if at < given.len() => {
                    return Err(self.wrong(&format!("got multiple values for argument '{name}'")));
                }
                Some(_) => passed.push((name.to_owned(), value)),
                None if name == "caller" && self.has_caller() => passed.push((name.to_owned(), value)),
                None if self.catches[1] => others.push((Value::from(name), value)),
                None if name == "caller" => {
                    let text =
                        "was invoked with two values for the special caller argument. This is most likely a bug.";
                    return Err(self.wrong(text));
                }
                None => return Err(self.wrong(&format!("takes no keyword argument '{name}'"))),
            }
        }
        if self.catches[0] {
            passed.push((REST[0].into(), Value::from(Tuple::from(surplus))));
        } else if !surplus.is_empty() {
            return Err(self.wrong(&format!("takes not more than {} argument(s)", self.params.len())));
        }
        if self.catches[1] {
            passed.push((REST[1].into(), Value::from_pairs(others)));
        }
        if !passed.is_empty() {
            given.push(Kwargs::from_iter(passed).into());
        }
        self.inner.call(state, &given)
    }

    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<Macro '{}'>", self.name)
    }
}

/// Goes through its items repeatedly.
#[derive(Debug)]
struct Cycler {
    items: Vec<Value>,
    /// The same, as a template sees them.
    tuple: Value,
    at: AtomicUsize,
}

pub(super) fn cycler(items: Vec<Value>) -> Result<Value, Error> {
    if items.is_empty() {
        return Err(Error::new(ErrorKind::InvalidOperation, "RuntimeError: at least one item has to be provided"));
    }
    let tuple = Tuple::from(items.clone()).into();
    Ok(Value::from_object(Cycler { items, tuple, at: AtomicUsize::new(0) }))
}

impl Object for Cycler {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let at = self.at.load(Ordering::Relaxed);
        match key.as_str()? {
            "current" => self.items.get(at).cloned(),
            "pos" => Some(Value::from(at)),
            "items" => Some(self.tuple.clone()),
            _ => None,
        }
    }

    fn call_method(self: &Arc<Self>, _state: &mut State<'_, '_>, method: &str, args: &[Value]) -> Result<Value, Error> {
        let () = from_args(args)?;
        match method {
            "next" => {
                let at = self.at.load(Ordering::Relaxed);
                self.at.store((at + 1) % self.items.len(), Ordering::Relaxed);
                Ok(self.items[at].clone())
            }
            "reset" => {
                self.at.store(0, Ordering::Relaxed);
                Ok(Value::from(()))
            }
            _ => Err(Error::from(ErrorKind::UnknownMethod)),
        }
    }

    // Not with its items, which have not been charged.
    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<jinja2.utils.Cycler object>")
    }
}

/// Nothing when it is called first, then its text.
#[derive(Debug)]
struct Joiner {
    text: Value,
    is_used: AtomicBool,
}

/// `joiner(", ")` or `joiner(sep=", ")`
pub(super) fn joiner(text: Option<Value>, names: &Kwargs) -> Result<Value, Error> {
    let text = match text {
        Some(text) => text,
        None => names.get::<Option<Value>>("sep")?.unwrap_or_else(|| Value::from(", ")),
    };
    names.assert_all_used()?;
    Ok(Value::from_object(Joiner { text, is_used: AtomicBool::new(false) }))
}

impl Object for Joiner {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, _state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        let () = from_args(args)?;
        let is_used = self.is_used.swap(true, Ordering::Relaxed);
        Ok(if is_used { self.text.clone() } else { Value::from("") })
    }

    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<jinja2.utils.Joiner object>")
    }
}

/// A group of equal elements, as a pair.
#[derive(Debug)]
pub(super) struct Group {
    /// The value of its first element.
    pub(super) grouper: Value,
    pub(super) list: Value,
}

impl Object for Group {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match (key.as_usize(), key.as_str()) {
            (Some(0), None) | (None, Some("grouper")) => Some(self.grouper.clone()),
            (Some(1), None) | (None, Some("list")) => Some(self.list.clone()),
            _ => None,
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(2)
    }

    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({}, {})", shown::repr(&self.grouper), shown::repr(&self.list))
    }
}
