//! Send/recv at run time: values sent by one resource into fields of another. Engine spec, 13.

use super::Scheduler;
use super::state::Slot;
use crate::protocol::Cause;
use crate::rgraph::Resource;
use std::sync::Arc;

impl Scheduler {
    /// Stores the values sent so far. A new value makes the vertex dirty.
    ///
    /// Errors: all reasons, joined; the valid fields are stored nevertheless.
    pub(super) fn receive(&mut self, slot: Slot) -> Result<(), String> {
        let resource = self.graph.resource(slot).clone();
        let mut errors = Vec::new();
        let mut members: Option<Vec<Arc<Resource>>> = None;
        for (index, child) in resource.children.iter().enumerate() {
            if let Some((params, _)) = self.wires.stored(child, &mut errors) {
                let changed = Arc::new(Resource { params, ..(**child).clone() });
                members.get_or_insert_with(|| resource.children.clone())[index] = changed;
            }
        }
        let stored = self.wires.stored(&resource, &mut errors);
        if members.is_some() || stored.is_some() {
            let (params, changed) = stored.unwrap_or_else(|| (resource.params.clone(), Vec::new()));
            let children = members.unwrap_or_else(|| resource.children.clone());
            self.store(slot, Resource { params, children, ..(*resource).clone() }, &changed);
            let now = self.graph.resource(slot);
            if let Err(error) = now.kind.validate(&now.want()) {
                errors.push(format!("failed Validate after SendRecv: {error}"));
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors.join("; ")) }
    }

    fn store(&mut self, slot: Slot, resource: Resource, changed: &[usize]) {
        let before = self.graph.resource(slot).clone();
        let watches = before.kind.watches(&before.want());
        self.graph.store(slot, resource, changed);
        self.conditions.set_clean(slot, false);
        self.convergence.set_settled(slot, false, self.clock.now());
        for &index in changed {
            let wire = &before.receives[index];
            let field = before.kind.decl().fields[wire.field].name.to_string();
            self.causes.add(slot, Cause::Received { from: wire.from.clone(), field });
        }
        self.renew_watch(slot, &watches);
    }
}
