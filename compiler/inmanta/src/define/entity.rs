//! Entities: attributes and inheritance. Spec, 6.2.

use super::{Defined, Definer, TypeLookup, find_type};
use crate::ast::{AttributeDef, Default, Definition, EntityDef, ExprKind, Item, Style, expr_text};
use crate::fault::{Class, Failure, Fault, Location, Sought, Within};
use crate::program::{Attr, AttrId, AttrKind, Base, Def, End, Entity, EntityId, NsId, Ordered, Type};
use mclive_base::ident::Name;
use mclive_base::span::Span;

/// The progress of the walk over an entity's parents.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    New,
    Open,
    Done,
}

/// The maximum number of ancestors of an entity: each knows all of its own.
const MAX_ANCESTORS: usize = 1_000;

impl Definer {
    /// `std::Entity` with its relation, which are built in.
    pub(super) fn root_entity(&mut self) {
        let Some(ns) = self.program.by_name.get("std").copied() else { return };
        let def = self.files.iter().find(|(id, _)| *id == ns).and_then(|(_, tree)| {
            tree.items.iter().find_map(|item| match item {
                Item::Define(Definition::Entity(def)) if &*def.name == "Entity" => Some((def.name_span, def.at)),
                _ => None,
            })
        });
        let here = Span::new(self.program.namespaces[ns].file, 0, 0);
        let (name_span, at) = def.unwrap_or((here, here));
        let id = self.program.entities.push(entity(ns, "Entity".into(), "std::Entity".into(), name_span, at));
        self.program.namespaces[ns].types.insert("Entity".into(), Def::Entity(id));
        self.program.root_entity = Some(id);
        let requires = self.program.attrs.next_id();
        let provides = AttrId(requires.0 + 1);
        for (name, inverse) in [("requires", provides), ("provides", requires)] {
            let end = End { target: id, low: 0, high: None, inverse: Some(inverse), precedence: None };
            let kind = AttrKind::End(end);
            let text = format!("std::Entity {name}");
            let attr = self.program.attrs.push(Attr { name: name.into(), entity: id, span: name_span, kind, text });
            self.program.entities[id].own.insert(name.into(), attr);
        }
        self.program.entities[id].lineage = vec![id];
    }

    pub(super) fn new_entity(&mut self, ns: NsId, def: &EntityDef, full_name: Name) -> EntityId {
        let mut new = entity(ns, def.name.clone(), full_name, def.name_span, def.at);
        new.doc = def.doc;
        self.program.entities.push(new)
    }

    pub(super) fn entity_of(&self, ns: NsId, path: &crate::ast::Path) -> Defined<EntityId> {
        match find_type(&self.program, ns, path, Sought::Entity)? {
            TypeLookup::Def(Def::Entity(id)) => Ok(id),
            TypeLookup::Def(_) | TypeLookup::Primitive(_) => {
                let message = format!("{} is not an entity", path.text());
                Err(Fault::new(Class::Typing, message).at(Location::Column(path.span)))
            }
        }
    }

    /// Parents and attributes, parents first.
    pub(super) fn entities(&mut self) {
        let mut order = Vec::new();
        for nr in 0..self.files.len() {
            let ns = self.files[nr].0;
            for item in 0..self.files[nr].1.items.len() {
                let Item::Define(Definition::Entity(def)) = &self.files[nr].1.items[item] else { continue };
                let Some(Def::Entity(id)) = self.program.namespaces[ns].types.get(&def.name).copied() else { continue };
                // The second entity of a name is an error by itself.
                if Some(id) == self.program.root_entity || self.program.entities[id].name_span != def.name_span {
                    continue;
                }
                let (parents, faults) = self.parents(ns, def);
                if !faults.is_empty() {
                    self.broken.entities.insert(id);
                }
                faults.into_iter().for_each(|fault| self.keep(fault));
                self.program.entities[id].parents = parents;
                order.push((id, nr, item));
            }
        }
        let mut walk = vec![Walk::New; self.program.entities.len()];
        let mut sorted = Vec::new();
        for (id, _, _) in &order {
            if let Err(fault) = self.parents_first(*id, &mut walk, &mut sorted) {
                self.broken.hierarchy = true;
                return self.keep(fault);
            }
        }
        let place: rustc_hash::FxHashMap<EntityId, (usize, usize)> =
            order.iter().map(|(id, nr, item)| (*id, (*nr, *item))).collect();
        for id in sorted {
            let Some((nr, item)) = place.get(&id) else { continue };
            let ns = self.files[*nr].0;
            let items = std::mem::take(&mut self.files[*nr].1.items);
            let result = match &items[*item] {
                Item::Define(Definition::Entity(def)) => self.attributes(ns, id, def),
                _ => Ok(()),
            };
            self.files[*nr].1.items = items;
            if let Err(fault) = result {
                self.broken.hierarchy = true;
                return self.keep(fault);
            }
        }
    }

