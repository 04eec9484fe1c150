//! Relations. Spec, 6.3.

use super::{Defined, Definer};
use crate::ast::{Definition, Item, Multi, RelationDef, RelationEnd};
use crate::program::{Attr, AttrId, AttrKind, End, EntityId, NsId};

impl Definer {
    pub(super) fn relations(&mut self) -> Defined<()> {
        for nr in 0..self.files.len() {
            let ns = self.files[nr].0;
            let items = std::mem::take(&mut self.files[nr].1.items);
            let result = items.iter().try_for_each(|item| match item {
                Item::Define(Definition::Relation(def)) => self.relation(ns, def),
                _ => Ok(()),
            });
            self.files[nr].1.items = items;
            result?;
        }
        Ok(())
    }

    fn relation(&mut self, ns: NsId, def: &RelationDef) -> Defined<()> {
        let left = self.entity_of(ns, &def.left)?;
        let right = self.entity_of(ns, &def.right)?;
        if Some(left) == self.program.root_entity
            && self.program.namespaces[ns].is_builtin
            && &*def.left_end.name == "requires"
        {
            // This one is built in; `std` only documents it.
            return Ok(());
        }
        let Some(right_end) = &def.right_end else {
            return self.end(left, right, &def.left_end, def.left_end.multi, None).map(|_| ());
        };
        if left == right && def.left_end.name == right_end.name {
            // Its own inverse: the right side applies.
            let own = self.program.attrs.next_id();
            return self.end(left, right, &def.left_end, right_end.multi, Some(own)).map(|_| ());
        }
        let first = self.program.attrs.next_id();
        let second = AttrId(first.0 + 1);
        self.end(left, right, &def.left_end, def.left_end.multi, Some(second))?;
        self.end(right, left, right_end, right_end.multi, Some(first))?;
        Ok(())
    }

    fn end(
        &mut self,
        owner: EntityId,
        target: EntityId,
        end: &RelationEnd,
        multi: Multi,
        inverse: Option<AttrId>,
    ) -> Defined<AttrId> {
        let text = format!("{} {}", self.program.entities[target].full_name, end.name);
        let kind = AttrKind::End(End { target, low: multi.low, high: multi.high, inverse, precedence: None });
        let attr = Attr { name: end.name.clone(), entity: owner, span: end.name_span, kind, text };
        let id = self.program.attrs.push(attr);
        self.own_attribute(owner, id)?;
        Ok(id)
    }
}
