//! The main loop: runs everything that is ready, and closes ends of relations when nothing else can happen. Spec, 10.5
//! and 10.6.

use super::state::Job;
use super::store::{EndId, NONE};
use super::{Done, Evaluator, State, VarId};
use crate::ast::ExprId;
use crate::fault::{Class, Fault};
use crate::program::{AttrId, Shape};
use crate::value::{InstId, Value};

/// The cost of a list member, in bytes.
pub(super) const MEMBER: u64 = 16;

impl Evaluator<'_> {
    fn attr_of(&self, var: VarId) -> Option<(InstId, u32, AttrId)> {
        let (instance, slot) = match &self.store.vars[var].state {
            State::End(end) => (self.store.ends[*end].owner, self.store.ends[*end].slot),
            _ => self.store.owner(var, self.program)?,
        };
        let entity = self.store.instances[instance].entity;
        let (_, attr) = self.program.entities[entity].slots.get_index(slot as usize)?;
        Some((instance, slot, *attr))
    }

    /// Queues an end as a candidate.
    pub(super) fn new_candidate(&mut self, var: VarId, attr: AttrId) {
        if let State::End(end) = self.store.vars[var].state {
            self.store.ends[end].is_queued = true;
        }
        self.closing.add_candidate(var, attr);
    }

    /// An end may have become closable.
    pub(super) fn candidate(&mut self, var: VarId) {
        let State::End(end) = self.store.vars[var].state else { return };
        let state = &self.store.ends[end];
        if state.is_closed || state.providers > 0 || state.is_candidate {
            return;
        }
        let Some((_, _, attr)) = self.attr_of(var) else { return };
        let low = self.program.end(attr).map_or(0, |end| end.low);
        if (self.store.ends[end].members.len() as i64) < low {
            return;
        }
        self.store.ends[end].is_candidate = true;
        if !self.store.ends[end].is_queued {
            self.new_candidate(var, attr);
        }
    }

    fn next_candidate(&mut self) -> Option<VarId> {
        let var = self.closing.next_candidate()?;
        if let State::End(end) = self.store.vars[var].state {
            self.store.ends[end].is_queued = false;
        }
        Some(var)
    }

    /// The record of an end, made on first use. An end that may be empty is a candidate from the beginning.
    pub(super) fn record(&mut self, var: VarId, owner: InstId, slot: u32) -> Option<EndId> {
        let is_new = matches!(self.store.vars[var].state, State::Untouched);
        let id = self.store.end_of(var, owner, slot)?;
        if is_new && self.end_at(owner, slot).is_some_and(|end| end.low <= 0) {
            self.store.ends[id].is_candidate = true;
        }
        Some(id)
    }

    /// Adds a provider of an end, which may not be closed until it is done.
    pub(super) fn provide(&mut self, instance: InstId, slot: u32) {
        let var = VarId(self.store.instances[instance].first.0 + slot);
        if let Some(id) = self.record(var, instance, slot) {
            let end = &mut self.store.ends[id];
            end.providers += 1;
            end.is_candidate = false;
        }
    }

    /// Removes a provider of an end.
    pub(super) fn release(&mut self, var: VarId) {
        if let State::End(end) = self.store.vars[var].state {
            let providers = &mut self.store.ends[end].providers;
            *providers = providers.saturating_sub(1);
            self.candidate(var);
        }
    }

    /// A unit waits for a complete end.
    pub(super) fn somebody_waits(&mut self, var: VarId) {
        let Some((owner, slot)) = (match &self.store.vars[var].state {
            State::End(end) => Some((self.store.ends[*end].owner, self.store.ends[*end].slot)),
            _ => self.store.owner(var, self.program),
        }) else {
            return;
        };
        let Some(end) = self.record(var, owner, slot) else { return };
        self.store.ends[end].waiting += 1;
        self.closing.wait_for(var);
    }

    /// How much closing an end would help. Spec, 10.5.
    fn potential(&self, var: VarId) -> u32 {
        let waiting = match self.store.vars[var].state {
            State::End(end) => self.store.ends[end].waiting,
            _ => 0,
        };
        if !self.closing.has_ranks() {
            return waiting;
        }
        let rank = self.attr_of(var).and_then(|(_, _, attr)| self.closing.rank(attr));
        waiting + u32::from(rank.is_some_and(|(_, is_before)| is_before))
    }

    /// Relations without a rule come before those with one, which have ranks.
    fn turn(&self, var: VarId) -> u32 {
        match self.attr_of(var).and_then(|(_, _, attr)| self.closing.rank(attr)) {
            Some((rank, _)) => rank + 1,
            None => 0,
        }
    }

    fn has_providers(&self, var: VarId) -> bool {
        matches!(self.store.vars[var].state, State::End(end) if self.store.ends[end].providers > 0)
    }

    fn is_open(&self, var: VarId) -> bool {
        match self.store.vars[var].state {
            State::Untouched => true,
            State::End(end) => !self.store.ends[end].is_closed,
            _ => false,
        }
    }

    /// Makes a unit runnable as soon as an end has its first member (`is defined`).
    pub(super) fn wait_for_first(&mut self, var: VarId, unit: u32, generation: u32) {
        if let State::End(end) = self.store.vars[var].state {
            self.store.ends[end].first_member.push((unit, generation));
            if self.store.ends[end].members.iter().any(|member| !member.is_unknown()) {
                self.first_member(var, end);
            }
        }
    }

    /// Releases the units that wait for a first known member, which has arrived.
    pub(super) fn first_member(&mut self, _var: VarId, end: EndId) {
        for (id, generation) in std::mem::take(&mut self.store.ends[end].first_member) {
            if self.units.release(id, generation) {
                let waiting = &mut self.store.ends[end].waiting;
                *waiting = waiting.saturating_sub(1);
            }
        }
    }

    /// Closes an optional end without a value.
    pub(super) fn close_empty(&mut self, var: VarId) {
        self.store.vars[var].state = State::ClosedEmpty;
        self.closing.forget(var);
        self.wake(var);
    }

    /// Closes an optional end with its value.
    pub(super) fn close_with(&mut self, var: VarId, value: Value, by: ExprId) {
        self.store.vars[var].state = State::Set(value);
        self.store.vars[var].set_by = Some(by);
        self.closing.forget(var);
        self.wake(var);
    }

    /// No further value may arrive.
    pub(super) fn close(&mut self, var: VarId) {
        match self.store.vars[var].state {
            State::Untouched => {
                let is_optional = self
                    .attr_of(var)
                    .and_then(|(_, _, attr)| self.program.end(attr))
                    .is_some_and(|end| end.shape() == Shape::Optional);
                self.store.vars[var].state =
                    if is_optional { State::ClosedEmpty } else { State::Set(Value::raw_list(Vec::new())) };
            }
            State::End(end) => {
                let state = &self.store.ends[end];
                let shape = self.end_at(state.owner, state.slot).map(crate::program::End::shape);
                if shape == Some(Shape::Optional) {
                    self.store.vars[var].state = State::ClosedEmpty;
                } else {
                    let state = &mut self.store.ends[end];
                    self.account.spend(state.members.len() as u64 * MEMBER);
                    state.is_closed = true;
                    state.value = Some(Value::raw_list(state.members.clone()));
                    for listener in std::mem::take(&mut state.listeners) {
                        self.units.queue(Job::PartDone(listener));
                    }
                }
            }
            State::Unset | State::Set(_) | State::ClosedEmpty | State::Alias(_) => return,
        }
        self.closing.forget(var);
        if self.store.vars[var].first_waiter != NONE {
            self.wake(var);
        }
    }

    pub(super) fn run_queue(&mut self) -> Done {
        while let Some(job) = self.units.next_job() {
            match job {
                Job::Unit(unit) => self.run_unit(unit)?,
                Job::Element(element) => self.run_element(element)?,
                Job::PartDone(sink) => self.part_done(sink),
            }
        }
        Ok(())
    }

    pub(super) fn run_rounds(&mut self) -> Done {
        let mut rounds = 0;
        loop {
            self.run_queue()?;
            if self.closing.is_over() {
                return Ok(());
            }
            self.has_closed = true;
            rounds += 1;
            if rounds > self.around.limits.rounds {
                let message =
                    format!("Could not complete model, max_iterations {} reached.", self.around.limits.rounds);
                return Err(Fault::new(Class::Compiler, message));
            }
            if self.close_candidate() || self.close_revived() || self.close_stuck() {
                continue;
            }
            if !self.closing.has_idle() && self.units.is_idle() {
                return Ok(());
            }
            // No unit waits for these: the last one first.
            for var in self.closing.take_idle().into_iter().rev() {
                self.close(var);
            }
        }
    }

    /// Closes the first candidate with waiting units.
    fn close_candidate(&mut self) -> bool {
        while let Some(var) = self.next_candidate() {
            if !self.is_open(var) {
                continue;
            }
            if self.potential(var) == 0 {
                self.closing.make_idle(var);
            } else if !self.has_providers(var) {
                self.close(var);
                return true;
            }
        }
        false
    }

    /// Idle ends with waiting units become candidates again.
    fn close_revived(&mut self) -> bool {
        let mut again = Vec::new();
        for var in self.closing.take_revived() {
            if self.is_open(var) && self.potential(var) == 0 {
                continue;
            }
            self.closing.leave_idle(var);
            if self.is_open(var) {
                again.push(var);
            }
        }
        if self.closing.has_ranks() {
            again.sort_by_key(|var| self.turn(*var));
        }
        let mut progress = false;
        for var in again {
            if progress {
                if let Some((_, _, attr)) = self.attr_of(var) {
                    self.new_candidate(var, attr);
                }
            } else if !self.has_providers(var) {
                self.close(var);
                progress = true;
            }
        }
        progress
    }

    /// Everything is stuck: closes an end with waiting units although there are providers.
    fn close_stuck(&mut self) -> bool {
        let mut over = Vec::new();
        let mut found: Option<(u32, u64, VarId)> = None;
        for (nr, var) in self.closing.waited() {
            if !self.is_open(var) {
                over.push(nr);
            } else if self.has_providers(var) && self.potential(var) > 0 {
                let rank = self.turn(var);
                if found.is_none_or(|(best, _, _)| rank < best) {
                    found = Some((rank, nr, var));
                }
                if !self.closing.has_ranks() {
                    break;
                }
            }
        }
        for nr in over {
            self.closing.drop_waited(nr);
        }
        match found {
            Some((_, _, var)) => {
                self.close(var);
                true
            }
            None => false,
        }
    }
}
