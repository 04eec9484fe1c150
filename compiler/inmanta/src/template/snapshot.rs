//! [`Shared`]: the values that a template was given, and a record of its further requests.

use super::missing::Missed;
use super::offered::{FUNCTIONS, METHODS};
use super::scope::{Dict, Instance};
use super::shown::{INSTANCE, python_kind};
use crate::value::{InstId, Namer, Value};
use minijinja::Value as Seen;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard};

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

/// What a template was given, and what it asked for besides.
#[derive(Default, Debug)]
struct Contents {
    names: BTreeMap<String, Option<Seen>>,
    attributes: BTreeMap<(InstId, String), Option<Seen>>,
    answers: BTreeMap<String, Seen>,
    instances: BTreeSet<InstId>,
    /// The text forms of instances, alone and within lists and dicts.
    texts: BTreeMap<InstId, [String; 2]>,
    asked: Vec<Asked>,
    /// The variables and attributes among them: a run may look one up many times.
    asked_names: BTreeSet<String>,
    asked_attributes: BTreeSet<(InstId, String)>,
    /// The last that was looked up without success.
    missed: Option<Missed>,
    has_unknown: bool,
    /// The size of all values that were taken over.
    size: u64,
}

/// The snapshot of one rendering.
#[derive(Default, Debug)]
pub(super) struct Shared {
    contents: Mutex<Contents>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
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

    /// Whether an attribute was looked up.
    pub(super) fn knows_attribute(&self, instance: InstId, name: &str) -> bool {
        self.lock().attributes.contains_key(&(instance, name.to_owned()))
    }

    /// A value of this size is taken over. Returns the size of all of them.
    pub(super) fn take_over(&self, size: u64) -> u64 {
        let mut contents = self.lock();
        contents.size = contents.size.saturating_add(size);
        contents.size
    }

    /// What the last run asked for. If there is any, what it looked up without success may exist.
    pub(super) fn take_asked(&self) -> Vec<Asked> {
        let mut contents = self.lock();
        if !contents.asked.is_empty() {
            contents.missed = None;
        }
        contents.asked_names.clear();
        contents.asked_attributes.clear();
        std::mem::take(&mut contents.asked)
    }

    /// Whether this run asked for anything so far.
    pub(super) fn is_asking(&self) -> bool {
        !self.lock().asked.is_empty()
    }

    pub(super) fn has_unknown(&self) -> bool {
        self.lock().has_unknown
    }

    /// Whether a name was looked up, and there is no such variable.
    pub(super) fn is_missing(&self, name: &str) -> bool {
        self.lock().names.get(name).is_some_and(Option::is_none)
    }

    /// What was looked up without success last.
    pub(super) fn missed(&self) -> Option<Missed> {
        self.lock().missed.clone()
    }

    /// A list or dict of this type lacks something. A method is looked up as an attribute first.
    pub(super) fn miss(&self, kind: &'static str, key: &Seen) {
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
        let contents = self.lock();
        let mut value = contents.names.get(variable)?.clone()?;
        for name in path {
            let next = if let Some(instance) = value.downcast_object_ref::<Instance>() {
                contents.attributes.get(&(instance.id, (*name).to_owned())).cloned().flatten()
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

    /// The template is given an instance.
    pub(super) fn saw(&self, instance: InstId) {
        self.lock().instances.insert(instance);
    }

    /// The template is given an unknown value.
    pub(super) fn saw_unknown(&self) {
        self.lock().has_unknown = true;
    }

    pub(super) fn seen_instances(&self) -> Vec<InstId> {
        self.lock().instances.iter().copied().collect()
    }

    /// A text form of an instance: nothing until the next run.
    fn text(&self, instance: InstId, form: usize) -> String {
        let mut contents = self.lock();
        let Contents { texts, asked, .. } = &mut *contents;
        // However often a run writes it, it is asked for once.
        let texts = texts.entry(instance).or_insert_with(|| {
            asked.push(Asked::Texts(instance));
            <[String; 2]>::default()
        });
        texts[form].clone()
    }

    /// The value of a variable.
    pub(super) fn variable(&self, name: &str) -> Option<Seen> {
        let mut contents = self.lock();
        match contents.names.get(name) {
            Some(Some(value)) => Some(value.clone()),
            Some(None) => {
                // A function is looked up among the variables first.
                if !FUNCTIONS.contains(&name) {
                    contents.missed = Some(Missed::Name(name.to_owned()));
                }
                None
            }
            None => {
                if !contents.asked_names.contains(name) {
                    contents.asked_names.insert(name.to_owned());
                    contents.asked.push(Asked::Name(name.to_owned()));
                }
                None
            }
        }
    }

    /// The answer to a call of a function: nothing until the next run.
    pub(super) fn answer(&self, name: &str, args: Vec<Value>) -> Option<Seen> {
        let key = format!("{name}{args:?}");
        let mut contents = self.lock();
        let answer = contents.answers.get(&key).cloned();
        // Anything that depends on missing values is requested in the next run.
        if answer.is_none() && contents.asked.is_empty() {
            contents.asked.push(Asked::Call { name: name.to_owned(), key, args });
        }
        answer
    }

    /// The value of an instance's attribute.
    pub(super) fn attribute(&self, instance: InstId, name: &str) -> Option<Seen> {
        let mut contents = self.lock();
        let key = (instance, name.to_owned());
        match contents.attributes.get(&key) {
            Some(Some(value)) => Some(value.clone()),
            Some(None) => {
                contents.missed = Some(Missed::Attribute(INSTANCE, name.to_owned()));
                None
            }
            None => {
                if !contents.asked_attributes.contains(&key) {
                    contents.asked_attributes.insert(key);
                    contents.asked.push(Asked::Attribute(instance, name.to_owned()));
                }
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

#[cfg(test)]
mod tests {
    use super::super::shown::DICT;
    use super::*;

    #[test]
    fn a_run_asks_for_the_texts_of_an_instance_once() {
        let shared = Shared::default();
        let (one, other) = (InstId(0), InstId(1));
        assert!([one, one, other].iter().all(|id| shared.instance(*id).is_empty()));
        assert!(matches!(shared.take_asked()[..], [Asked::Texts(a), Asked::Texts(b)] if a == one && b == other));
        shared.know_texts(one, ["alone".to_owned(), "inside".to_owned()]);
        assert_eq!((shared.instance(one), shared.instance_inside(one)), ("alone".to_owned(), "inside".to_owned()));
        assert!(shared.take_asked().is_empty());
    }

    #[test]
    fn a_run_asks_for_a_variable_or_an_attribute_once() {
        let shared = Shared::default();
        for _ in 0..2 {
            for _ in 0..3 {
                assert!(shared.variable("x").is_none());
                assert!(shared.attribute(InstId(0), "y").is_none());
                assert!(shared.attribute(InstId(1), "y").is_none());
            }
            let asked = shared.take_asked();
            assert!(matches!(asked[..], [Asked::Name(_), Asked::Attribute(..), Asked::Attribute(..)]), "{asked:?}");
        }
    }

    #[test]
    fn what_a_run_missed_before_all_was_known_does_not_count() {
        let shared = Shared::default();
        shared.miss(DICT, &Seen::from("y"));
        assert!(shared.take_asked().is_empty() && shared.missed().is_some());
        shared.lock().asked.push(Asked::Name("x".to_owned()));
        assert_eq!(shared.take_asked().len(), 1);
        assert!(shared.missed().is_none());
    }
}
