//! The names of a template: a snapshot of values, and a record of further requests.

use super::budget::Budget;
use crate::value::{InstId, Value};
use indexmap::IndexMap;
use minijinja::value::{Enumerator, Object, ObjectRepr, ValueKind};
use minijinja::{Environment, Error, State, Value as Seen};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

/// A request of a template.
#[derive(Clone, Debug)]
pub(super) enum Asked {
    Name(String),
    Attribute(InstId, String),
    Call { name: String, key: String, args: Vec<Value> },
}

#[derive(Default, Debug)]
struct Known {
    names: BTreeMap<String, Option<Seen>>,
    attributes: BTreeMap<(InstId, String), Option<Seen>>,
    answers: BTreeMap<String, Seen>,
    instances: BTreeSet<InstId>,
    asked: Vec<Asked>,
    has_unknown: bool,
}

/// The snapshot of one rendering.
#[derive(Default, Debug)]
pub(super) struct Shared {
    known: Mutex<Known>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(super) fn know_name(&self, name: &str, value: Option<Seen>) {
        self.lock().names.insert(name.to_owned(), value);
    }

    pub(super) fn know_attribute(&self, instance: InstId, name: &str, value: Option<Seen>) {
        self.lock().attributes.insert((instance, name.to_owned()), value);
    }

    pub(super) fn know_answer(&self, key: String, value: Seen) {
        self.lock().answers.insert(key, value);
    }

    pub(super) fn take_asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.lock().asked)
    }

    pub(super) fn has_unknown(&self) -> bool {
        self.lock().has_unknown
    }

    /// Whether a name was looked up, and there is no such variable.
    pub(super) fn is_missing(&self, name: &str) -> bool {
        self.lock().names.get(name).is_some_and(Option::is_none)
    }

    /// Jinja2's name for the kind of a variable's value.
    pub(super) fn kind(&self, name: &str) -> Option<&'static str> {
        self.lock().names.get(name)?.as_ref().map(kind)
    }

    /// The first of these attributes that is missing, each of the one before, and Jinja2's name for the kind of the value
    /// that lacks it. Nothing if the variable is unknown here.
    pub(super) fn lacking(&self, variable: &str, path: &[&str]) -> Option<(&'static str, String)> {
        let known = self.lock();
        let mut value = known.names.get(variable)?.clone()?;
        for name in path {
            let next = if let Some(instance) = value.downcast_object_ref::<Instance>() {
                known.attributes.get(&(instance.id, (*name).to_owned())).cloned().flatten()
            } else {
                value.downcast_object_ref::<Dict>().and_then(|dict| dict.entries.get(*name).cloned())
            };
            match next {
                Some(next) => value = next,
                None => return Some((kind(&value), (*name).to_owned())),
            }
        }
        None
    }

    pub(super) fn seen_instances(&self) -> Vec<InstId> {
        self.lock().instances.iter().copied().collect()
    }

    fn attribute(&self, instance: InstId, name: &str) -> Option<Seen> {
        let mut known = self.lock();
        match known.attributes.get(&(instance, name.to_owned())) {
            Some(value) => value.clone(),
            None => {
                known.asked.push(Asked::Attribute(instance, name.to_owned()));
                None
            }
        }
    }
}

/// Jinja2's name for the kind of a value. Instances, lists and dicts of the model are proxies in the original.
fn kind(value: &Seen) -> &'static str {
    if value.downcast_object_ref::<List>().is_some() {
        return "inmanta.execute.proxy.SequenceProxy object";
    }
    if value.downcast_object_ref::<Dict>().is_some() {
        return "inmanta.execute.proxy.DictProxy object";
    }
    match value.kind() {
        ValueKind::None => "None",
        ValueKind::Bool => "bool object",
        ValueKind::String => "str object",
        ValueKind::Number if value.is_integer() => "int object",
        ValueKind::Number => "float object",
        _ => INSTANCE,
    }
}

/// The kind of instances.
pub(super) const INSTANCE: &str = "inmanta.execute.proxy.DynamicProxy object";

/// The names of a template.
#[derive(Debug)]
struct Context {
    shared: Arc<Shared>,
}

impl Object for Context {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Seen) -> Option<Seen> {
        let name = key.as_str()?;
        let mut known = self.shared.lock();
        match known.names.get(name) {
            Some(value) => value.clone(),
            None => {
                known.asked.push(Asked::Name(name.to_owned()));
                None
            }
        }
    }
}

pub(super) fn context(shared: &Arc<Shared>) -> Seen {
    Seen::from_object(Context { shared: shared.clone() })
}

/// An instance: its attributes are looked up on request.
#[derive(Debug)]
pub(super) struct Instance {
    id: InstId,
    shared: Arc<Shared>,
}

