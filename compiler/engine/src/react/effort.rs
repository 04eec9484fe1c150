//! The limit on the work of one round, and the consequences of exceeding it.
//!
//! A round that needs more than [`work::ROUND`](crate::corelib::ROUND) is ended with a diagnostic that names the call,
//! and the last good table stays in effect. The vertices that were not evaluated stay marked, so the next round
//! continues with them. It begins after a change and a pause that doubles each time, so a program that always exceeds
//! the limit uses a small part of a processor, and repairs continue.
//!
//! Independently of this limit, work is granted in slices, so that a round can be interrupted (`round`).

use super::React;
use crate::corelib::{EVALUATION, FnDef, FnError, Work};
use crate::diag::{Diagnostic, Stage, codes};
use crate::fgraph::VertexId;
use crate::fgraph::graph::Input;
use crate::fgraph::op::Op;
use crate::value::Value;
use std::collections::BTreeMap;

/// The first and the longest pause. Units: nanoseconds.
const FIRST_PAUSE: u64 = 1_000_000_000;
const LONGEST_PAUSE: u64 = 60_000_000_000;

/// Values up to this size are charged by their estimate; larger ones are measured.
const SMALL: u64 = 4096;

/// Cheaper calls are not suspects.
const SUSPECT: u64 = 10_000;

#[derive(Clone)]
pub(super) struct Effort {
    budget: u64,
    pub(super) work: Work,
    /// How much each slice has; none: whatever a round needs.
    slice: Option<u64>,
    /// The rest of the current slice, between calls.
    granted: u64,
    /// What the functions with expensive calls took in this round.
    by_function: BTreeMap<&'static str, u64>,
    exhausted: Option<Exhausted>,
}

/// What one round has used of its budget.
#[derive(Clone)]
pub(super) struct Account {
    work: Work,
    by_function: BTreeMap<&'static str, u64>,
}

/// The last round was too much.
#[derive(Clone)]
struct Exhausted {
    diagnostic: Diagnostic,
    pause: u64,
    /// When the next round may begin.
    until: u64,
    /// Something has changed since.
    has_news: bool,
}

impl Effort {
    /// With this much work per round.
    pub(super) fn new(budget: u64) -> Effort {
        Effort {
            budget,
            work: Work::new(budget),
            slice: None,
            granted: u64::MAX,
            by_function: BTreeMap::new(),
            exhausted: None,
        }
    }

    /// Sets the number of units of each slice from now on.
    pub(super) fn set_slice(&mut self, units: u64) {
        self.slice = Some(units);
        self.grant();
    }

    /// A new slice begins.
    pub(super) fn grant(&mut self) {
        self.granted = self.slice.unwrap_or(u64::MAX);
    }

    /// Begins or continues work.
    pub(super) fn enter(&self) {
        self.work.begin_slice(self.granted);
    }

    /// It ends here, or is interrupted.
    pub(super) fn leave(&mut self) {
        if self.slice.is_some() {
            self.granted = self.granted.min(self.work.slice_left());
        }
    }

    /// Starts a new round with the full budget.
    pub(super) fn renew(&mut self) {
        self.work = Work::new(self.budget);
        self.by_function.clear();
    }

    /// Gives the work that continues next to a suspended round a separate budget, within the same slice.
    pub(super) fn put_aside(&mut self) -> Account {
        self.leave();
        let work = std::mem::replace(&mut self.work, Work::new(self.budget));
        self.enter();
        Account { work, by_function: std::mem::take(&mut self.by_function) }
    }

    /// Continues with the budget of a round that was put aside.
    pub(super) fn resume(&mut self, account: Account) {
        (self.work, self.by_function) = (account.work, account.by_function);
    }

    /// Something is to be evaluated again.
    pub(super) fn news(&mut self) {
        if let Some(exhausted) = &mut self.exhausted {
            exhausted.has_news = true;
        }
    }

    /// The problem, while the next round has to wait.
    pub(super) fn pausing(&self, now: u64) -> Option<&Diagnostic> {
        let exhausted = self.exhausted.as_ref()?;
        (!exhausted.has_news || now < exhausted.until).then_some(&exhausted.diagnostic)
    }

    /// When a waiting round may begin.
    pub(super) fn wake(&self) -> Option<u64> {
        self.exhausted.as_ref().filter(|exhausted| exhausted.has_news).map(|exhausted| exhausted.until)
    }

    pub(super) fn succeeded(&mut self) {
        self.exhausted = None;
    }

