//! Which function is in which part, and how the parts call each other.

use super::shape::Shape;
use std::collections::{BTreeMap, BTreeSet};
use wasm_encoder::{ExportKind, TableType};

/// The name of the first part for the rest.
pub(super) const FIRST: &str = "first";

/// The export that indicates to the first part that the rest has been loaded: a global, 1 afterwards.
pub(super) const LOADED: &str = "restLoaded";

/// The exported function that loads the rest.
const LOAD: &str = "loadRest";

/// The size up to which a function that the first part can call is there itself: a stub would not be much smaller. Units: bytes.
const SMALL: usize = 64;

/// The functions that were called, and the small ones that can be called from there, by name or by a slot of the table, and that name
/// no function of the rest. Some of these are called by chance, for example to compare two keys of a map with similar hashes, or to
/// drop what a slot tells how to drop, so one play of the first view may not call them.
///
/// `own`: functions from this number on were made by the split itself, for what was not executed.
pub(super) fn with_small(shape: &Shape<'_>, called: BTreeSet<u32>, own: u32) -> Result<BTreeSet<u32>, String> {
    let (mut first, mut callers) = (called.clone(), called);
    let mut at_hand: BTreeSet<u32> = shape.slots.values().copied().collect();
    loop {
        for function in at_hand {
            let may_be = function >= shape.imported && function < own && !first.contains(&function);
            if may_be && shape.body(function).as_bytes().len() <= SMALL && names_only(shape, function, &first)? {
                first.insert(function);
                callers.insert(function);
            }
        }
        let Some(caller) = callers.pop_first() else { return Ok(first) };
        at_hand = shape.calls(caller)?;
    }
}

/// Whether a function names nothing but imports and these functions.
fn names_only(shape: &Shape<'_>, function: u32, first: &BTreeSet<u32>) -> Result<bool, String> {
    Ok(shape.calls(function)?.iter().all(|callee| *callee < shape.imported || first.contains(callee)))
}

/// The split of a module.
pub(super) struct Plan<'a> {
    /// The module.
    pub shape: Shape<'a>,
    /// The functions of the rest.
    pub later: BTreeSet<u32>,
    /// The slots of the table that contain functions of the rest.
    pub slots: BTreeMap<u32, u32>,
    /// The function that loads the rest.
    pub load: u32,
    /// The functions from this number on are not in the first part at all: they come later, and only calls name them.
    pub kept: u32,
    /// The slot in which each function of the rest is called, if anything but the rest calls it.
    called: BTreeMap<u32, u32>,
    /// The functions of the first part that the rest calls, in order: its first imports.
    imports: Vec<u32>,
    /// The numbers of the functions within the rest.
    numbers: BTreeMap<u32, u32>,
}

impl<'a> Plan<'a> {
    /// Plans the split of a module into `first` and all other functions.
    ///
    /// Errors: the module has no function that loads the rest.
    pub(super) fn new(shape: Shape<'a>, first: &BTreeSet<u32>) -> Result<Plan<'a>, String> {
        let load = *shape.exported.get(LOAD).ok_or_else(|| format!("the module has no {LOAD}()"))?;
        let later: BTreeSet<u32> =
            shape.own().filter(|function| !first.contains(function) && *function != load).collect();
        let slots: BTreeMap<u32, u32> = shape
            .slots
            .iter()
            .filter(|(_, function)| later.contains(function))
            .map(|(&slot, &function)| (slot, function))
            .collect();
        let here = shape.own().filter(|function| !later.contains(function));
        let kept = here
            .chain(shape.exported.values().copied())
            .chain(shape.slots.values().copied())
            .max()
            .map_or(0, |last| last + 1);
        let called = slots.iter().map(|(&slot, &function)| (function, slot)).collect();
        let mut plan = Plan { later, slots, load, kept, called, imports: Vec::new(), numbers: BTreeMap::new(), shape };
        plan.give_slots()?;
        plan.number_all()?;
        Ok(plan)
    }

    /// Gives a slot to each function of the rest that is called from outside of it.
    fn give_slots(&mut self) -> Result<(), String> {
        let mut wanted: BTreeSet<u32> = self.shape.exported.values().copied().collect();
        for function in self.shape.own().filter(|function| !self.later.contains(function)) {
            wanted.extend(self.shape.calls(function)?);
        }
        let mut next = u32::try_from(self.shape.tables[0].initial).map_err(|_| "the table is too large".to_owned())?;
        for function in wanted {
            if self.later.contains(&function) && !self.called.contains_key(&function) {
                self.called.insert(function, next);
                self.slots.insert(next, function);
                next += 1;
            }
        }
        Ok(())
    }

    /// Numbers what the rest calls: its imports, then its own functions.
    fn number_all(&mut self) -> Result<(), String> {
        let mut used = BTreeSet::new();
        for &function in &self.later {
            used.extend(self.shape.calls(function)?);
        }
        self.imports = used.difference(&self.later).copied().collect();
        self.numbers = self.imports.iter().chain(&self.later).copied().zip(0..).collect();
        Ok(())
    }

    /// Whether a function is in the rest.
    pub(super) fn is_later(&self, function: u32) -> bool {
        self.later.contains(&function)
    }

    /// The slot in which the first part calls a function of the rest, if it does.
    pub(super) fn slot(&self, function: u32) -> Option<u32> {
        self.called.get(&function).copied()
    }

    /// The number of a function within the rest; `u32::MAX` if it is not part of it.
    pub(super) fn number(&self, function: u32) -> u32 {
        self.numbers.get(&function).copied().unwrap_or(u32::MAX)
    }

    /// How many parameters a function has.
    pub(super) fn parameters(&self, function: u32) -> u32 {
        let ty = self.shape.types.get(self.shape.typed[function as usize] as usize).and_then(Option::as_ref);
        ty.map_or(0, |ty| u32::try_from(ty.params().len()).unwrap_or(u32::MAX))
    }

    /// The number of the global that indicates whether the rest has been loaded.
    pub(super) fn loaded(&self) -> u32 {
        u32::try_from(self.shape.globals.len()).unwrap_or(u32::MAX)
    }

    /// The first table, with room for the slots that are new.
    pub(super) fn table(&self, ty: TableType) -> TableType {
        let wanted = self.slots.last_key_value().map_or(0, |(&slot, _)| u64::from(slot) + 1);
        let minimum = ty.minimum.max(wanted);
        TableType { minimum, maximum: ty.maximum.map(|maximum| maximum.max(minimum)), ..ty }
    }

    /// What the first part exports for the rest, in the order in which the rest imports it: functions, tables, globals, each
    /// with its number. The memory is exported anyway.
    pub(super) fn exports(&self) -> impl Iterator<Item = (String, ExportKind, u32)> + use<'_, 'a> {
        let functions = self.imports.iter().map(|&function| (ExportKind::Func, function));
        let tables = (0..).zip(&self.shape.tables).map(|(index, _)| (ExportKind::Table, index));
        let globals = (0..).zip(&self.shape.globals).map(|(index, _)| (ExportKind::Global, index));
        functions.chain(tables).chain(globals).zip(0..).map(|((kind, index), name)| (short(name), kind, index))
    }
}

/// A short name, which is not an identifier: bindings export identifiers only.
fn short(mut number: usize) -> String {
    let mut name = String::new();
    loop {
        name.insert(0, char::from(b"0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]));
        number /= 36;
        if number == 0 {
            name.insert(0, '.');
            return name;
        }
    }
}
