//! The budget of one evaluation: its limits, and what is charged against them.

use super::{Done, Evaluator};
use crate::fault::{Class, Failure, Fault};
use crate::pattern::Pattern;
use crate::value::{MAX_WRITTEN, Value};

/// How many bytes of a value are inspected per step.
pub(super) const LOOKED_PER_STEP: u64 = 64;

/// How many steps of a pattern match count as one step of the model.
pub(super) const MATCHED_PER_STEP: u64 = 8;

/// The limits of one evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of units of work.
    pub work: u64,
    /// The maximum number of instances.
    pub instances: usize,
    /// The maximum number of rounds of closing.
    pub rounds: u64,
    /// The maximum number of bytes held, with all text and all lists ever made.
    pub memory: u64,
    /// What earlier models used of the limits of the whole program.
    pub used: Used,
}

/// What the earlier models of the same program used: its partial exports share the limits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Used {
    /// Units of work.
    pub work: u64,
    /// Instances.
    pub instances: usize,
    /// Bytes.
    pub memory: u64,
}

impl Limits {
    /// The text about a limit of the whole program: what the earlier models used is a part of it.
    pub(super) fn shared(&self, text: String, used: &str) -> String {
        match self.used == Used::default() {
            true => text,
            false => format!("{text}, including {used} of the models before it"),
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        // The agent's sandbox has 2 GiB and half a minute. Growing vectors briefly hold three times their content.
        Limits { work: 20_000_000, instances: 1_000_000, rounds: 20_000_000, memory: 512 << 20, used: Used::default() }
    }
}

impl Evaluator<'_> {
    /// Charges text and members; a model that needs too much is refused.
    pub(super) fn spend(&mut self, bytes: u64) -> Done {
        self.account.spend(bytes);
        self.check_memory()
    }

    /// Errors: these bytes would exceed the memory limit.
    pub(super) fn room(&self, bytes: u64) -> Done {
        self.check_held(self.held().saturating_add(bytes))
    }

    /// Charges one unit of work.
    pub(super) fn step(&mut self) -> Done {
        self.work(1)
    }

    /// Charges the work of inspecting a whole value. The digits of a large number take longer, if it is written.
    pub(super) fn look_at(&mut self, value: &Value) -> Done {
        let n_digits = if let Value::Int(int) = value { int.n_digits() } else { 0 };
        match value.size() / LOOKED_PER_STEP + n_digits {
            0 => Ok(()),
            steps => self.work(steps),
        }
    }

    /// Whether a text matches a pattern. The steps are charged as work.
    pub(super) fn matches(&mut self, pattern: &Pattern, text: &str) -> Done<bool> {
        let (matches, steps) = pattern.matches_start(text);
        self.work(steps / MATCHED_PER_STEP)?;
        matches.map_err(|_| {
            Fault::new(Class::Limit, format!("matching against `/{}/` takes too many steps", pattern.source()))
        })
    }

    /// Charges the work and the bytes of writing a value out.
    pub(super) fn write_out(&mut self, value: &Value) -> Done {
        self.look_at(value)?;
        if matches!(value, Value::List(_) | Value::Dict(_)) && value.size() > MAX_WRITTEN {
            return Err(Fault::new(Class::Limit, "this value is too large to be formatted as text"));
        }
        self.spend(value.size())
    }

    pub(super) fn work(&mut self, steps: u64) -> Done {
        let limits = &self.around.limits;
        if self.account.work(steps) > limits.work {
            let whole = limits.work.saturating_add(limits.used.work);
            let message = format!("the evaluation of the model did not finish within {whole} steps");
            return Err(Fault::new(Class::Limit, limits.shared(message, "those"))
                .help("look for implementations or loops that create instances endlessly"));
        }
        self.check_memory()
    }

    fn check_memory(&self) -> Done {
        self.check_held(self.held())
    }

    fn check_held(&self, bytes: u64) -> Done {
        if bytes <= self.around.limits.memory { Ok(()) } else { Err(self.out_of_memory()) }
    }

    /// The error about the memory limit.
    pub(super) fn out_of_memory(&self) -> Failure {
        let limits = &self.around.limits;
        let whole = limits.memory.saturating_add(limits.used.memory);
        let message = format!("the model needs more than {} MiB of memory", whole >> 20);
        Fault::new(Class::Limit, limits.shared(message, "that")).help(
            "look for strings and lists that keep doubling, for nested loops, and for instances that are created \
                   endlessly",
        )
    }

    /// What is left of the limits.
    pub(super) fn left(&self) -> Limits {
        let limits = self.around.limits;
        let (worked, n_instances, held) = (self.account.worked(), self.store.instances.len(), self.held());
        Limits {
            work: limits.work.saturating_sub(worked),
            instances: limits.instances.saturating_sub(n_instances),
            rounds: limits.rounds,
            memory: limits.memory.saturating_sub(held),
            used: Used {
                work: limits.used.work.saturating_add(worked),
                instances: limits.used.instances.saturating_add(n_instances),
                memory: limits.used.memory.saturating_add(held),
            },
        }
    }

    /// The approximate number of bytes held. The weights are the same on every machine, so a model fails everywhere
    /// alike.
    pub(super) fn held(&self) -> u64 {
        let store = [(self.store.vars.len(), 40), (self.store.instances.len(), 96), (self.store.ends.len(), 144)];
        store.iter().map(|(n, weight)| *n as u64 * weight).sum::<u64>()
            + self.frames.bytes()
            + self.units.bytes()
            + self.sinks.bytes()
            + self.promises.bytes()
            + self.indexes.bytes()
            + self.closing.bytes()
            + self.account.spent()
    }
}
