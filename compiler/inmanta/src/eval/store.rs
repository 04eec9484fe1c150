//! The state of evaluation: variables, instances and ends of relations. Spec, 10.2.

use crate::ast::ExprId;
use crate::program::{EntityId, ImplementationId, Program};
use crate::value::{InstId, Value};
use mclive_base::define_id;
use mclive_base::index::{Id, IndexVec};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

define_id!(
    /// Id of a variable.
    VarId,
    "v"
);
define_id!(
    /// Id of the record of a used relation end.
    EndId,
    "end"
);

/// The content of a variable.
#[derive(Debug, Default)]
pub enum State {
    /// A plain variable without a value.
    #[default]
    Unset,
    /// A value.
    Set(Value),
    /// An optional or list end that was not used yet.
    Untouched,
    /// An optional or list end with a record.
    End(EndId),
    /// An optional end that was closed without a value.
    ClosedEmpty,
    /// The value of another variable.
    Alias(VarId),
}

pub(super) const NONE: u32 = u32::MAX;

/// A variable.
#[derive(Debug)]
pub struct Var {
    /// Its content.
    pub state: State,
    /// The expression whose value was stored.
    pub set_by: Option<ExprId>,
    /// The first node of the list of waiting units.
    pub first_waiter: u32,
    /// The last node of that list.
    pub last_waiter: u32,
}

impl Default for Var {
    fn default() -> Var {
        Var { state: State::Unset, set_by: None, first_waiter: NONE, last_waiter: NONE }
    }
}

/// The record of an optional or list end.
#[derive(Debug)]
pub struct EndState {
    /// Its instance.
    pub owner: InstId,
    /// Its slot.
    pub slot: u32,
    /// The members in order.
    pub members: Vec<Value>,
    /// The members as a set, if there are many.
    many: Option<FxHashSet<InstId>>,
    /// Whether it is closed.
    pub is_closed: bool,
    /// The members as a list value, after closing.
    pub value: Option<Value>,
    /// The number of providers that may still add to it. Spec, 10.5.
    pub providers: u32,
    /// The number of units that wait until it is ready, without listeners.
    pub waiting: u32,
    /// Sinks that get each member as it arrives.
    pub listeners: Vec<u32>,
    /// Units that wait only for the first member.
    pub first_member: Vec<(u32, u32)>,
    /// Whether it has become a candidate and has had no provider since: it is queued or idle.
    pub is_candidate: bool,
    /// Whether it is in the queue of candidates.
    pub is_queued: bool,
}

/// From this number of members on, they are kept as a set too.
const MANY: usize = 12;

impl EndState {
    /// An empty end.
    pub fn new(owner: InstId, slot: u32) -> EndState {
        EndState {
            owner,
            slot,
            members: Vec::new(),
            many: None,
            is_closed: false,
            value: None,
            providers: 0,
            waiting: 0,
            listeners: Vec::new(),
            first_member: Vec::new(),
            is_candidate: false,
            is_queued: false,
        }
    }

    /// Whether a value is a member.
    pub fn has(&self, value: &Value) -> bool {
        match (value, &self.many) {
            (Value::Instance(instance), Some(many)) => many.contains(instance),
            (value, _) => self.members.iter().any(|member| crate::value::same(member, value)),
        }
    }

    /// Adds a member.
    pub fn push(&mut self, value: Value) {
        self.members.push(value);
        let instance = |member: &Value| if let Value::Instance(instance) = member { Some(*instance) } else { None };
        if let Some(many) = &mut self.many {
            many.extend(self.members.last().and_then(instance));
        } else if self.members.len() > MANY {
            self.many = Some(self.members.iter().filter_map(instance).collect());
        }
    }
}

/// An instance of an entity.
#[derive(Debug)]
pub struct Instance {
    /// Its entity.
    pub entity: EntityId,
    /// The variable of its first slot; the others follow.
    pub first: VarId,
    /// The constructors that yielded it.
    pub constructs: SmallVec<[ExprId; 1]>,
    /// The instance whose implementation constructed it.
    pub by: Option<InstId>,
    /// The selected implementations.
    pub implementations: SmallVec<[ImplementationId; 1]>,
    /// Whether any `implement` statement was selected.
    pub is_selected: bool,
}

/// Variables and instances.
#[derive(Default, Debug)]
pub struct Store {
    /// All variables.
    pub vars: IndexVec<VarId, Var>,
    /// All records of ends.
    pub ends: IndexVec<EndId, EndState>,
    /// All instances.
    pub instances: IndexVec<InstId, Instance>,
}

/// The result of reading a variable.
pub enum Read {
    /// A value.
    Value(Value),
    /// An optional end that was closed without a value.
    Empty(VarId),
    /// Not ready.
    NotYet,
}

impl Store {
    /// A new plain variable.
    pub fn new_var(&mut self) -> VarId {
        self.vars.push(Var::default())
    }

    /// Follows aliases.
    pub fn deref(&self, var: VarId) -> VarId {
        let mut var = var;
        while let State::Alias(other) = self.vars[var].state {
            var = other;
        }
        var
    }

    /// Whether a variable can be read.
    pub fn is_ready(&self, var: VarId) -> bool {
        match &self.vars[self.deref(var)].state {
            State::Set(_) | State::ClosedEmpty => true,
            State::End(end) => self.ends[*end].is_closed,
            State::Unset | State::Untouched | State::Alias(_) => false,
        }
    }

    /// Reads a variable.
    pub fn read(&self, var: VarId) -> Read {
        let var = self.deref(var);
        match &self.vars[var].state {
            State::Set(value) => Read::Value(value.clone()),
            State::ClosedEmpty => Read::Empty(var),
            State::End(end) => match &self.ends[*end].value {
                Some(value) => Read::Value(value.clone()),
                None => Read::NotYet,
            },
            State::Unset | State::Untouched | State::Alias(_) => Read::NotYet,
        }
    }

    /// The instance and slot of a variable.
    pub fn owner(&self, var: VarId, program: &Program) -> Option<(InstId, u32)> {
        // The variables of instances are in order of creation.
        let (mut low, mut high) = (0, self.instances.len());
        while low < high {
            let middle = (low + high) / 2;
            if self.instances[InstId::from_index(middle)].first <= var { low = middle + 1 } else { high = middle }
        }
        let id = InstId::from_index(low.checked_sub(1)?);
        let instance = &self.instances[id];
        let slot = var.0 - instance.first.0;
        let n_slots = program.entities[instance.entity].slots.len() as u32;
        (slot < n_slots).then_some((id, slot))
    }

    /// The variable of an instance's slot.
    pub fn slot_var(&self, instance: InstId, slot: usize) -> VarId {
        VarId(self.instances[instance].first.0 + slot as u32)
    }

    /// The record of an optional or list end, made on first use.
    pub fn end_of(&mut self, var: VarId, owner: InstId, slot: u32) -> Option<EndId> {
        match self.vars[var].state {
            State::End(end) => Some(end),
            State::Untouched => {
                let end = self.ends.push(EndState::new(owner, slot));
                self.vars[var].state = State::End(end);
                Some(end)
            }
            State::Unset | State::Set(_) | State::ClosedEmpty | State::Alias(_) => None,
        }
    }
}
