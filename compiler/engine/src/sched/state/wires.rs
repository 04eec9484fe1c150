//! [`Wires`]: senders, and the values sent last. Engine spec, 13.

use super::Slot;
use crate::kinds::{Params, Sent, store};
use crate::protocol::ResourceId;
use crate::rgraph::{Receive, Resource};
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

#[derive(Clone, Default)]
pub(crate) struct Wires {
    /// Possible senders by id: vertices that are not hidden, and their members.
    senders: FxHashMap<ResourceId, Slot>,
    /// The last values sent.
    sent: FxHashMap<ResourceId, Arc<Sent>>,
}

impl Wires {
    /// Adds a possible sender, with its members.
    pub(crate) fn join(&mut self, slot: Slot, resource: &Resource) {
        for id in resource.ids() {
            self.senders.insert(id.clone(), slot);
        }
    }

    pub(crate) fn leave(&mut self, slot: Slot, resource: &Resource) {
        for id in resource.ids() {
            if self.senders.get(id) == Some(&slot) {
                self.senders.remove(id);
                self.sent.remove(id);
            }
        }
    }

    pub(crate) fn sender(&self, id: &ResourceId) -> Option<Slot> {
        self.senders.get(id).copied()
    }

    /// A resource sends its complete set of values.
    pub(crate) fn send(&mut self, id: ResourceId, sent: Sent) {
        self.sent.insert(id, Arc::new(sent));
    }

    /// The fields with received values stored, and which of its wires brought something new. `None`: nothing did.
    pub(crate) fn stored(&self, resource: &Resource, errors: &mut Vec<String>) -> Option<(Params, Vec<usize>)> {
        let mut stored: Option<(Params, Vec<usize>)> = None;
        for (index, wire) in resource.receives.iter().enumerate() {
            let field = &resource.kind.decl().fields[wire.field];
            let held = resource.params.get(wire.field).cloned().or_else(|| field.unset_value());
            match self.sent_value(wire) {
                Err(error) => errors.push(error),
                Ok(sent) if sent == held => {}
                Ok(None) => {
                    let (from, key) = (&wire.from, &wire.key);
                    errors.push(format!("{from} sent null as `{key}`, but `{}` cannot be null", field.name));
                }
                Ok(Some(value)) => match store::fit(field, &value) {
                    Ok(value) if Some(&value) == held.as_ref() => {}
                    Ok(value) => {
                        let (params, changed) = stored.get_or_insert_with(|| (resource.params.clone(), Vec::new()));
                        params.set(wire.field, value);
                        changed.push(index);
                    }
                    Err(error) => {
                        let (from, key, id) = (&wire.from, &wire.key, &resource.id);
                        errors.push(format!("{from}.{key} -> {id}.{}: {error}", field.name));
                    }
                },
            }
        }
        stored
    }

    /// Whether a value was sent that this resource does not hold yet.
    pub(crate) fn has_news(&self, resource: &Resource) -> bool {
        self.stored(resource, &mut Vec::new()).is_some()
    }

    fn sent_value(&self, wire: &Receive) -> Result<Option<Value>, String> {
        let from = &wire.from;
        if !self.senders.contains_key(from) {
            return Err(format!("the sender {from} is not in the graph"));
        }
        let missing = || format!("{from} has not sent `{}` yet", wire.key);
        let sent = self.sent.get(from).ok_or_else(missing)?;
        let value = sent.iter().find(|(name, _)| *name == &*wire.key);
        let (_, value) = value.ok_or_else(missing)?;
        Ok(value.clone())
    }
}
