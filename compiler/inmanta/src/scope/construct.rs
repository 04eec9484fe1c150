//! Constructors: type inference, and checks of index attributes. Spec, 6.6 and 8.8.

use super::{Resolved, Resolver};
use crate::ast::{Arg, ExprId, Path};
use crate::fault::{Class, Failure, Fault, Location, Missing, Within};
use crate::program::{AttrId, AttrKind, EntityId, Meaning};
use mclive_base::ident::Name;

/// The context of a constructor.
#[derive(Clone, Default)]
pub(super) struct Hint {
    /// The end or attribute of an outer constructor whose value it is.
    attr: Option<AttrId>,
    /// Whether the outer instance may fill a missing index attribute.
    inverse: Inverse,
}

/// What may fill a missing index attribute.
#[derive(Clone, Copy, Default, PartialEq)]
enum Inverse {
    #[default]
    Nothing,
    /// The inverse of this end.
    Of(AttrId),
    /// The inverse of an end that is known when the assignment runs.
    Later,
}

impl Hint {
    pub(super) fn none() -> Hint {
        Hint::default()
    }

    /// The value of `p.a = ...`.
    pub(super) fn assignment() -> Hint {
        Hint { attr: None, inverse: Inverse::Later }
    }
}

impl Resolver<'_> {
    pub(super) fn construct(&mut self, id: ExprId, class: &Path, args: &[Arg], hint: Hint) -> Resolved<()> {
        let entity = self.class_of(id, class, &hint)?;
        self.program.names.exprs[id] = Meaning::Class(entity);
        let mut given: Vec<&Name> = Vec::new();
        let mut unpacks = false;
        for arg in args {
            let inner = match arg {
                Arg::Named { name, span, .. } => {
                    let Some((_, attr)) = self.program.slot(entity, name) else {
                        let full = &self.program.entities[entity].full_name;
                        return Err(Fault::new(Class::Typing, format!("no attribute {name} on type {full}"))
                            .missing(Missing::Attribute(entity, (**name).into()))
                            .within(Within::Text(name.to_string()))
                            .at(Location::Column(*span)));
                    };
                    given.push(name);
                    let is_key = self.index_names(entity).any(|key| key == name);
                    Hint { attr: Some(attr), inverse: if is_key { Inverse::Nothing } else { Inverse::Of(attr) } }
                }
                Arg::Unpacked { .. } => {
                    unpacks = true;
                    Hint::none()
                }
                Arg::Positional(_) => Hint::none(),
            };
            self.expr(arg.value(), inner)?;
        }
        if !unpacks {
            self.keys_are_there(id, entity, &given, hint.inverse)?;
        }
        Ok(())
    }

    fn index_names(&self, entity: EntityId) -> impl Iterator<Item = &Name> {
        self.program.entities[entity].indexes.iter().flat_map(|index| self.index_attrs(*index))
    }

    fn class_of(&self, id: ExprId, class: &Path, hint: &Hint) -> Resolved<EntityId> {
        let wrong = |found: &str, wanted: &str| {
            Err(Fault::new(
                Class::Typing,
                format!("Can not assign a value of type {found} to a variable of type {wanted}"),
            )
            .within(Within::Expr(id))
            .at(Location::Line(self.tree.exprs[id].at)))
        };
        let Some(attr) = hint.attr else { return self.entity(class) };
        let target = match &self.program.attrs[attr].kind {
            AttrKind::Plain(ty) => return wrong(&class.text(), &self.program.type_name(ty)),
            AttrKind::End(end) => end.target,
        };
        match self.entity(class) {
            Ok(found) if self.program.is_a(found, target) => Ok(found),
            Ok(found) => wrong(&self.program.entities[found].full_name, &self.program.entities[target].full_name),
            Err(fault) if class.namespace.is_some() || fault.class == Class::Typing => Err(fault),
            Err(fault) => self.by_short_name(class, target).map_err(|ambiguous| ambiguous.unwrap_or(fault)),
        }
    }

    /// The only descendant of the wanted entity with this short name.
    fn by_short_name(&self, class: &Path, target: EntityId) -> Result<EntityId, Option<Failure>> {
        let mut found: Vec<EntityId> = Vec::new();
        let mut queue = vec![target];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(next) = queue.pop() {
            if !seen.insert(next) {
                continue;
            }
            let entity = &self.program.entities[next];
            if entity.name == class.name {
                found.push(next);
            }
            queue.extend(&entity.children);
        }
        match found[..] {
            [] => Err(None),
            [only] => Ok(only),
            _ => {
                let mut names: Vec<&str> = found.iter().map(|id| &*self.program.entities[*id].full_name).collect();
                names.sort_unstable();
                let message = format!(
                    "Could not determine namespace for type {}. {} possible candidates exists: [{}]. To resolve this, use the fully qualified name instead of the short name.",
                    class.name,
                    names.len(),
                    names.join(", ")
                );
                let help = format!("write the name with its namespace, such as `{}`", names.first().unwrap_or(&""));
                Err(Some(Fault::new(Class::AmbiguousType, message).at(Location::Column(class.span)).help(help)))
            }
        }
    }

    fn keys_are_there(&self, id: ExprId, entity: EntityId, given: &[&Name], inverse: Inverse) -> Resolved<()> {
        let missing = self.missing_keys(entity, |name| given.contains(&name));
        let fills = |attr: AttrId| match (&missing[..], self.program.end(attr)) {
            ([only], Some(end)) => {
                end.inverse.is_some() && self.program.slot(entity, only).map(|(_, attr)| attr) == end.inverse
            }
            _ => false,
        };
        let is_fine = match inverse {
            _ if missing.is_empty() => true,
            Inverse::Nothing => false,
            Inverse::Of(attr) => fills(attr),
            Inverse::Later => missing.len() == 1,
        };
        if is_fine { Ok(()) } else { Err(missing_keys_fault(self.program, self.tree, id, entity, &missing)) }
    }

    /// The index attributes of an entity without a value or default.
    fn missing_keys(&self, entity: EntityId, given: impl Fn(&Name) -> bool) -> Vec<Name> {
        crate::scope::missing_keys(self.program, entity, given)
    }
}

/// The index attributes of an entity without a value or default.
pub(crate) fn missing_keys(
    program: &crate::program::Program,
    entity: EntityId,
    given: impl Fn(&Name) -> bool,
) -> Vec<Name> {
    let definition = &program.entities[entity];
    let mut missing: Vec<Name> = Vec::new();
    for index in &definition.indexes {
        for name in &program.indexes[*index].attrs {
            let has_default = definition
                .slots
                .get_index_of(name)
                .is_some_and(|slot| definition.defaults.get(slot).is_some_and(Option::is_some));
            if !given(name) && !has_default && !missing.contains(name) {
                missing.push(name.clone());
            }
        }
    }
    missing
}

/// The error of a constructor that lacks index attributes.
pub(crate) fn missing_keys_fault(
    program: &crate::program::Program,
    tree: &crate::ast::Tree,
    id: ExprId,
    entity: EntityId,
    missing: &[Name],
) -> Failure {
    let mut message = String::from("Invalid Constructor call:");
    for name in missing {
        let is_relation = program.slot(entity, name).is_some_and(|(_, attr)| program.end(attr).is_some());
        let what = if is_relation { "relation" } else { "attribute" };
        let full = &program.entities[entity].full_name;
        message += &format!("\n\t* Missing {what} '{name}'. The {what} {full}.{name} is part of an index.");
    }
    Fault::new(Class::MissingIndexAttribute, message).within(Within::Expr(id)).at(Location::Line(tree.exprs[id].at))
}
