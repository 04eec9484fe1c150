//! Default values of attributes: which declaration applies. Spec, 6.2.

use super::{Defined, Definer};
use crate::ast::{AttributeDef, Default, Definition, ExprId, ExprKind, Item, Style, expr_text};
use crate::fault::{Class, Failure, Fault, Location, Within};
use crate::program::{AttrId, Constant, Def, EntityId};
use crate::value::Value;
use mclive_base::ident::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// The defaults declared by each entity itself; `None` removes one.
type Declared = FxHashMap<EntityId, Vec<(Name, Option<Constant>)>>;

impl Definer {
    /// Computes the defaults of entities; each comes after its parents.
    pub(super) fn defaults(&mut self, sorted: &[EntityId]) {
        let (declared, faults) = self.declared_defaults(sorted);
        faults.into_iter().for_each(|fault| self.keep(fault));
        for id in sorted {
            self.inherit_defaults(*id, &declared);
        }
    }

    /// The defaults, and the errors of those that are not constants.
    fn declared_defaults(&self, sorted: &[EntityId]) -> (Declared, Vec<Failure>) {
        let mut by_entity: FxHashMap<EntityId, &[AttributeDef]> = FxHashMap::default();
        for (ns, tree) in &self.files {
            for item in &tree.items {
                let Item::Define(Definition::Entity(def)) = item else { continue };
                if let Some(Def::Entity(id)) = self.program.namespaces[*ns].types.get(&def.name) {
                    by_entity.insert(*id, &def.attributes);
                }
            }
        }
        let (mut declared, mut faults) = (Declared::default(), Vec::new());
        for id in sorted {
            let Some(attributes) = by_entity.get(id) else { continue };
            let mut own = Vec::new();
            for attribute in *attributes {
                let Some(attr) = self.program.entities[*id].own.get(&attribute.name).copied() else { continue };
                let constant = match attribute.default {
                    Some(Default::Value(expr)) => {
                        let value = self.constant(expr, attr).map_err(|fault| faults.push(fault)).ok();
                        value.map(|value| Constant { value, expr })
                    }
                    Some(Default::Removed) | None => None,
                };
                own.push((attribute.name.clone(), constant));
            }
            declared.insert(*id, own);
        }
        (declared, faults)
    }

    /// The last declaration applies, even if it removes the default.
    fn inherit_defaults(&mut self, id: EntityId, declared: &Declared) {
        let entity = &self.program.entities[id];
        let mut defaults: Vec<Option<Constant>> = vec![None; entity.slots.len()];
        let order = match entity.parents[..] {
            // With a single parent the ancestors have the same order for both.
            [parent] => {
                let parent = &self.program.entities[parent];
                for (name, default) in parent.slots.keys().zip(&parent.defaults) {
                    if let Some(slot) = entity.slots.get_index_of(name) {
                        defaults[slot].clone_from(default);
                    }
                }
                vec![id]
            }
            _ => self.order_of_defaults(id),
        };
        for (name, default) in order.iter().filter_map(|id| declared.get(id)).flatten() {
            if let Some(slot) = entity.slots.get_index_of(name) {
                defaults[slot].clone_from(default);
            }
        }
        self.program.entities[id].defaults = defaults;
    }

    /// All ancestors, each after its own parents and these from last to first; then the entity itself.
    fn order_of_defaults(&self, id: EntityId) -> Vec<EntityId> {
        let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
        let mut stack = vec![(id, false)];
        while let Some((id, parents_are_there)) = stack.pop() {
            if parents_are_there {
                order.push(id);
            } else if seen.insert(id) {
                stack.push((id, true));
                stack.extend(self.program.entities[id].parents.iter().map(|parent| (*parent, false)));
            }
        }
        order
    }

    fn constant(&self, expr: ExprId, attr: AttrId) -> Defined<Value> {
        let node = &self.program.tree.exprs[expr];
        if let Some(value) = &node.constant {
            return Ok(value.clone());
        }
        let attr = &self.program.attrs[attr];
        let fail = |part: ExprId| {
            let message = format!("{} is not a constant", expr_text(&self.program.tree, part, Style::Alone));
            Fault::new(Class::Runtime, message).within(Within::Text(attr.text.clone())).at(Location::Column(attr.span))
        };
        let constants = |parts: &[ExprId]| -> Defined<Vec<Value>> {
            parts
                .iter()
                .map(|part| self.program.tree.exprs[*part].constant.clone().ok_or_else(|| fail(*part)))
                .collect()
        };
        match &node.kind {
            ExprKind::List(items) => constants(items).map(Value::list),
            ExprKind::Dict(entries) => {
                let parts: Vec<ExprId> = entries.iter().map(|(_, value)| *value).collect();
                constants(&parts)?;
                Err(fail(expr))
            }
            _ => Err(fail(expr)),
        }
    }
}
