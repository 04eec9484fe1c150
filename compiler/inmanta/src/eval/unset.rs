//! Values that are missing in any case, whatever other errors hide: no statement of the model could set them. Spec,
//! 10.6.

use super::Evaluator;
use crate::ast::{Arg, ExprId, ExprKind, StmtKind};
use crate::fault::Failure;
use crate::program::{AttrId, End, EntityId, Meaning, Program, Shape};
use rustc_hash::FxHashSet;

/// The maximum number of these errors.
const MOST_MISSING: usize = 50;

/// The names with which a model sets attributes, also in statements that fail or never run.
#[derive(Default)]
struct Setters<'a> {
    /// Names in assignments, `p.a = e`.
    assigned: FxHashSet<&'a str>,
    /// Names of arguments of constructors.
    given: FxHashSet<&'a str>,
    /// The same with the entity, if it is known.
    given_to: FxHashSet<(Option<EntityId>, &'a str)>,
    /// The entities of constructors that unpack a dict, whose keys are not known.
    unpacked: FxHashSet<Option<EntityId>>,
}

impl<'a> Setters<'a> {
    fn of(program: &'a Program) -> Setters<'a> {
        let mut all = Setters::default();
        for stmt in program.tree.stmts.values() {
            if let StmtKind::Set { name, .. } = &stmt.kind {
                all.assigned.insert(name);
            }
        }
        for (id, expr) in program.tree.exprs.iter() {
            let ExprKind::Construct { args, .. } = &expr.kind else { continue };
            let entity = match &program.names.exprs[id] {
                Meaning::Class(entity) => Some(*entity),
                Meaning::None | Meaning::Var(_) | Meaning::Callee(_) => None,
            };
            for arg in args {
                match arg {
                    Arg::Named { name, .. } => {
                        let name: &str = name;
                        all.given.insert(name);
                        all.given_to.insert((entity, name));
                    }
                    Arg::Unpacked { .. } | Arg::Positional(_) => {
                        all.unpacked.insert(entity);
                    }
                }
            }
        }
        all
    }

    /// Whether an assignment names an attribute that no entity has: it may be meant for any other.
    fn has_misnamed(&self, program: &Program) -> bool {
        let known: FxHashSet<&str> = program.attrs.values().map(|attr| &*attr.name).collect();
        self.assigned.iter().any(|name| !known.contains(name))
    }

    /// Whether a statement could set an attribute of an instance of this entity that these constructors yielded.
    fn could_set(&self, program: &Program, entity: EntityId, attr: AttrId, constructs: &[ExprId]) -> bool {
        let own = &*program.attrs[attr].name;
        if self.assigned.contains(own) || constructs.iter().any(|construct| gives(program, *construct, own)) {
            return true;
        }
        let inverse = program.end(attr).and_then(|end| end.inverse).map(|inverse| &*program.attrs[inverse].name);
        if let Some(inverse) = inverse {
            let is_named = self.assigned.contains(inverse) || self.given.contains(inverse);
            if is_named || !self.unpacked.is_empty() {
                return true;
            }
        }
        // Another constructor could find the instance in an index.
        let is_given_to =
            |entity: Option<EntityId>| self.given_to.contains(&(entity, own)) || self.unpacked.contains(&entity);
        !program.entities[entity].indexes.is_empty() && (is_given_to(Some(entity)) || is_given_to(None))
    }
}

/// Whether a constructor has an argument of this name, or may have it.
fn gives(program: &Program, construct: ExprId, attr: &str) -> bool {
    let ExprKind::Construct { args, .. } = &program.tree.exprs[construct].kind else { return true };
    args.iter().any(|arg| match arg {
        Arg::Named { name, .. } => &**name == attr,
        Arg::Unpacked { .. } | Arg::Positional(_) => true,
    })
}

impl Evaluator<'_> {
    /// After an error: what instances lack in any case, reported once for each constructor.
    pub(super) fn missing_anyway(&self) -> Vec<Failure> {
        let program = self.program;
        let setters = Setters::of(program);
        let (mut found, mut told) = (Vec::new(), FxHashSet::default());
        if setters.has_misnamed(program) {
            return found;
        }
        for (id, instance) in self.store.instances.iter() {
            let entity = &program.entities[instance.entity];
            if found.len() >= MOST_MISSING || instance.constructs.first().is_none_or(|first| !told.insert(*first)) {
                continue;
            }
            if entity.implements.is_empty() {
                found.push(self.not_selected(id));
            }
            for (slot, attr) in entity.slots.values().enumerate() {
                let end = program.end(*attr);
                let is_optional = end.is_some_and(|end| end.low <= 0);
                let has_default = entity.defaults.get(slot).is_some_and(Option::is_some);
                if is_optional
                    || has_default
                    || self.store.is_ready(self.store.slot_var(id, slot))
                    || setters.could_set(program, instance.entity, *attr, &instance.constructs)
                {
                    continue;
                }
                found.push(match end.map_or(Shape::One, End::shape) {
                    Shape::List => self.lacks_members(id, *attr, 0),
                    Shape::One | Shape::Optional => self.lacks_value(id, *attr),
                });
            }
        }
        found.truncate(MOST_MISSING);
        found
    }
}
