//! The relation precedence policy: which relations' ends are closed first. Spec, 10.7.

use super::{Done, Evaluator};
use crate::fault::{Class, Fault};
use crate::program::{AttrId, Def};

impl Evaluator<'_> {
    /// Reads the precedence policy.
    pub(super) fn order_relations(&mut self) -> Done {
        let mut edges: Vec<(AttrId, AttrId)> = Vec::new();
        for (first, second) in self.around.precedence {
            edges.push((self.ruled_relation(first)?, self.ruled_relation(second)?));
        }
        let mut nodes: Vec<AttrId> = Vec::new();
        for (first, second) in &edges {
            for attr in [first, second] {
                if !nodes.contains(attr) {
                    nodes.push(*attr);
                }
            }
        }
        let mut rank = 0;
        while !nodes.is_empty() {
            let free = nodes.iter().position(|node| !edges.iter().any(|(from, to)| to == node && nodes.contains(from)));
            let Some(free) = free else {
                return Err(Fault::new(Class::PrecedenceCycle, "A cycle exists in the relation precedence policy"));
            };
            let node = nodes.remove(free);
            let is_before = edges.iter().any(|(from, _)| *from == node);
            self.closing.set_rank(node, rank, is_before);
            rank += 1;
        }
        Ok(())
    }

    fn ruled_relation(&self, rule: &str) -> Done<AttrId> {
        let (entity, relation) = rule.rsplit_once('.').unwrap_or((rule, ""));
        let (namespace, name) = entity.rsplit_once("::").unwrap_or(("", entity));
        let fail = |what: String| {
            let message = format!("A relation precedence rule was defined for {what}");
            Err(Fault::new(Class::PrecedenceRule, message))
        };
        let def = self.program.by_name.get(namespace).and_then(|ns| self.program.namespaces[*ns].types.get(name));
        let id = match def {
            None => return fail(format!("{entity}, but no such type was defined")),
            Some(Def::Entity(id)) => *id,
            Some(_) => {
                return Err(Fault::new(
                    Class::PrecedenceRule,
                    format!("A relation precedence rule was defined for non-entity type {entity}"),
                ));
            }
        };
        match self.program.entities[id].own.get(relation) {
            None => fail(format!("{entity}.{relation}, but entity {entity} doesn't have an attribute {relation}.")),
            Some(attr) if self.program.end(*attr).is_none() => {
                fail(format!("{entity}.{relation}, but attribute {relation} is not a relationship attribute."))
            }
            Some(attr) => Ok(*attr),
        }
    }
}
