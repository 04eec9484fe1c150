//! Implementations and `implement` statements. Spec, 6.5.

use super::{Defined, Definer, TypeLookup, find_type};
use crate::ast::{Definition, ImplementDef, ImplementationDef, Item, Style, expr_text};
use crate::fault::{Class, Fault, Place, Within};
use crate::program::{Def, EntityId, Implement, Implementation, ImplementationId, NsId};
use mclive_base::ident::Name;

impl Definer {
    pub(super) fn new_implementation(
        &mut self,
        ns: NsId,
        def: &ImplementationDef,
        full_name: Name,
    ) -> ImplementationId {
        self.program.implementations.push(Implementation {
            ns,
            name: def.name.clone(),
            full_name,
            name_span: def.name_span,
            entity: EntityId(0),
            body: def.body.clone(),
            n_vars: 0,
            doc: def.doc,
        })
    }

    /// Resolves the entities of implementations.
    pub(super) fn implementations(&mut self) -> Defined<()> {
        for (ns, tree) in &self.files {
            for item in &tree.items {
                let Item::Define(Definition::Implementation(def)) = item else { continue };
                let Some(Def::Implementation(id)) = self.program.namespaces[*ns].types.get(&def.name).copied() else {
                    continue;
                };
                let within = || Within::Text(format!("Implementation({})", def.name));
                let entity = self.entity_of(*ns, &def.entity).map_err(|fault| fault.within(within()))?;
                self.program.implementations[id].entity = entity;
            }
        }
        Ok(())
    }

    pub(super) fn implements(&mut self) -> Defined<()> {
        for nr in 0..self.files.len() {
            let ns = self.files[nr].0;
            let items = std::mem::take(&mut self.files[nr].1.items);
            let result = items.iter().try_for_each(|item| match item {
                Item::Define(Definition::Implement(def)) => self.implement(ns, def),
                _ => Ok(()),
            });
            self.files[nr].1.items = items;
            result?;
        }
        Ok(())
    }

    fn implement(&mut self, ns: NsId, def: &ImplementDef) -> Defined<()> {
        let within = || Within::Text(format!("Implement({})", def.entity.text()));
        let entity = self.entity_of(ns, &def.entity).map_err(|fault| fault.within(within()))?;
        let mut implementations = Vec::new();
        for path in &def.implementations {
            let found = find_type(&self.program, ns, path).map_err(|fault| fault.within(within()))?;
            let TypeLookup::Def(Def::Implementation(id)) = found else {
                let message = format!("AssertionError: {} is not an implementation", path.text());
                return Err(Fault::new(Class::Internal, message).at(Place::Column(path.span)));
            };
            let implementation = &self.program.implementations[id];
            if !self.program.is_a(entity, implementation.entity) {
                let message = format!(
                    "Type mismatch: cannot use {} as implementation for  {} because its implementing type is {}",
                    implementation.name,
                    self.program.entities[entity].full_name,
                    self.program.entities[implementation.entity].full_name
                );
                return Err(Fault::new(Class::Typing, message).within(within()).at(Place::Line(def.entity.span)));
            }
            implementations.push(id);
        }
        let names: Vec<&str> = implementations.iter().map(|id| &*self.program.implementations[*id].name).collect();
        let mut text = format!("implement {} using {}", self.program.entities[entity].full_name, names.join(","));
        if let Some(condition) = def.condition {
            text += &format!(" when {}", expr_text(&self.program.tree, condition, Style::Inside));
        }
        let id = self.program.implements.push(Implement {
            ns,
            entity,
            entity_span: def.entity.span,
            implementations,
            with_parents: def.parents.is_some(),
            condition: def.condition,
            text,
        });
        self.program.entities[entity].implements.push(id);
        Ok(())
    }
}
