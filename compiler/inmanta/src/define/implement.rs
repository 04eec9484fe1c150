//! Implementations and `implement` statements. Spec, 6.5.

use super::{Defined, Definer, TypeLookup, find_type};
use crate::ast::{Definition, ImplementDef, ImplementationDef, Style, expr_text};
use crate::fault::{Class, Fault, Location, Sought, Within};
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
    pub(super) fn implementations(&mut self) {
        self.each_definition(|definer, ns, definition| match definition {
            Definition::Implementation(def) => definer.implementation(ns, def),
            _ => Ok(()),
        });
    }

    fn implementation(&mut self, ns: NsId, def: &ImplementationDef) -> Defined<()> {
        let within = || Within::Text(format!("Implementation({})", def.name));
        let found = self.program.namespaces[ns].types.get(&def.name).copied();
        // The second implementation of a name is an error by itself.
        let Some(Def::Implementation(id)) = found else { return Ok(()) };
        if self.program.implementations[id].name_span != def.name_span {
            return Ok(());
        }
        self.program.implementations[id].entity =
            self.entity_of(ns, &def.entity).map_err(|fault| fault.within(within()))?;
        Ok(())
    }

    pub(super) fn implements(&mut self) {
        self.each_definition(|definer, ns, definition| match definition {
            Definition::Implement(def) => definer.implement(ns, def),
            _ => Ok(()),
        });
    }

    fn implement(&mut self, ns: NsId, def: &ImplementDef) -> Defined<()> {
        let within = || Within::Text(format!("Implement({})", def.entity.text()));
        let entity = self.entity_of(ns, &def.entity).map_err(|fault| fault.within(within()))?;
        let mut implementations = Vec::new();
        for path in &def.implementations {
            let found = find_type(&self.program, ns, path, Sought::Implementation);
            let Some(found) = self.kept(found.map_err(|fault| fault.within(within()))) else { continue };
            let TypeLookup::Def(Def::Implementation(id)) = found else {
                let message = format!("AssertionError: {} is not an implementation", path.text());
                self.keep(Fault::new(Class::Internal, message).at(Location::Column(path.span)));
                continue;
            };
            let implementation = &self.program.implementations[id];
            if !self.program.is_a(entity, implementation.entity) && !self.broken.inherits(&self.program, entity) {
                let message = format!(
                    "Type mismatch: cannot use {} as implementation for  {} because its implementing type is {}",
                    implementation.name,
                    self.program.entities[entity].full_name,
                    self.program.entities[implementation.entity].full_name
                );
                let n_before = self.faults.len();
                self.keep(Fault::new(Class::Typing, message).within(within()).at(Location::Line(def.entity.span)));
                self.broken.n_unfit += self.faults.len() - n_before;
                continue;
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
