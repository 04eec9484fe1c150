//! [`Budget`]: the remaining work and memory of one rendering.
//!
//! Everything a template does is charged in advance: each body that is entered, each operator, filter, test, function
//! and method ([`super::costs`]), and all output. The budget is the rest of the model's ([`crate::eval::Limits`]), in
//! the same units, so a template fails everywhere at the same place.

use super::scope::{Dict, Instance, List, Unknown};
use super::whole::{Big, DIGIT};
use minijinja::value::{DynObject, ObjectRepr};
use minijinja::{Error, ErrorKind, Value};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The cost of a value in a list. Units: inspected bytes.
pub(super) const ITEM: u64 = 32;

/// The cost of a step from a value to one of its parts.
const STEP: u64 = 128;

/// The cost of running a node of a template: a few calls of the interpreter.
pub(super) const NODE: u64 = 320;

/// Maximum nesting of values: walking and dropping them is recursive.
pub(super) const MAX_DEPTH: usize = 100;

/// The maximum number of bytes one rendering makes, whatever the model has left: it holds all of them at once, in the
/// worst case twice.
pub(super) const MAX_MADE: u64 = 256 << 20;

/// The exceeded limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exceeded {
    Work,
    /// What one rendering may make.
    Memory,
    /// The memory of the whole model, of which less was left.
    Model,
    Depth,
}

#[derive(Debug)]
pub(super) struct Budget {
    /// The initial and the remaining number of bytes that may be inspected.
    whole: u64,
    work: AtomicU64,
    /// The remaining number of bytes that may be made.
    made: AtomicU64,
    /// Whether the model has less left than one rendering may make.
    is_rest: bool,
    exceeded: Mutex<Option<Exceeded>>,
}

impl Budget {
    pub(super) fn new(work: u64, made: u64) -> Budget {
        let is_rest = made < MAX_MADE;
        let made = AtomicU64::new(made.min(MAX_MADE));
        Budget { whole: work, work: AtomicU64::new(work), made, is_rest, exceeded: Mutex::default() }
    }

    /// Charges inspected bytes.
    ///
    /// Errors: too few are left. Then none are left, whatever a template does with the error.
    pub(super) fn look(&self, bytes: u64) -> Result<(), Error> {
        draw(&self.work, bytes).ok_or_else(|| self.exceed(Exceeded::Work))
    }

    /// Charges made bytes, each of which is also inspected.
    pub(super) fn make(&self, bytes: u64) -> Result<(), Error> {
        let limit = if self.is_rest { Exceeded::Model } else { Exceeded::Memory };
        draw(&self.made, bytes).ok_or_else(|| self.exceed(limit))?;
        self.look(bytes)
    }

    /// The inspected bytes. For a rendering that exceeded its limit, the whole budget.
    pub(super) fn looked(&self) -> u64 {
        self.whole - self.work.load(Ordering::Relaxed)
    }

    /// How many bytes may still be made.
    pub(super) fn room(&self) -> u64 {
        self.made.load(Ordering::Relaxed).min(self.work.load(Ordering::Relaxed))
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

    /// The size of a value with all its parts, and its nesting. Shared parts count every time they occur.
    ///
    /// Cost: each part is inspected, each digit of a large number. Errors: there are too many, or they are nested too deeply.
    pub(super) fn weigh(&self, value: &Value) -> Result<Weight, Error> {
        self.weigh_at(value, 0)
    }

    fn weigh_at(&self, value: &Value, depth: usize) -> Result<Weight, Error> {
        let mut whole = Weight { size: ITEM, depth, open: None };
        let Some(object) = value.as_object() else {
            let text = value.as_str().map_or(0, |text| text.len() as u64);
            return Ok(Weight { size: ITEM + text, ..whole });
        };
        if let Some(number) = object.downcast_ref::<Big>() {
            self.look(number.n_digits().saturating_mul(DIGIT))?;
            return Ok(Weight { size: ITEM + number.n_digits(), ..whole });
        }
        if let Some(known) = known(value) {
            whole = Weight { size: known.size(), depth: depth + usize::from(known.depth()), ..whole };
            return if whole.depth > MAX_DEPTH { Err(self.exceed(Exceeded::Depth)) } else { Ok(whole) };
        }
        if depth >= MAX_DEPTH {
            return Err(self.exceed(Exceeded::Depth));
        }
        whole.open = open(object);
        let mut add = |part: &Value| -> Result<u64, Error> {
            self.look(STEP)?;
            let part = self.weigh_at(part, depth + 1)?;
            whole = Weight {
                size: whole.size.saturating_add(part.size),
                depth: whole.depth.max(part.depth),
                open: whole.open.or(part.open),
            };
            // A value with many shared copies of itself weighs more than anything made from it.
            if whole.size > MAX_MADE { Err(self.exceed(Exceeded::Memory)) } else { Ok(part.size) }
        };
        match object.repr() {
            ObjectRepr::Map => {
                for (key, item) in object.try_iter_pairs().into_iter().flatten() {
                    // An entry is found by its key, which is read as a whole.
                    self.look(add(&key)?.saturating_sub(ITEM))?;
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

    /// Replaces lazy values of minijinja, which are recomputed on each access, by computed ones. The result is within
    /// the nesting limit.
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

    /// Charges a value kept by an object that may change, or that may not be inspected: a namespace, a `cycler`.
    /// Neither may be part of it, or a loop could build an arbitrarily long chain of them.
    pub(super) fn keep(&self, value: &Value) -> Result<(), Error> {
        match self.weigh(value)?.open {
            None => Ok(()),
            Some(what) => {
                Err(Error::new(ErrorKind::InvalidOperation, format!("{what} cannot be kept in a namespace or cycler")))
            }
        }
    }
}

/// The part of a value that is not plain, immutable data.
fn open(object: &DynObject) -> Option<&'static str> {
    if object.is::<Vec<Value>>() || object.is::<Instance>() || object.is::<Unknown>() {
        return None;
    }
    let name = object.type_name();
    let open = [("Namespace", "a namespace"), ("loop_object", "a loop"), ("Macro", "a macro"), ("Module", "a module")];
    let known = open.iter().find(|(part, _)| name.contains(part)).map(|(_, what)| *what);
    known.or_else(|| matches!(object.repr(), ObjectRepr::Plain).then_some("this value"))
}

/// The weight of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    pub(super) size: u64,
    pub(super) depth: usize,
    /// The part that is not plain data, if any.
    open: Option<&'static str>,
}

/// A list or dict of the model, which knows its own size.
fn known(value: &Value) -> Option<&crate::value::Value> {
    let list = value.downcast_object_ref::<List>().map(|list| &list.values);
    list.or_else(|| value.downcast_object_ref::<Dict>().map(|dict| &dict.values))
}

fn draw(from: &AtomicU64, bytes: u64) -> Option<()> {
    // One thread renders; it is atomic because functions of an environment are shared.
    let left = from.load(Ordering::Relaxed).checked_sub(bytes)?;
    from.store(left, Ordering::Relaxed);
    Some(())
}