    /// The parents that were found, and the errors.
    fn parents(&self, ns: NsId, def: &EntityDef) -> (Vec<EntityId>, Vec<Failure>) {
        let within = || Within::Text(format!("Entity({})", def.name));
        let (mut parents, mut faults) = (Vec::new(), Vec::new());
        for path in &def.parents {
            match self.entity_of(ns, path) {
                Ok(parent) if parents.contains(&parent) => {
                    let twice = Fault::new(Class::Typing, "same parent defined twice");
                    faults.push(twice.within(within()).at(Location::Line(def.at)));
                }
                Ok(parent) => parents.push(parent),
                Err(fault) => faults.push(fault.within(within())),
            }
        }
        if parents.is_empty() {
            parents.extend(self.program.root_entity);
        }
        (parents, faults)
    }

    /// Walks upwards with an explicit stack: inheritance chains may be long.
    fn parents_first(&mut self, start: EntityId, walk: &mut [Walk], sorted: &mut Vec<EntityId>) -> Defined<()> {
        let mut stack = vec![(start, 0)];
        while let Some((id, next)) = stack.pop() {
            if next == 0 && walk[id.0 as usize] != Walk::New {
                continue;
            }
            walk[id.0 as usize] = Walk::Open;
            if let Some(parent) = self.program.entities[id].parents.get(next).copied() {
                stack.push((id, next + 1));
                match walk[parent.0 as usize] {
                    Walk::Open => return Err(self.cycle(parent, &stack)),
                    Walk::New => stack.push((parent, 0)),
                    Walk::Done => {}
                }
            } else {
                walk[id.0 as usize] = Walk::Done;
                sorted.push(id);
            }
        }
        Ok(())
    }

    fn cycle(&self, parent: EntityId, stack: &[(EntityId, usize)]) -> Failure {
        let start = stack.iter().position(|(id, _)| *id == parent).unwrap_or(0);
        let names: Vec<String> =
            stack[start..].iter().rev().map(|(id, _)| self.program.entities[*id].full_name.to_string()).collect();
        let last = stack.last().map_or(parent, |(id, _)| *id);
        let last = &self.program.entities[last];
        Fault::new(Class::Cycle, format!("Entity can not be its own parent {}", names.join(",")))
            .within(Within::Text(format!("Entity({})", last.name)))
            .at(Location::Line(last.at))
    }

    /// The attributes and ancestors of an entity. Errors: it has too many ancestors.
    fn attributes(&mut self, ns: NsId, id: EntityId, def: &EntityDef) -> Defined<()> {
        for attribute in &def.attributes {
            let within = || Within::Text(format!("Entity({})", def.name));
            let ty = self.attribute_type(ns, &attribute.ty).map_err(|fault| fault.within(within()));
            // A type that was not found takes every value, so that nothing follows from it.
            let ty = self.kept(ty).unwrap_or_else(|| Type::plain(Base::Any));
            let text = self.declaration(attribute);
            let attr = Attr {
                name: attribute.name.clone(),
                entity: id,
                span: attribute.name_span,
                kind: AttrKind::Plain(ty),
                text,
            };
            let new = self.program.attrs.push(attr);
            let result = self.own_attribute(id, new);
            self.kept(result);
        }
        // Itself, then its ancestors by distance, without duplicates.
        let mut lineage = vec![id];
        let mut at = 0;
        let mut seen: rustc_hash::FxHashSet<EntityId> = lineage.iter().copied().collect();
        while let Some(next) = lineage.get(at).copied() {
            if lineage.len() > 1 + MAX_ANCESTORS {
                let message = format!("entity {} has more than {MAX_ANCESTORS} ancestors", def.name);
                return Err(Fault::new(Class::Limit, message).at(Location::Line(def.at)));
            }
            for parent in &self.program.entities[next].parents {
                if seen.insert(*parent) {
                    lineage.push(*parent);
                }
            }
            at += 1;
        }
        self.program.entities[id].lineage = lineage;
        for parent in self.program.entities[id].parents.clone() {
            self.program.entities[parent].children.push(id);
        }
        Ok(())
    }