    pub(super) fn failed(&mut self, diagnostic: Diagnostic, now: u64) {
        let pause = self.exhausted.as_ref().map_or(FIRST_PAUSE, |before| (2 * before.pause).min(LONGEST_PAUSE));
        self.exhausted = Some(Exhausted { diagnostic, pause, until: now.saturating_add(pause), has_news: false });
    }

    /// Records the cost of a function call.
    pub(super) fn note(&mut self, def: &FnDef, units: u64) {
        if units >= SUSPECT {
            *self.by_function.entry(def.path).or_default() += units;
        }
    }

    /// The most expensive function, and its share of the budget in per cent.
    fn costliest(&self) -> Option<(&'static str, u64)> {
        let (path, units) = self.by_function.iter().max_by_key(|(_, units)| **units)?;
        Some((path, (units.saturating_mul(100) / self.budget.max(1)).min(100)))
    }
}

impl React {
    /// Charges the fixed cost of an evaluation.
    pub(super) fn charge_evaluation(&self, id: VertexId) {
        let n_inputs = self.graph.at(id).inputs.len() as u64;
        // `work` remembers that it is exhausted.
        let _ = self.effort.work.spend(EVALUATION + 8 * n_inputs);
    }

    /// Charges a call for one pass over its arguments.
    pub(super) fn charge_arguments(&self, id: VertexId, values: &[Value]) {
        for (value, input) in values.iter().zip(&self.graph.at(id).inputs) {
            let estimate = self.slots[input.from.0 as usize].size.written();
            let size = if estimate <= SMALL { estimate } else { value.written_size() };
            let _ = self.effort.work.spend_on_value(value, size);
        }
    }

    /// Charges a lookup for comparing a large key with those of a map.
    pub(super) fn charge_key(&self, id: VertexId, values: &[Value]) {
        let [Value::Map(map), key, ..] = values else { return };
        let Some(input) = self.graph.at(id).inputs.get(1) else { return };
        self.charge_comparisons(self.large(input, key), map.len());
    }

    /// Charges for sorting the large keys of a map that is built from these keys and values, in turn.
    pub(super) fn charge_keys(&self, id: VertexId, values: &[Value]) {
        let pairs = values.iter().zip(&self.graph.at(id).inputs).step_by(2);
        let n_bytes = pairs.fold(0u64, |sum, (key, input)| sum.saturating_add(self.large(input, key)));
        self.charge_comparisons(n_bytes, values.len() / 2);
    }

    /// The size of a value, unless it is small.
    fn large(&self, input: &Input, value: &Value) -> u64 {
        let is_small = self.slots[input.from.0 as usize].size.written() <= SMALL;
        if is_small { 0 } else { value.written_size() }
    }

    /// Charges for comparing this many bytes of keys, once for each comparison of a search among `n_keys` keys.
    fn charge_comparisons(&self, n_bytes: u64, n_keys: usize) {
        let n_times = u64::from(usize::BITS - n_keys.leading_zeros());
        let _ = self.effort.work.spend_on_bytes(n_bytes.saturating_mul(n_times));
    }

    /// Charges a call for its result. A small argument may yield a large one.
    pub(super) fn charge_result(&self, value: &Value) {
        let _ = self.effort.work.spend_on_value(value, value.written_size());
    }

    /// Charges a call for the words of its error, in which it may repeat what it was given.
    pub(super) fn charge_error(&self, error: &FnError) {
        let n_said = error.said.as_ref().map_or(0, String::len);
        let n_help = error.help.as_ref().map_or(0, |help| help.len());
        let _ = self.effort.work.spend_on_text((error.message.len() + n_said + n_help) as u64);
    }

    /// The round ended at this vertex because the budget is exhausted.
    pub(super) fn too_much_work(&self, id: VertexId) -> Diagnostic {
        let vertex = self.graph.at(id);
        let what = match &vertex.op {
            Op::Builtin { def, .. } => format!("the call of `{}`", def.path),
            _ => "this expression".to_owned(),
        };
        let limit = self.effort.budget / 1_000_000;
        let message = format!("{what} exceeds the work limit: one change may cost at most {limit} million steps");
        let diagnostic =
            Diagnostic::error(codes::TOO_MUCH_WORK, Stage::Stream, message).at(vertex.span, "limit reached here");
        match self.effort.costliest() {
            Some((path, share)) if share >= 10 => diagnostic.help(format!(
                "calls of `{path}` use {share} % of the limit: pass shorter strings or call it less often"
            )),
            Some(_) | None => diagnostic.help("use shorter lists or fewer calls"),
        }
    }
}
