//! Send/recv while it runs: values that one resource sends into the fields of another. Engine
//! spec, 13.

use super::{Scheduler, Slot};
use crate::kinds::{Params, store};
use crate::protocol::Cause;
use crate::rgraph::{Receive, Resource};
use crate::value::Value;
use std::sync::Arc;

impl Scheduler {
    /// Takes in what the senders have sent by now. A new value makes the vertex dirty.
    ///
    /// Errors: all reasons, joined; fields without a fault are stored all the same.
    pub(super) fn receive(&mut self, slot: Slot) -> Result<(), String> {
        let resource = self.resource(slot).clone();
        let mut errors = Vec::new();
        let mut members: Option<Vec<Arc<Resource>>> = None;
        for (index, child) in resource.children.iter().enumerate() {
            let stored = self.stored(child, &mut errors);
            if let Some((params, _)) = stored {
                let changed = Arc::new(Resource { params, ..(**child).clone() });
                members.get_or_insert_with(|| resource.children.clone())[index] = changed;
            }
        }
        let stored = self.stored(&resource, &mut errors);
        if members.is_some() || stored.is_some() {
            let (params, changed) = stored.unwrap_or_else(|| (resource.params.clone(), Vec::new()));
            let children = members.unwrap_or_else(|| resource.children.clone());
            self.store(slot, Resource { params, children, ..(*resource).clone() }, &changed);
            let now = self.resource(slot).clone();
            if let Err(error) = now.kind.validate(&now.want()) {
                errors.push(format!("failed Validate after SendRecv: {error}"));
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors.join("; ")) }
    }

    fn store(&mut self, slot: Slot, resource: Resource, changed: &[usize]) {
        let before = self.resource(slot).clone();
        let spec = before.kind.watches(&before.want());
        let vertex = self.vertex_mut(slot);
        vertex.resource = Arc::new(resource);
        vertex.clean = false;
        for &index in changed {
            vertex.changed[index] = true;
        }
        self.track_second(slot, false);
        for &index in changed {
            let Receive { field, from, .. } = before.receives[index].clone();
            let field = before.kind.decl().fields[field].name.to_string();
            self.add_cause(slot, Cause::Received { from, field });
        }
        self.renew_watch(slot, &spec);
    }

    /// The fields with what was received in place, and which of its wires brought something new.
    /// `None`: nothing did.
    pub(super) fn stored(&self, resource: &Resource, errors: &mut Vec<String>) -> Option<(Params, Vec<usize>)> {
        let mut stored: Option<(Params, Vec<usize>)> = None;
        for (index, wire) in resource.receives.iter().enumerate() {
            let field = &resource.kind.decl().fields[wire.field];
            let held = resource.params.values[wire.field].clone().or_else(|| field.unset_value());
            match self.sent_value(wire) {
                Err(error) => errors.push(error),
                Ok(sent) if sent == held => {}
                Ok(None) => {
                    let (from, key) = (&wire.from, &wire.key);
                    errors
                        .push(format!("bad value {from}.{key}: cannot represent null as a value of `{}`", field.name));
                }
                Ok(Some(value)) => match store::fit(field, held.as_ref(), &value) {
                    Ok(value) if Some(&value) == held.as_ref() => {}
                    Ok(value) => {
                        let (params, changed) = stored.get_or_insert_with(|| (resource.params.clone(), Vec::new()));
                        params.values[wire.field] = Some(value);
                        changed.push(index);
                    }
                    Err(error) => {
                        let (from, key, id) = (&wire.from, &wire.key, &resource.id);
                        errors.push(format!("mismatch: {from}.{key} -> {id}.{}: {error}", field.name));
                    }
                },
            }
        }
        stored
    }

    fn sent_value(&self, wire: &Receive) -> Result<Option<Value>, String> {
        let from = &wire.from;
        if !self.senders.contains_key(from) {
            return Err(format!("sender {from} is not in the graph"));
        }
        let sent = self.sent.get(from).ok_or_else(|| format!("received nil value from: {from}"))?;
        let value = sent.iter().find(|(name, _)| *name == &*wire.key);
        let (_, value) = value.ok_or_else(|| format!("received nil value from: {from}"))?;
        Ok(value.clone())
    }
}