    pub(super) fn own_attribute(&mut self, id: EntityId, attr: AttrId) -> Defined<()> {
        let (name, span) = (self.program.attrs[attr].name.clone(), self.program.attrs[attr].span);
        let entity = &mut self.program.entities[id];
        match entity.own.get(&name).copied() {
            Some(first) => {
                let message = format!("attribute '{name}' already exists on entity '{}'", entity.name);
                Err(doubled(message, self.program.attrs[first].span, span))
            }
            None => {
                entity.own.insert(name, attr);
                Ok(())
            }
        }
    }

    /// `int n = 'x'`.
    fn declaration(&self, def: &AttributeDef) -> String {
        let head = format!("{} {}", def.ty.text(), def.name);
        match def.default {
            Some(Default::Value(value)) => {
                // A list of constants is shown as a list.
                let value = match &self.program.tree.exprs[value].kind {
                    ExprKind::List(_) => "List()".into(),
                    _ => expr_text(&self.program.tree, value, Style::Alone),
                };
                format!("{head} = {value}")
            }
            Some(Default::Removed) | None => head,
        }
    }

    /// Inherits attributes and defaults, after everything else is defined.
    pub(super) fn finish_entities(&mut self) {
        let mut walk = vec![Walk::New; self.program.entities.len()];
        let mut sorted = Vec::new();
        for id in self.program.entities.ids().collect::<Vec<_>>() {
            let result = self.parents_first(id, &mut walk, &mut sorted);
            self.kept(result);
        }
        for id in &sorted {
            self.inherit(*id);
        }
        self.defaults(&sorted);
    }

    fn inherit(&mut self, id: EntityId) {
        let mut slots: Ordered<Name, AttrId> = Ordered::default();
        let mut faults = Vec::new();
        let parents = self.program.entities[id].parents.clone();
        for parent in &parents {
            for (name, attr) in &self.program.entities[*parent].slots {
                if let Some(other) = slots.get(name).copied()
                    && other != *attr
                {
                    faults.extend(self.compatible(*attr, other).err());
                }
                slots.entry(name.clone()).or_insert(*attr);
            }
        }
        for (name, attr) in self.program.entities[id].own.clone() {
            if let Some(other) = slots.get(&name).copied() {
                faults.extend(self.redeclared(id, attr, other).err());
            }
            slots.insert(name, attr);
        }
        self.program.entities[id].slots = slots;
        faults.into_iter().for_each(|fault| self.keep(fault));
    }

    /// Two attributes of the same name must have the same type.
    fn compatible(&self, later: AttrId, earlier: AttrId) -> Defined<()> {
        let (later, earlier) = (&self.program.attrs[later], &self.program.attrs[earlier]);
        let name = &later.name;
        match (&later.kind, &earlier.kind) {
            (AttrKind::Plain(a), AttrKind::Plain(b)) if a != b => {
                let fault = doubled("Incompatible attributes".into(), later.span, earlier.span);
                let (later, earlier) = (self.program.type_name(a), self.program.type_name(b));
                Err(fault.about(&**name).about(later).about(earlier))
            }
            _ => Ok(()),
        }
    }

    fn redeclared(&self, id: EntityId, own: AttrId, inherited: AttrId) -> Defined<()> {
        let (attr, other) = (&self.program.attrs[own], &self.program.attrs[inherited]);
        if matches!(attr.kind, AttrKind::End(_)) && other.entity != id {
            let owner = &self.program.entities[other.entity].name;
            let message =
                format!("Attribute name {} is already defined in {owner}, unable to define relationship", attr.name);
            return Err(doubled(message, attr.span, other.span));
        }
        self.compatible(own, inherited)
    }
}

fn entity(ns: NsId, name: Name, full_name: Name, name_span: Span, at: Span) -> Entity {
    Entity {
        ns,
        name,
        full_name,
        name_span,
        at,
        doc: None,
        parents: Vec::new(),
        lineage: Vec::new(),
        children: Vec::new(),
        own: Ordered::default(),
        slots: Ordered::default(),
        defaults: Vec::new(),
        indexes: Vec::new(),
        implements: Vec::new(),
    }
}

pub(super) fn doubled(message: String, original: Span, duplicate: Span) -> Failure {
    let mut fault = Fault::new(Class::Duplicate, message);
    fault.duplicate = Some((Location::Column(original), Location::Column(duplicate)));
    fault.at(Location::Column(original))
}
