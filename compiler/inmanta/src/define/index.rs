//! Indexes. Spec, 6.4.

use super::{Defined, Definer};
use crate::ast::{Definition, IndexDef};
use crate::fault::{Class, Fault, Location, Missing, Within};
use crate::program::{AttrId, AttrKind, EntityId, Index, IndexId, NsId};
use mclive_base::ident::Name;
use rustc_hash::FxHashMap;

impl Definer {
    pub(super) fn indexes(&mut self) {
        self.each_definition(|definer, ns, definition| match definition {
            Definition::Index(def) => definer.index(ns, def),
            _ => Ok(()),
        });
        // An entity has its own indexes and those of its ancestors.
        let mut own: FxHashMap<EntityId, Vec<IndexId>> = FxHashMap::default();
        for (id, index) in self.program.indexes.iter() {
            own.entry(index.entity).or_default().push(id);
        }
        for entity in self.program.entities.values_mut() {
            entity.indexes =
                entity.lineage.iter().filter_map(|ancestor| own.get(ancestor)).flatten().copied().collect();
            entity.indexes.sort_unstable();
        }
    }

    fn index(&mut self, ns: NsId, def: &IndexDef) -> Defined<()> {
        let entity = self.entity_of(ns, &def.entity)?;
        let written: Vec<&str> = def.attributes.iter().map(|(name, _)| &**name).collect();
        let fail = |class: Class, message: String| {
            let within = Within::Text(format!("index {}({})", def.entity.text(), written.join(", ")));
            Err(Fault::new(class, message).within(within).at(Location::Line(def.at)))
        };
        let full = self.program.entities[entity].full_name.clone();
        for (name, _) in &def.attributes {
            let Some(attr) = self.inherited(entity, name) else {
                if self.broken.may_have(&self.program, entity, name) {
                    return Ok(());
                }
                let message = format!("Attribute '{name}' referenced in index is not defined in entity {full}");
                let missing = Missing::Attribute(entity, name.clone());
                return fail(Class::NotFound, message).map_err(|fault| fault.missing(missing));
            };
            match &self.program.attrs[attr].kind {
                AttrKind::End(end) if end.low == 0 => {
                    let message =
                        format!("Index can not contain optional relations, Relation ' {name}.{full}' is optional");
                    return fail(Class::Index, message);
                }
                AttrKind::End(end) if (end.low, end.high) != (1, Some(1)) => {
                    return fail(
                        Class::Index,
                        format!("Index can not contain list attributes, Attribute ' {name}.{full}' is a list"),
                    );
                }
                AttrKind::Plain(ty) if ty.is_list => {
                    return fail(
                        Class::Index,
                        format!("Index can not contain list attributes, Attribute ' {name}.{full}' is a list"),
                    );
                }
                AttrKind::Plain(_) | AttrKind::End(_) => {}
            }
        }
        let mut attrs: Vec<Name> = def.attributes.iter().map(|(name, _)| name.clone()).collect();
        attrs.sort();
        if self.known_indexes.insert((entity, attrs.clone())) {
            self.program.indexes.push(Index { entity, attrs, span: def.span });
        }
        Ok(())
    }

    /// An attribute of an entity or of its ancestors.
    fn inherited(&self, entity: EntityId, name: &Name) -> Option<AttrId> {
        let lineage = &self.program.entities[entity].lineage;
        lineage.iter().find_map(|ancestor| self.program.entities[*ancestor].own.get(name).copied())
    }
}
