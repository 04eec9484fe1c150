//! Refinement: the implementations of new instances. Spec, 6.5.

use super::unit::{Needs, Work};
use super::{Done, Evaluator, Frame, FrameId};
use crate::fault::{Class, Fault, Location, Within};
use crate::program::{EntityId, ImplementId};
use crate::value::{InstId, Value, message, written};
use std::rc::Rc;

impl Evaluator<'_> {
    /// The `implement` statements of an entity: its own, and those of parents if requested.
    fn applicable(&mut self, entity: EntityId) -> Rc<[ImplementId]> {
        if let Some(known) = self.applicable.get(&entity) {
            return known.clone();
        }
        let mut list: Vec<ImplementId> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut queue = vec![entity];
        while let Some(next) = queue.pop() {
            if !seen.insert(next) {
                continue;
            }
            let definition = &self.program.entities[next];
            list.extend(&definition.implements);
            if definition.implements.iter().any(|id| self.program.implements[*id].with_parents) {
                queue.extend(definition.parents.iter().rev());
            }
        }
        let list: Rc<[ImplementId]> = list.into();
        self.applicable.insert(entity, list.clone());
        list
    }

    pub(super) fn emit_implements(&mut self, instance: InstId, entity: EntityId) -> Done {
        let frame = self.frames.of_instance(instance);
        for implement in self.applicable(entity).iter().copied() {
            let definition = &self.program.implements[implement];
            let mut needs = Needs::new();
            if let Some(condition) = definition.condition {
                // The condition sees the namespace of its statement.
                let frame = self.condition_frame(frame, implement);
                self.require(condition, frame, &mut needs).map_err(|fault| {
                    fault
                        .within(Within::Text("<an implement statement>".into()))
                        .at(Location::Column(definition.entity_span))
                })?;
            }
            self.unit(Work::Implement { implement, instance }, frame, needs);
        }
        Ok(())
    }

    fn condition_frame(&mut self, frame: FrameId, implement: ImplementId) -> FrameId {
        let ns = self.program.implements[implement].ns;
        let known = self.frames[frame];
        if known.ns == ns { frame } else { self.frames.push(Frame { ns, ..known }) }
    }

    pub(super) fn run_implement(
        &mut self,
        implement: ImplementId,
        instance: InstId,
        frame: FrameId,
        needs: &Needs,
    ) -> Done {
        let program = self.program;
        let definition = &program.implements[implement];
        if let Some(condition) = definition.condition {
            let within = || Within::Text(definition.text.clone());
            let place = Location::Column(definition.entity_span);
            let value = self.compute_all(condition, frame, needs).map_err(|fault| fault.within(within()).at(place))?;
            match value {
                Value::Bool(true) => {}
                Value::Bool(false) | Value::Unknown(_) => return Ok(()),
                other => {
                    let text = message(&other, self);
                    let message = format!(
                        "Invalid value `{text}`: the condition for a conditional implementation can only be a boolean expression"
                    );
                    let fault = Fault::new(Class::Runtime, message).about(written(&other, self));
                    let fault = fault.help(super::compute::NO_CONDITION);
                    return Err(fault.within(within()).at(place));
                }
            }
        }
        self.store.instances[instance].is_selected |= !definition.implementations.is_empty();
        for id in &definition.implementations {
            if self.store.instances[instance].implementations.contains(id) {
                continue;
            }
            self.store.instances[instance].implementations.push(*id);
            let implementation = &program.implementations[*id];
            if implementation.body.is_empty() {
                continue;
            }
            let first = self.new_vars(implementation.n_vars);
            let body = self.frames.push(Frame { parent: None, first, instance: Some(instance), ns: implementation.ns });
            self.emit_body(&implementation.body, body)?;
        }
        Ok(())
    }
}
