//! [`Budget`]: what one rendering may still look at and make.
//!
//! Everything that a template does draws from it before it is done: each body that is entered, each operator, filter,
//! test, function and method ([`super::costs`]), and what is written. It is what the account of the model
//! ([`crate::eval::Limits`]) has left, in the same units, so a template ends everywhere at the same place.

use super::scope::{Dict, Instance, List, Unknown};
use minijinja::value::{DynObject, ObjectRepr};
use minijinja::{Error, ErrorKind, Value};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a value in a list counts as. Units: bytes that are looked at.
pub(super) const ITEM: u64 = 32;

/// What a step from a value to one of its parts counts as.
const STEP: u64 = 128;

/// What a node of a template counts as each time that it is run: a few calls of the interpreter's.
pub(super) const NODE: u64 = 320;

/// Values nest no deeper: whoever walks through them, or drops them, goes as deep by its own stack.
pub(super) const MAX_DEPTH: usize = 100;

/// A rendering makes no more than this, whatever the model has left: it holds it all at once, in the worst case twice.
pub(super) const MAX_MADE: u64 = 256 << 20;

/// What a template asked for that it may not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exceeded {
    Work,
    Memory,
    Depth,
}

#[derive(Debug)]
pub(super) struct Budget {
    /// Bytes that could be looked at in the beginning, and still may be.
    whole: u64,
    work: AtomicU64,
    /// Bytes that may still be made.
    made: AtomicU64,
    exceeded: Mutex<Option<Exceeded>>,
}

impl Budget {
    pub(super) fn new(work: u64, made: u64) -> Budget {
        let made = AtomicU64::new(made.min(MAX_MADE));
        Budget { whole: work, work: AtomicU64::new(work), made, exceeded: Mutex::default() }
    }

    /// Counts bytes that are looked at.
    ///
    /// Errors: so many are not left. Then nothing is, whatever a template makes of the error.
    pub(super) fn look(&self, bytes: u64) -> Result<(), Error> {
        draw(&self.work, bytes).ok_or_else(|| self.exceed(Exceeded::Work))
    }

    /// Counts bytes that are made, each of which is looked at as well.
    pub(super) fn make(&self, bytes: u64) -> Result<(), Error> {
        draw(&self.made, bytes).ok_or_else(|| self.exceed(Exceeded::Memory))?;
        self.look(bytes)
    }

    /// What was looked at. Of a rendering that asked for too much, this is what it had.
    pub(super) fn looked(&self) -> u64 {
        self.whole - self.work.load(Ordering::Relaxed)
    }

