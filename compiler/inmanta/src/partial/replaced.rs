//! [`replaced()`]: the partial exports that later ones have replaced, so that the model is the same without them.

use super::merge::{Exported, Merged};
use super::{Layer, Part, compiled, parts};
use crate::compile::{Compilation, Setup, compile};
use crate::environment::Environment;
use crate::understand::main_file;
use mclive_base::source::ProgramFiles;
use std::collections::BTreeSet;

/// What an export contributes to the decision.
struct Contribution {
    exported: Exported,
    /// Whether a resource has no name: it may be any other one, so its export stays.
    has_unnamed: bool,
}

/// The places in its list of the partial exports without which a model is the same on every host. Empty if that is not
/// certain, because there are errors, or because a model depends on the environment of the host. The search uses what
/// is left of the work budget of the models.
pub fn replaced(world: &dyn ProgramFiles, entry: &str) -> Vec<usize> {
    let main = main_file(entry);
    let Ok(parts) = parts(world, &main) else { return Vec::new() };
    let environment = Environment::asked();
    let first = compile(world, &main, &Setup { environment: environment.clone(), ..Setup::default() });
    let others = compiled(world, &parts, &first, &environment);
    let models: Vec<&Compilation> = std::iter::once(&first).chain(&others).collect();
    let is_certain = |model: &&Compilation| model.faults.is_empty() && model.wanted.is_empty();
    if models.len() != parts.len() + 1 || !models.iter().all(is_certain) {
        return Vec::new();
    }
    let work = models.last().map_or(0, |last| last.left.work);
    let mut contributions = Vec::with_capacity(models.len());
    for model in models {
        let Ok(layer) = Layer::new(model) else { return Vec::new() };
        contributions.push(Contribution { exported: layer.exported(), has_unnamed: !layer.export.unnamed.is_empty() });
    }
    search(&contributions, &parts, work)
}

/// The steps of work for each resource of a model that a part is merged into.
const MERGED: u64 = 4;

/// Finds the parts that are replaced, with this much work: those for which it does not suffice stay, which is always
/// right. The newest one has just been exported, so it stays as well.
fn search(contributions: &[Contribution], parts: &[Part], work: u64) -> Vec<usize> {
    let mut search = Search { contributions, parts, work, found: Vec::new() };
    let Some(all) = search.without(&[]) else { return Vec::new() };
    let named = |nr: usize| contributions[nr + 1].exported.sets.union(&parts[nr].deleted);
    let mut later: BTreeSet<&String> = BTreeSet::new();
    let mut candidates = Vec::new();
    for nr in (0..parts.len()).rev() {
        if nr + 1 < parts.len() && !contributions[nr + 1].has_unnamed && named(nr).all(|set| later.contains(set)) {
            candidates.push(nr);
        }
        later.extend(named(nr));
    }
    candidates.reverse();
    search.drop_all(&candidates, &all);
    search.found
}

struct Search<'a> {
    /// The whole model and its parts.
    contributions: &'a [Contribution],
    parts: &'a [Part],
    /// The steps that are left.
    work: u64,
    found: Vec<usize>,
}

impl Search<'_> {
    /// The model without these parts and those that were found; `None` if it is refused, or takes too much work.
    fn without(&mut self, dropped: &[usize]) -> Option<Merged> {
        let mut merged = Merged::whole(&self.contributions[0].exported);
        for (nr, part) in self.parts.iter().enumerate() {
            if self.found.contains(&nr) || dropped.contains(&nr) {
                continue;
            }
            let exported = &self.contributions[nr + 1].exported;
            let n_resources = merged.ids().count() + exported.members.len();
            self.work = self.work.checked_sub(n_resources as u64 * MERGED)?;
            merged = merged.with(exported, &part.deleted).ok()?;
        }
        Some(merged)
    }

    /// Finds those of the candidates without which the model is the same. Usually it is without all of them, so they are
    /// tried at once, and otherwise in halves.
    fn drop_all(&mut self, candidates: &[usize], all: &Merged) {
        if candidates.is_empty() {
            return;
        }
        if self.without(candidates).is_some_and(|merged| merged.is_same_as(all)) {
            self.found.extend(candidates);
        } else if candidates.len() > 1 {
            let (first, second) = candidates.split_at(candidates.len() / 2);
            self.drop_all(first, all);
            self.drop_all(second, all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::merge::Member;
    use super::*;

    /// An export of resources in a set each, which has the name of the resource, or in none.
    fn export(members: &[(&str, &str)], sets: &[&str]) -> Contribution {
        let member = |(id, state): &(&str, &str)| Member {
            id: (*id).to_owned(),
            set: Some((*id).to_owned()).filter(|id| sets.contains(&id.as_str())),
            state: (*state).to_owned(),
            requires: Vec::new(),
        };
        let sets = sets.iter().map(|set| (*set).to_owned()).collect();
        let exported = Exported { members: members.iter().map(member).collect(), sets };
        Contribution { exported, has_unnamed: false }
    }

    fn parts(n: usize) -> Vec<Part> {
        (0..n).map(|nr| Part { main: format!("/partial/{nr}/main.cf"), deleted: BTreeSet::new() }).collect()
    }

    /// The maximum number of merges that the search for the replaced ones may need, and what it finds.
    fn found(contributions: &[Contribution], n_merges: u64) -> Vec<usize> {
        let n_resources = contributions.iter().map(|one| one.exported.members.len()).max().unwrap_or(0) as u64;
        search(contributions, &parts(contributions.len() - 1), n_merges * 2 * n_resources * MERGED)
    }

    #[test]
    fn all_that_are_replaced_are_found_at_once() {
        let states: Vec<String> = (0..=32).map(|nr| nr.to_string()).collect();
        let contributions: Vec<Contribution> = states.iter().map(|state| export(&[("a", state)], &["a"])).collect();
        assert_eq!(found(&contributions, 33), (0..31).collect::<Vec<_>>());
    }

    #[test]
    fn the_others_are_found_in_halves_as_long_as_there_is_work() {
        let mut contributions: Vec<Contribution> = (0..=32).map(|_| export(&[("a", "1")], &["a"])).collect();
        // What only this part has.
        contributions[11] = export(&[("a", "1"), ("shared", "1")], &["a"]);
        let others: Vec<usize> = (0..31).filter(|nr| *nr != 10).collect();
        assert_eq!(found(&contributions, 1_000), others);
        let some = found(&contributions, 100);
        assert!(some.len() < others.len() && some.iter().all(|nr| others.contains(nr)), "{some:?}");
        assert_eq!(found(&contributions, 0), [0; 0]);
    }
}
