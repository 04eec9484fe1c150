//! The order of resources: requirements, without cycles. Spec, 17.2.

use super::Export;
use crate::fault::{Class, Failure, Fault};
use crate::model::View;
use crate::value::{InstId, Value};
use std::collections::BTreeMap;

/// Adds the edges between resources, and lists the resources whose requirements have no effect, because none of the
/// required instances is a resource. `may_be_one`: whether an instance like this can become a resource, or is reported
/// if it does not.
pub(super) fn requirements(view: View<'_>, out: &mut Export, may_be_one: &dyn Fn(InstId) -> bool) {
    let by_instance: BTreeMap<_, _> =
        out.resources.iter().enumerate().map(|(nr, resource)| (resource.instance, nr)).collect();
    for (nr, resource) in out.resources.iter().enumerate() {
        let Some(Value::List(required)) = view.attribute(resource.instance, "requires") else { continue };
        let mut has_effect = required.items.is_empty();
        for value in &required.items {
            let Value::Instance(instance) = value else {
                has_effect = true;
                continue;
            };
            match by_instance.get(instance) {
                Some(other) => {
                    out.requires.push((nr, *other));
                    has_effect = true;
                }
                None => has_effect |= may_be_one(*instance),
            }
        }
        if !has_effect {
            out.without_order.push(nr);
        }
    }
}

/// The maximum number of members of a cycle in a message.
const MAX_SHOWN: usize = 8;

/// Errors: a cycle of requirements, with its members.
pub(super) fn no_cycle(view: View<'_>, out: &Export) -> Result<(), Failure> {
    let cycle = cycle(out.resources.len(), &out.requires);
    if cycle.is_empty() {
        return Ok(());
    }
    let mut ids: Vec<String> = cycle.iter().map(|nr| out.resources[*nr].id()).collect();
    ids.sort();
    let fault = Fault::new(Class::DependencyCycle, format!("Cycle in dependencies: [{}]", ids.join(", ")));
    Err(cycle.iter().take(MAX_SHOWN).fold(fault, |fault, nr| {
        let resource = &out.resources[*nr];
        let required = if cycle.len() == 1 { "itself" } else { "one of the others" };
        fault.also(view.place(resource.instance), format!("`{}` requires {required}", resource.id()))
    }))
}

/// The members of a cycle among `n` resources, each of which requires the next one; empty if there is none. The
/// requirements are sorted, without duplicates.
pub(crate) fn cycle(n: usize, requires: &[(usize, usize)]) -> Vec<usize> {
    let mut waits = vec![0usize; n];
    let mut required_by: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (from, to) in requires {
        waits[*from] += 1;
        required_by[*to].push(*from);
    }
    let mut free: Vec<usize> = (0..n).filter(|nr| waits[*nr] == 0).collect();
    let mut n_done = 0;
    while let Some(nr) = free.pop() {
        n_done += 1;
        for other in &required_by[nr] {
            waits[*other] -= 1;
            if waits[*other] == 0 {
                free.push(*other);
            }
        }
    }
    if n_done == n { Vec::new() } else { find_cycle(requires, &waits) }
}

/// Follows requirements among the remaining resources until one repeats.
fn find_cycle(requires: &[(usize, usize)], waits: &[usize]) -> Vec<usize> {
    let Some(start) = waits.iter().position(|waits| *waits > 0) else { return Vec::new() };
    let next = |nr: usize| {
        let first = requires.partition_point(|(from, _)| *from < nr);
        requires[first..].iter().take_while(|(from, _)| *from == nr).map(|(_, to)| *to).find(|to| waits[*to] > 0)
    };
    let mut path = vec![start];
    let mut place: BTreeMap<usize, usize> = BTreeMap::from([(start, 0)]);
    let mut at = start;
    while let Some(to) = next(at) {
        if let Some(from) = place.get(&to) {
            return path.split_off(*from);
        }
        place.insert(to, path.len());
        path.push(to);
        at = to;
    }
    path
}
