//! Puts a long call aside, so that the rest of the program continues.
//!
//! A table must be consistent, so everything that depends on the facts of the call is put aside with it
//! ([`React::apart`]), as if these facts had not changed yet. Their new values wait. Until then, a complete table has
//! the previous values of this part and the new ones of the rest. This requires that no statement has read a new value
//! of the part that is put aside, and that the graph keeps its form; otherwise the round continues as a whole
//! (`round`).
//!
//! The part that is put aside is completed before it takes in new values. It gets a slice of work after each round of
//! the rest.

use super::React;
use super::effort::Account;
use super::eval::Call;
use super::queue::Queue;
use super::round::Halt;
use super::state::VertexState;
use crate::fgraph::VertexId;
use rustc_hash::FxHashSet;

#[derive(Clone)]
pub(super) struct Aside {
    call: Call,
    /// The call's vertex, and what is marked among the others.
    queue: Queue,
    account: Account,
    apart: FxHashSet<VertexId>,
    /// How many vertices had been evaluated when it was seen that this can be put aside.
    n_evaluated: u64,
    /// The rest had the last turn.
    is_next: bool,
}

impl Aside {
    pub(super) fn has(&self, id: VertexId) -> bool {
        self.apart.contains(&id)
    }
}

impl React {
    /// Puts the interrupted call aside, if the rest can continue without it.
    pub(super) fn put_aside(&mut self, before: Option<(FxHashSet<VertexId>, u64)>) {
        if !self.is_good || self.is_rebuilt || self.aside.is_some() {
            return;
        }
        let Some(id) = self.call.as_ref().map(Call::vertex) else { return };
        let apart = match before {
            // Only the call itself went on since.
            Some((apart, n_evaluated)) if n_evaluated == self.n_evaluated => apart,
            Some(_) | None => {
                let apart = self.apart(id);
                if !apart.iter().all(|id| self.is_unseen(*id)) {
                    return;
                }
                apart
            }
        };
        let Some(call) = self.call.take() else { return };
        let (queue, rest) = std::mem::take(&mut self.queue).partition(|id| apart.contains(&id));
        self.queue = rest;
        let (account, n_evaluated) = (self.effort.put_aside(), self.n_evaluated);
        self.aside = Some(Aside { call, queue, account, apart, n_evaluated, is_next: false });
    }

    /// All that depends on something on which this vertex depends as well, over any number of steps.
    ///
    /// Cost: in proportion to what is looked at.
    fn apart(&self, id: VertexId) -> FxHashSet<VertexId> {
        let mut apart = FxHashSet::default();
        let mut above = FxHashSet::default();
        let mut knows_time = false;
        // Downward, or upward to what it depends on.
        let mut work = vec![(id, true)];
        while let Some((id, is_downward)) = work.pop() {
            let Some(vertex) = self.graph.get(id) else { continue };
            if is_downward && apart.insert(id) {
                work.extend(vertex.outs.iter().map(|out| (out.to, true)));
            }
            if !above.insert(id) {
                continue;
            }
            work.extend(vertex.inputs.iter().map(|input| (input.from, false)));
            let Some(senses) = &self.slots[id.0 as usize].senses else { continue };
            if senses.facts.is_empty() && senses.wake.is_none() {
                continue;
            }
            work.push((id, true));
            work.extend(senses.facts.iter().flat_map(|fact| self.facts.readers(*fact)).map(|reader| (reader, true)));
            if senses.wake.is_some() && !std::mem::replace(&mut knows_time, true) {
                work.extend(self.wakes.iter().map(|(_, reader)| (*reader, true)));
            }
        }
        apart
    }

    /// No table that is complete now would tell of a change of this vertex.
    fn is_unseen(&self, id: VertexId) -> bool {
        let slot = &self.slots[id.0 as usize];
        slot.changed != self.epoch
            || matches!(slot.state, VertexState::Value(_))
                && self.graph.get(id).is_some_and(|vertex| vertex.readers.is_empty())
    }

    /// Takes in what happened to the rest, and returns whether the rest has to be evaluated first.
    pub(super) fn begin_beside(&mut self, now: u64) -> bool {
        let Some(mut aside) = self.aside.take() else { return true };
        self.now = self.now.max(now);
        let is_apart = |react: &React, fact| react.facts.readers(fact).any(|reader| aside.has(reader));
        for (fact, told) in std::mem::take(&mut self.late) {
            if is_apart(self, fact) {
                self.late.insert(fact, told);
            } else {
                self.take_in(fact, told);
            }
        }
        let due = self.wakes.iter().copied().take_while(|(at, _)| *at <= self.now);
        for (at, id) in due.filter(|(_, id)| !aside.has(*id)).collect::<Vec<_>>() {
            self.awake(at, id);
        }
        let is_turn_of_rest = !self.queue.is_empty() && !aside.is_next;
        aside.is_next = is_turn_of_rest;
        self.aside = Some(aside);
        is_turn_of_rest
    }

    /// Continues the part that was put aside; when it is complete, the rest joins it. `Ok(false)`: it is not complete
    /// yet.
    pub(super) fn round_aside(&mut self) -> Result<bool, Halt> {
        let Some(Aside { call, queue, account, apart, n_evaluated, .. }) = self.aside.take() else { return Ok(true) };
        let rest = std::mem::replace(&mut self.queue, queue);
        self.call = Some(call);
        self.effort.resume(account);
        self.effort.enter();
        let mut ended = self.evaluate_queued(Some((apart, n_evaluated)));
        self.queue.append(rest);
        if self.aside.is_some() {
            ended = ended.map(|_| false);
        } else {
            if matches!(ended, Ok(true)) {
                ended = self.evaluate_queued(None);
            }
            self.is_interrupted = matches!(ended, Ok(false));
        }
        self.effort.leave();
        ended
    }

    /// Joins the part that was put aside and the rest to one round, which continues.
    pub(super) fn join(&mut self) {
        let Some(Aside { call, queue, account, .. }) = self.aside.take() else { return };
        self.effort.resume(account);
        self.queue.append(queue);
        self.is_interrupted = true;
        if self.graph.get(call.vertex()).is_some_and(|vertex| call.is_of(vertex)) {
            self.call = Some(call);
        } else {
            self.forget(call);
        }
    }
}