impl Object for Instance {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Seen) -> Option<Seen> {
        self.shared.attribute(self.id, key.as_str()?)
    }

    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.id)
    }
}

/// A list, with values of the language.
#[derive(Debug)]
pub(super) struct List {
    pub(super) values: Value,
    items: Vec<Seen>,
}

impl Object for List {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Seen) -> Option<Seen> {
        self.items.get(key.as_usize()?).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.items.len())
    }
}

/// A dict.
#[derive(Debug)]
pub(super) struct Dict {
    pub(super) values: Value,
    entries: IndexMap<String, Seen>,
}

impl Object for Dict {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Seen) -> Option<Seen> {
        self.entries.get(key.as_str()?).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.entries.keys().map(|key| Seen::from(key.as_str())).collect())
    }
}

/// An unknown value: using it makes the whole text unknown.
#[derive(Debug)]
pub(super) struct Unknown;

impl Object for Unknown {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }
}

/// A value in the form for templates.
pub(super) fn to_template(value: &Value, shared: &Arc<Shared>) -> Seen {
    match value {
        Value::Null => Seen::from(()),
        Value::Bool(value) => Seen::from(*value),
        Value::Int(int) => match int.to_i64() {
            Some(int) => Seen::from(int),
            None => Seen::from(int.to_string()),
        },
        Value::Float(float) => Seen::from(*float),
        Value::Str(text) => Seen::from(&**text),
        Value::Instance(id) => {
            shared.lock().instances.insert(*id);
            Seen::from_object(Instance { id: *id, shared: shared.clone() })
        }
        Value::Unknown(_) => {
            shared.lock().has_unknown = true;
            Seen::from_object(Unknown)
        }
        Value::List(list) => {
            let items = list.items.iter().map(|item| to_template(item, shared)).collect();
            Seen::from_object(List { values: value.clone(), items })
        }
        Value::Dict(dict) => {
            let entries = dict.entries.iter().map(|(key, item)| (key.to_string(), to_template(item, shared))).collect();
            Seen::from_object(Dict { values: value.clone(), entries })
        }
    }
}

/// A template's value in the form of the language.
pub(super) fn of_template(value: &Seen) -> Option<Value> {
    if let Some(list) = value.downcast_object_ref::<List>() {
        return Some(list.values.clone());
    }
    if let Some(dict) = value.downcast_object_ref::<Dict>() {
        return Some(dict.values.clone());
    }
    if let Some(instance) = value.downcast_object_ref::<Instance>() {
        return Some(Value::Instance(instance.id));
    }
    Some(match value.kind() {
        ValueKind::None | ValueKind::Undefined => Value::Null,
        ValueKind::Bool => Value::Bool(value.is_true()),
        ValueKind::Number if value.is_integer() => Value::int(i64::try_from(value.clone()).ok()?),
        ValueKind::Number => Value::Float(f64::try_from(value.clone()).ok()?),
        ValueKind::String => Value::str(value.as_str()?),
        ValueKind::Seq | ValueKind::Iterable => {
            Value::raw_list(value.try_iter().ok()?.map(|item| of_template(&item)).collect::<Option<_>>()?)
        }
        ValueKind::Map => {
            let mut entries = IndexMap::default();
            for key in value.try_iter().ok()? {
                let item = value.get_item(&key).ok()?;
                entries.insert(key.as_str()?.into(), of_template(&item)?);
            }
            Value::dict(entries).ok()?
        }
        _ => return None,
    })
}

/// Adds a function as a filter under its name with dots.
pub(super) fn add_function(environment: &mut Environment<'_>, name: &str, shared: &Arc<Shared>, budget: &Arc<Budget>) {
    let (shared, budget) = (shared.clone(), budget.clone());
    let dotted = name.replace("::", ".");
    let name = name.to_owned();
    let filter = move |_: &State<'_, '_>, args: minijinja::value::Rest<Seen>| -> Result<Seen, Error> {
        // They are copied, and written out for later lookups.
        args.iter().try_for_each(|arg| budget.make(budget.weigh(arg)?.size.saturating_mul(8)))?;
        let args: Option<Vec<Value>> = args.iter().map(of_template).collect();
        let Some(args) = args else {
            return Err(Error::new(minijinja::ErrorKind::InvalidOperation, "this value cannot be an argument"));
        };
        let key = format!("{name}{args:?}");
        let mut known = shared.lock();
        match known.answers.get(&key) {
            Some(answer) => Ok(answer.clone()),
            // Anything that depends on missing values is requested in the next run.
            None if !known.asked.is_empty() => Ok(Seen::UNDEFINED),
            None => {
                known.asked.push(Asked::Call { name: name.clone(), key, args });
                Ok(Seen::UNDEFINED)
            }
        }
    };
    environment.add_filter(dotted, filter);
}