    pub(super) fn exceeded(&self) -> Option<Exceeded> {
        *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Exceeded>> {
        self.exceeded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn exceed(&self, what: Exceeded) -> Error {
        self.work.store(0, Ordering::Relaxed);
        self.made.store(0, Ordering::Relaxed);
        self.lock().get_or_insert(what);
        Error::new(ErrorKind::InvalidOperation, "the template exceeds its limits")
    }

    /// How large a value is with all that is in it, and how deep it nests. What is shared counts as often as it stands in it.
    ///
    /// Cost: each part is looked at. Errors: there are too many, or they nest too deeply.
    pub(super) fn weigh(&self, value: &Value) -> Result<Weight, Error> {
        self.weigh_at(value, 0)
    }

    fn weigh_at(&self, value: &Value, depth: usize) -> Result<Weight, Error> {
        let mut whole = Weight { size: ITEM, depth, open: None };
        let Some(object) = value.as_object() else {
            let text = value.as_str().map_or(0, |text| text.len() as u64);
            return Ok(Weight { size: ITEM + text, ..whole });
        };
        if let Some(known) = known(value) {
            whole = Weight { size: known.size(), depth: depth + usize::from(known.depth()), ..whole };
            return if whole.depth > MAX_DEPTH { Err(self.exceed(Exceeded::Depth)) } else { Ok(whole) };
        }
        if depth >= MAX_DEPTH {
            return Err(self.exceed(Exceeded::Depth));
        }
        whole.open = open(object);
        let mut add = |part: &Value| {
            self.look(STEP)?;
            let part = self.weigh_at(part, depth + 1)?;
            whole = Weight {
                size: whole.size.saturating_add(part.size),
                depth: whole.depth.max(part.depth),
                open: whole.open.or(part.open),
            };
            // What holds itself many times over weighs more than anything that could be made of it.
            if whole.size > MAX_MADE { Err(self.exceed(Exceeded::Memory)) } else { Ok(()) }
        };
        match object.repr() {
            ObjectRepr::Map => {
                for (key, item) in object.try_iter_pairs().into_iter().flatten() {
                    add(&key)?;
                    add(&item)?;
                }
            }
            ObjectRepr::Seq | ObjectRepr::Iterable => {
                for item in object.try_iter().into_iter().flatten() {
                    add(&item)?;
                }
            }
            _ => {}
        }
        Ok(whole)
    }

    /// The value as one that holds all that is in it by itself: what minijinja makes step by step, each time that somebody
    /// looks at it, is made once. It nests no deeper than it may.
    pub(super) fn settle(&self, value: Value) -> Result<Value, Error> {
        let Some(object) = value.as_object() else { return Ok(value) };
        if known(&value).is_some() {
            return Ok(value);
        }
        let settled = match object.repr() {
            ObjectRepr::Map if object.type_name().contains("MergeDict") => {
                let pairs: Vec<(Value, Value)> = object.try_iter_pairs().into_iter().flatten().collect();
                Value::from_pairs(pairs)
            }
            ObjectRepr::Iterable => self.collect(&value)?,
            ObjectRepr::Seq if object.type_name().contains("MergeSeq") => self.collect(&value)?,
            _ => value,
        };
        self.weigh(&settled)?;
        Ok(settled)
    }

    fn collect(&self, value: &Value) -> Result<Value, Error> {
        let mut items = Vec::new();
        for item in value.try_iter()?.checked() {
            self.make(ITEM)?;
            items.push(item?);
        }
        Ok(Value::from(items))
    }

    /// Counts a value that something will hold which may change, or may not be looked into: a namespace, a `cycler`. Neither
    /// of them may be in it, or a chain of them would be as long as a loop makes it.
    pub(super) fn keep(&self, value: &Value) -> Result<(), Error> {
        match self.weigh(value)?.open {
            None => Ok(()),
            Some(what) => {
                Err(Error::new(ErrorKind::InvalidOperation, format!("{what} cannot be kept in a namespace or cycler")))
            }
        }
    }
}

/// What in a value is no plain data, which neither changes nor hides anything.
fn open(object: &DynObject) -> Option<&'static str> {
    if object.is::<Vec<Value>>() || object.is::<Instance>() || object.is::<Unknown>() {
        return None;
    }
    let name = object.type_name();
    let open = [("Namespace", "a namespace"), ("loop_object", "a loop"), ("Macro", "a macro"), ("Module", "a module")];
    let known = open.iter().find(|(part, _)| name.contains(part)).map(|(_, what)| *what);
    known.or_else(|| matches!(object.repr(), ObjectRepr::Plain).then_some("this value"))
}

/// What a value weighs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    pub(super) size: u64,
    pub(super) depth: usize,
    /// What in it is no plain data, if anything.
    open: Option<&'static str>,
}

/// A list or dict of the model, which knows its own size.
fn known(value: &Value) -> Option<&crate::value::Value> {
    let list = value.downcast_object_ref::<List>().map(|list| &list.values);
    list.or_else(|| value.downcast_object_ref::<Dict>().map(|dict| &dict.values))
}

fn draw(from: &AtomicU64, bytes: u64) -> Option<()> {
    // One thread renders; the atom is there because functions of an environment are shared.
    let left = from.load(Ordering::Relaxed).checked_sub(bytes)?;
    from.store(left, Ordering::Relaxed);
    Some(())
}
