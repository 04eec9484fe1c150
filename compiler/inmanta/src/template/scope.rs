//! The names of a template: a snapshot of values, and a record of further requests.

use super::budget::Budget;
use super::missing::Missed;
use super::offered::{FUNCTIONS, METHODS};
use super::shown::{DICT, INSTANCE, LIST, python_kind};
use crate::value::{InstId, Namer, NoInstances, Value, inner};
use indexmap::IndexMap;
use minijinja::value::{Enumerator, Object, ObjectRepr, ValueKind};
use minijinja::{Environment, Error, State, Value as Seen};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

/// A request of a template.
#[derive(Clone, Debug)]
pub(super) enum Asked {
    Name(String),
    Attribute(InstId, String),
    /// The text forms of an instance.
    Texts(InstId),
    Call {
        name: String,
        key: String,
        args: Vec<Value>,
    },
}

#[derive(Default, Debug)]
struct Known {
    names: BTreeMap<String, Option<Seen>>,
    attributes: BTreeMap<(InstId, String), Option<Seen>>,
    answers: BTreeMap<String, Seen>,
    instances: BTreeSet<InstId>,
    /// The text forms of instances, alone and within lists and dicts.
    texts: BTreeMap<InstId, [String; 2]>,
    asked: Vec<Asked>,
    /// The last that was looked up in vain.
    missed: Option<Missed>,
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

    pub(super) fn know_texts(&self, instance: InstId, texts: [String; 2]) {
        self.lock().texts.insert(instance, texts);
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

    /// What was looked up in vain last.
    pub(super) fn missed(&self) -> Option<Missed> {
        self.lock().missed.clone()
    }

    /// A list or dict of this type lacks something. A method is looked up as an attribute first.
    fn miss(&self, kind: &'static str, key: &Seen) {
        let is_method = key.as_str().is_some_and(|key| METHODS.iter().any(|(name, _)| *name == key));
        if !is_method {
            let missed = Missed::of(kind, key);
            self.lock().missed = Some(missed);
        }
    }

    /// The type of a variable's value.
    pub(super) fn kind(&self, name: &str) -> Option<&'static str> {
        self.lock().names.get(name)?.as_ref().map(python_kind)
    }

    /// The first of these attributes that is missing, each of the one before, and the type of the value that lacks it.
    /// Nothing if the variable is unknown here.
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
                None => return Some((python_kind(&value), (*name).to_owned())),
            }
        }
        None
    }

    pub(super) fn seen_instances(&self) -> Vec<InstId> {
        self.lock().instances.iter().copied().collect()
    }

    /// A text form of an instance: nothing until the next run.
    fn text(&self, instance: InstId, form: usize) -> String {
        let mut known = self.lock();
        match known.texts.get(&instance) {
            Some(texts) => texts[form].clone(),
            None => {
                known.asked.push(Asked::Texts(instance));
                String::new()
            }
        }
    }

    fn attribute(&self, instance: InstId, name: &str) -> Option<Seen> {
        let mut known = self.lock();
        match known.attributes.get(&(instance, name.to_owned())) {
            Some(Some(value)) => Some(value.clone()),
            Some(None) => {
                known.missed = Some(Missed::Attribute(INSTANCE, name.to_owned()));
                None
            }
            None => {
                known.asked.push(Asked::Attribute(instance, name.to_owned()));
                None
            }
        }
    }
}

impl Namer for Shared {
    fn instance(&self, instance: InstId) -> String {
        self.text(instance, 0)
    }

    fn instance_inside(&self, instance: InstId) -> String {
        self.text(instance, 1)
    }
}

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
            Some(Some(value)) => Some(value.clone()),
            Some(None) => {
                // A function is looked up among the variables first.
                if !FUNCTIONS.contains(&name) {
                    known.missed = Some(Missed::Name(name.to_owned()));
                }
                None
            }
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

/// An instance: its attributes are looked up on request. Like lists and dicts, it is itself a part of the snapshot,
/// which it must not keep alive.
#[derive(Debug)]
pub(super) struct Instance {
    id: InstId,
    shared: Weak<Shared>,
}

impl Object for Instance {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Seen) -> Option<Seen> {
        self.shared.upgrade()?.attribute(self.id, key.as_str()?)
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
}

/// A dict.
#[derive(Debug)]
pub(super) struct Dict {
    pub(super) values: Value,
    entries: IndexMap<String, Seen>,
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
            Seen::from_object(Instance { id: *id, shared: Arc::downgrade(shared) })
        }
        Value::Unknown(_) => {
            shared.lock().has_unknown = true;
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
