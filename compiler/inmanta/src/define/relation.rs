//! Relations. Spec, 6.3.

use super::{Defined, Definer};
use crate::ast::{Definition, Multi, RelationDef, RelationEnd};
use crate::program::{Attr, AttrId, AttrKind, End, EntityId, NsId};

impl Definer {
    pub(super) fn relations(&mut self) {
        self.each_definition(|definer, ns, definition| match definition {
            Definition::Relation(def) => definer.relation(ns, def),
            _ => Ok(()),
        });
    }

    fn relation(&mut self, ns: NsId, def: &RelationDef) -> Defined<()> {
        let (left, right) = (self.entity_of(ns, &def.left), self.entity_of(ns, &def.right));
        let (Some(left), Some(right)) = (self.kept(left), self.kept(right)) else {
            let ends = std::iter::once(&def.left_end).chain(&def.right_end);
            self.broken.ends.extend(ends.map(|end| end.name.clone()));
            return Ok(());
        };
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
        let result = self.end(left, right, &def.left_end, def.left_end.multi, Some(second));
        if result.is_err() {
            self.broken.ends.insert(right_end.name.clone());
        }
        result?;
        self.end(right, left, right_end, right_end.multi, Some(first)).map(|_| ())
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
