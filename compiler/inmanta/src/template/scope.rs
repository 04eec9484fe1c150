//! The names and values of a template, in the forms that minijinja takes.

use super::budget::Budget;
use super::shown::{DICT, INSTANCE, LIST};
use super::snapshot::Shared;
use super::whole;
use crate::value::{InstId, Namer, NoInstances, Value, inner};
use indexmap::IndexMap;
use minijinja::value::{DynObject, Enumerator, Object, ObjectExt, ObjectRepr, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value as Seen};
use std::cmp::Ordering;
use std::sync::{Arc, Weak};

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
        self.shared.variable(key.as_str()?)
    }
}

pub(super) fn context(shared: &Arc<Shared>) -> Seen {
    Seen::from_object(Context { shared: shared.clone() })
}

/// An instance: its attributes are looked up on request. Like lists and dicts, it is itself a part of the snapshot,
/// which it must not keep alive.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) id: InstId,
    shared: Weak<Shared>,
}

impl Object for Instance {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Seen) -> Option<Seen> {
        self.shared.upgrade()?.attribute(self.id, key.as_str()?)
    }

    /// Otherwise their texts are compared, which are equal for all instances of one statement in a loop.
    fn custom_cmp(self: &Arc<Self>, other: &DynObject) -> Option<Ordering> {
        other.downcast_ref::<Self>().map(|other| self.id.cmp(&other.id))
    }

    fn call(self: &Arc<Self>, _state: &mut State<'_, '_>, _args: &[Seen]) -> Result<Seen, Error> {
        Err(not_callable(INSTANCE))
    }

    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.shared.upgrade().map_or(Ok(()), |shared| f.write_str(&shared.instance(self.id)))
    }
}

/// A list, with values of the language.
#[derive(Debug)]
pub(super) struct List {
    pub(super) values: Value,
    items: Vec<Seen>,
    shared: Weak<Shared>,
}

impl List {
    /// As the model writes it.
    pub(super) fn text(&self) -> String {
        text(&self.values, &self.shared)
    }
}

fn text(values: &Value, shared: &Weak<Shared>) -> String {
    match shared.upgrade() {
        Some(shared) => inner(values, &*shared),
        None => inner(values, &NoInstances),
    }
}

impl Object for List {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Seen) -> Option<Seen> {
        let found = key.as_usize().and_then(|nr| self.items.get(nr)).cloned();
        if found.is_none()
            && let Some(shared) = self.shared.upgrade()
        {
            shared.miss(LIST, key);
        }
        found
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.items.len())
    }

    fn call(self: &Arc<Self>, _state: &mut State<'_, '_>, _args: &[Seen]) -> Result<Seen, Error> {
        Err(not_callable(LIST))
    }

    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

/// A dict.
#[derive(Debug)]
pub(super) struct Dict {
    pub(super) values: Value,
    pub(super) entries: IndexMap<String, Seen>,
    shared: Weak<Shared>,
}

impl Dict {
    /// As the model writes it.
    pub(super) fn text(&self) -> String {
        text(&self.values, &self.shared)
    }
}

impl Object for Dict {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Seen) -> Option<Seen> {
        let found = key.as_str().and_then(|name| self.entries.get(name)).cloned();
        if found.is_none()
            && let Some(shared) = self.shared.upgrade()
        {
            shared.miss(DICT, key);
        }
        found
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        self.mapped_enumerator(|this| Box::new(this.entries.keys().map(|key| Seen::from(key.as_str()))))
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        Some(self.entries.len())
    }

    fn call(self: &Arc<Self>, _state: &mut State<'_, '_>, _args: &[Seen]) -> Result<Seen, Error> {
        Err(not_callable(DICT))
    }

    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

/// minijinja does not tell the type of an object.
fn not_callable(kind: &str) -> Error {
    Error::new(ErrorKind::InvalidOperation, format!("TypeError: '{kind}' object is not callable"))
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
        Value::Int(int) => whole::valued(int.clone()),
        Value::Float(float) => Seen::from(*float),
        Value::Str(text) => Seen::from(&**text),
        Value::Instance(id) => {
            shared.saw(*id);
            Seen::from_object(Instance { id: *id, shared: Arc::downgrade(shared) })
        }
        Value::Unknown(_) => {
            shared.saw_unknown();
            Seen::from_object(Unknown)
        }
        Value::List(list) => {
            let items = list.items.iter().map(|item| to_template(item, shared)).collect();
            Seen::from_object(List { values: value.clone(), items, shared: Arc::downgrade(shared) })
        }
        Value::Dict(dict) => {
            let entries = dict.entries.iter().map(|(key, item)| (key.to_string(), to_template(item, shared))).collect();
            Seen::from_object(Dict { values: value.clone(), entries, shared: Arc::downgrade(shared) })
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
    if whole::is_big(value) {
        return whole::whole(value).map(Value::Int);
    }
    Some(match value.kind() {
        ValueKind::None | ValueKind::Undefined => Value::Null,
        ValueKind::Bool => Value::Bool(value.is_true()),
        ValueKind::Number if value.is_integer() => Value::Int(whole::whole(value)?),
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
            return Err(Error::new(ErrorKind::InvalidOperation, "this value cannot be an argument"));
        };
        Ok(shared.answer(&name, args).unwrap_or(Seen::UNDEFINED))
    };
    environment.add_filter(dotted, filter);
}
