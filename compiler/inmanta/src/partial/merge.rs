//! What a partial export does to the model before it, and what it must not do. Spec, 17.2.
//!
//! - It replaces the resource sets that it has, and deletes those that it names; all other sets stay.
//! - A resource in no set is shared: a partial export may add it, but can neither change nor delete it.
//! - A resource stays in its set, unless the export has both sets: then it replaces both as a whole.
//! - What stays must not require what is replaced or deleted: its requirement would be lost.
//! - The requirements of all exports together have no cycle: each may add some to a shared resource.

use crate::export::cycle;
use std::collections::{BTreeMap, BTreeSet};

/// The resources of a model, or of a part of it.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// The resources.
    pub members: Vec<Member>,
    /// The names of the resource sets, with empty ones.
    pub sets: BTreeSet<String>,
}

/// An exported resource.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Its name in the model, as in `fs::File[web1,path=/a]`.
    pub id: String,
    /// The resource set that it is in.
    pub set: Option<String>,
    /// A digest of its fields.
    pub state: String,
    /// The names of the resources that it requires.
    pub requires: Vec<String>,
}

/// A model after some partial exports.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The resources, by name.
    held: BTreeMap<String, Held>,
    /// The number of exports: the whole model is layer 0.
    n_layers: usize,
}

#[derive(Clone, Debug)]
struct Held {
    set: Option<String>,
    state: String,
    /// The exports that have it, with what it requires there. Only shared resources may be in several.
    layers: BTreeMap<usize, Vec<String>>,
}

/// The maximum number of members of a cycle that are named.
pub(super) const MOST_NAMED: usize = 8;

/// What a partial export must not do.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Conflict {
    /// A set is exported, and deleted as well.
    Deleted { set: String },
    /// A resource is in another set than before, and not both sets are in the export.
    Moved { id: String, from: Option<String>, to: Option<String> },
    /// A shared resource has other fields than before.
    Changed { id: String },
    /// In layer `layer`, a resource that stays requires one that does not.
    Required { id: String, layer: usize, required: String, set: Option<String> },
    /// Resources with the layers in which each of them requires the next one, and the last one the first.
    Circular { members: Vec<(String, usize)> },
}

impl Merged {
    /// A whole model: resource sets do not matter there.
    pub fn whole(model: &Exported) -> Merged {
        let mut merged = Merged { held: BTreeMap::new(), n_layers: 0 };
        merged.add(model);
        merged
    }

    /// The model after a partial export. Errors: all that it must not do.
    pub fn with(&self, part: &Exported, deleted: &BTreeSet<String>) -> Result<Merged, Vec<Conflict>> {
        let both = part.sets.intersection(deleted).map(|set| Conflict::Deleted { set: set.clone() });
        let mut conflicts: Vec<Conflict> = both.collect();
        for member in &part.members {
            let Some(held) = self.held.get(&member.id) else { continue };
            let id = member.id.clone();
            let is_replaced = held.set.as_ref().is_some_and(|set| part.sets.contains(set));
            if held.set != member.set && !(is_replaced && member.set.is_some()) {
                conflicts.push(Conflict::Moved { id, from: held.set.clone(), to: member.set.clone() });
            } else if member.set.is_none() && held.state != member.state {
                conflicts.push(Conflict::Changed { id });
            }
        }
        if !conflicts.is_empty() {
            return Err(conflicts);
        }
        let mut next = self.clone();
        let stays = |set: &String| !part.sets.contains(set) && !deleted.contains(set);
        next.held.retain(|_, held| held.set.as_ref().is_none_or(stays));
        next.add(part);
        for (id, held) in &next.held {
            // What is shared keeps a requirement that one of its exports still meets.
            let all = held.layers.iter().flat_map(|(layer, all)| all.iter().map(move |required| (*layer, required)));
            let met: BTreeSet<&String> =
                all.filter(|(layer, required)| next.has(*layer, required)).map(|(_, required)| required).collect();
            for (layer, requires) in &held.layers {
                for required in requires.iter().filter(|required| !met.contains(required)) {
                    let set = self.held.get(required).and_then(|held| held.set.clone());
                    let (id, required) = (id.clone(), required.clone());
                    conflicts.push(Conflict::Required { id, layer: *layer, required, set });
                }
            }
        }
        if conflicts.is_empty() {
            conflicts.extend(next.circular());
        }
        if conflicts.is_empty() { Ok(next) } else { Err(conflicts) }
    }

    /// A cycle that only the requirements of several layers make.
    fn circular(&self) -> Option<Conflict> {
        let ids: Vec<&str> = self.ids().collect();
        let mut requires: Vec<(usize, usize)> = Vec::new();
        for (from, held) in self.held.values().enumerate() {
            let required = held.layers.values().flatten();
            requires.extend(required.filter_map(|id| Some((from, ids.binary_search(&id.as_str()).ok()?))));
        }
        requires.sort_unstable();
        requires.dedup();
        let found = cycle(ids.len(), &requires);
        let next = found.iter().skip(1).chain(found.first());
        let member = |(nr, next): (&usize, &usize)| {
            let (id, required) = (ids[*nr], ids[*next]);
            let mut layers = self.held[id].layers.iter();
            let layer = layers.find_map(|(layer, all)| all.iter().any(|one| one == required).then_some(*layer));
            (id.to_owned(), layer.unwrap_or_default())
        };
        let members: Vec<(String, usize)> = found.iter().zip(next).map(member).collect();
        (!members.is_empty()).then_some(Conflict::Circular { members })
    }

    fn add(&mut self, export: &Exported) {
        let layer = self.n_layers;
        self.n_layers += 1;
        for member in &export.members {
            let held = self.held.entry(member.id.clone()).or_insert_with(|| Held {
                set: member.set.clone(),
                state: member.state.clone(),
                layers: BTreeMap::new(),
            });
            held.layers.insert(layer, member.requires.clone());
        }
    }

    /// Whether a resource of this export is part of the model.
    pub fn has(&self, layer: usize, id: &str) -> bool {
        self.held.get(id).is_some_and(|held| held.layers.contains_key(&layer))
    }

    /// Whether another one has the same resources and requirements, whichever exports they are from.
    pub fn is_same_as(&self, other: &Merged) -> bool {
        let requires = |held: &Held| held.layers.values().flatten().cloned().collect::<BTreeSet<String>>();
        let are_same = |one: &Held, other: &Held| {
            one.set == other.set && one.state == other.state && requires(one) == requires(other)
        };
        let mut pairs = self.held.iter().zip(&other.held);
        self.held.len() == other.held.len() && pairs.all(|((id, one), (name, two))| id == name && are_same(one, two))
    }

    /// The names of the resource sets that have resources.
    pub fn sets(&self) -> BTreeSet<&str> {
        self.held.values().filter_map(|held| held.set.as_deref()).collect()
    }

    /// The names of all resources, sorted.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.held.keys().map(String::as_str)
    }
}

impl Conflict {
    /// What is wrong, in a sentence without a full stop.
    pub fn text(&self) -> String {
        let named = |set: Option<&str>| match set {
            Some(set) => format!("resource set `{set}`"),
            None => "no resource set".to_owned(),
        };
        match self {
            Conflict::Deleted { set } => format!("a partial export cannot both export and delete resource set `{set}`"),
            Conflict::Moved { id, from, to } => {
                let (from, to) = (named(from.as_deref()), named(to.as_deref()));
                format!("a partial export cannot move `{id}` from {from} to {to}")
            }
            Conflict::Changed { id } => {
                format!("a partial export cannot change `{id}`, because it is in no resource set")
            }
            Conflict::Required { id, required, set, .. } => format!(
                "`{id}` requires `{required}`, but the partial export replaces or deletes {}, which contains it",
                named(set.as_deref())
            ),
            Conflict::Circular { members } => {
                let mut ids: Vec<&str> = members.iter().take(MOST_NAMED).map(|(id, _)| id.as_str()).collect();
                ids.sort_unstable();
                if members.len() > MOST_NAMED {
                    ids.push("…");
                }
                format!("circular requirements with earlier exports: {}", ids.join(", "))
            }
        }
    }

    /// What the user can do.
    pub fn help(&self) -> &'static str {
        match self {
            Conflict::Deleted { .. } => "remove the set from the model, or do not delete it",
            Conflict::Moved { from: Some(_), to: Some(_), .. } => {
                "export both resource sets with all their resources, or deploy the whole model"
            }
            Conflict::Moved { .. } | Conflict::Changed { .. } => "deploy the whole model",
            Conflict::Required { .. } => "put both into the same resource set, or remove the required one from its set",
            Conflict::Circular { .. } => "remove one of the requirements, or deploy the whole model",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `id set state requires,…`; the set `-` is none.
    fn exported(members: &[&str], sets: &[&str]) -> Exported {
        let member = |line: &&str| {
            let words: Vec<&str> = line.split(' ').collect();
            let [id, set, state, rest @ ..] = &words[..] else { panic!("{line}") };
            Member {
                id: (*id).to_owned(),
                set: Some((*set).to_owned()).filter(|set| set != "-"),
                state: (*state).to_owned(),
                requires: rest.iter().flat_map(|rest| rest.split(',')).map(str::to_owned).collect(),
            }
        };
        let members: Vec<Member> = members.iter().map(member).collect();
        let own = members.iter().filter_map(|member| member.set.clone());
        let sets = own.chain(sets.iter().map(|set| (*set).to_owned())).collect();
        Exported { members, sets }
    }

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn conflicts(whole: &Exported, part: &Exported, deleted: &[&str]) -> Vec<String> {
        let found = Merged::whole(whole).with(part, &names(deleted)).expect_err("it is refused");
        found.iter().map(Conflict::text).collect()
    }

    #[test]
    fn a_part_replaces_its_sets_and_keeps_the_others() {
        let whole = exported(&["shared - 1", "a1 a 1 shared", "a2 a 1", "b1 b 1 shared", "c1 c 1"], &[]);
        let part = exported(&["shared - 1", "more - 1", "a1 a 2 shared", "a3 a 1"], &["c"]);
        let merged = Merged::whole(&whole).with(&part, &names(&[])).unwrap();
        assert_eq!(merged.ids().collect::<Vec<_>>(), ["a1", "a3", "b1", "more", "shared"]);
        // What is shared is in both exports, so that the requirements of each are met in it.
        assert!(merged.has(0, "shared") && merged.has(1, "shared"));
        assert!(!merged.has(0, "a1") && merged.has(1, "a1") && merged.has(0, "b1"));
        let merged = merged.with(&exported(&[], &[]), &names(&["a"])).unwrap();
        assert_eq!(merged.ids().collect::<Vec<_>>(), ["b1", "more", "shared"]);
        assert!(merged.sets().contains("b") && !merged.sets().contains("a"));
    }

    #[test]
    fn what_is_shared_cannot_change_and_nothing_moves() {
        let whole = exported(&["shared - 1", "a1 a 1"], &[]);
        assert_eq!(
            conflicts(&whole, &exported(&["shared - 2"], &[]), &[]),
            ["a partial export cannot change `shared`, because it is in no resource set"]
        );
        let moved = exported(&["shared a 1", "a1 b 1"], &[]);
        assert_eq!(
            conflicts(&whole, &moved, &[]),
            ["a partial export cannot move `shared` from no resource set to resource set `a`"]
        );
        assert_eq!(
            conflicts(&whole, &exported(&["a1 b 1"], &[]), &[]),
            ["a partial export cannot move `a1` from resource set `a` to resource set `b`"]
        );
        assert_eq!(
            conflicts(&whole, &exported(&["a1 - 1"], &[]), &["a"]),
            ["a partial export cannot move `a1` from resource set `a` to no resource set"]
        );
    }

    #[test]
    fn what_is_in_a_set_may_move_to_another_set_of_the_same_export() {
        let whole = exported(&["a1 a 1", "a2 a 1", "b1 b 1", "c1 c 1 b1"], &[]);
        let part = exported(&["a1 b 1", "b1 a 2"], &["c"]);
        let merged = Merged::whole(&whole).with(&part, &names(&[])).expect("it is allowed");
        assert_eq!(merged.ids().collect::<Vec<_>>(), ["a1", "b1"]);
        assert!(merged.has(1, "a1") && !merged.has(0, "a1"));
        // Nothing else of the set that it leaves: the set is in the export, but is empty.
        let merged = Merged::whole(&whole).with(&exported(&["a1 d 1"], &["a"]), &names(&[])).expect("it is allowed");
        assert_eq!(merged.ids().collect::<Vec<_>>(), ["a1", "b1", "c1"]);
        assert_eq!(merged.sets().into_iter().collect::<Vec<_>>(), ["b", "c", "d"]);
        // It moves on from the set that it is in now.
        assert!(merged.with(&exported(&["a1 b 1"], &["a"]), &names(&["c"])).is_err());
        assert!(merged.with(&exported(&["a1 b 1", "b1 b 1"], &["d"]), &names(&["c"])).is_ok());
        // A set that is only deleted is not in the export, and what stays keeps what it requires.
        let refused = ["a partial export cannot move `a1` from resource set `a` to resource set `d`"];
        assert_eq!(conflicts(&whole, &exported(&["a1 d 1"], &[]), &["a"]), refused);
        assert_eq!(
            conflicts(&whole, &exported(&["b1 d 1"], &["b"]), &[]),
            ["`c1` requires `b1`, but the partial export replaces or deletes resource set `b`, which contains it"]
        );
    }

    #[test]
    fn a_set_is_not_exported_and_deleted_at_once() {
        let whole = exported(&["a1 a 1"], &[]);
        assert_eq!(
            conflicts(&whole, &exported(&["a1 a 1"], &[]), &["a", "b"]),
            ["a partial export cannot both export and delete resource set `a`"]
        );
    }

    #[test]
    fn what_stays_keeps_its_requirements() {
        let whole = exported(&["a1 a 1", "b1 b 1 a1"], &[]);
        // In a whole model, sets do not matter; neither do they if both are replaced.
        let both = exported(&["a1 a 2", "b1 b 2 a1"], &[]);
        assert!(Merged::whole(&whole).with(&both, &names(&[])).is_ok());
        assert!(Merged::whole(&whole).with(&exported(&[], &[]), &names(&["b"])).is_ok());
        let lost =
            ["`b1` requires `a1`, but the partial export replaces or deletes resource set `a`, which contains it"];
        assert_eq!(conflicts(&whole, &exported(&["a1 a 1"], &[]), &[]), lost);
        assert_eq!(conflicts(&whole, &exported(&[], &[]), &["a"]), lost);
    }

    /// A shared resource that is exported again with what it requires.
    #[test]
    fn what_is_shared_may_require_what_is_replaced_with_it() {
        let whole = exported(&["a1 a 1", "all - 1 a1"], &[]);
        let part = exported(&["a1 a 2", "all - 1 a1"], &[]);
        let merged = Merged::whole(&whole).with(&part, &names(&[])).expect("it is allowed");
        let again = merged.with(&exported(&["a1 a 3", "all - 1 a1"], &[]), &names(&[])).expect("it is allowed");
        assert_eq!(again.ids().collect::<Vec<_>>(), ["a1", "all"]);
        let lost =
            ["`all` requires `a1`, but the partial export replaces or deletes resource set `a`, which contains it"];
        for part in [&["a1 a 2"][..], &["a1 a 2", "all - 1"]] {
            assert_eq!(conflicts(&whole, &exported(part, &[]), &[]), lost);
        }
    }

    /// Each export has an order without a cycle; together they have one.
    #[test]
    fn exports_have_one_order() {
        let whole = exported(&["a - 1", "b - 1 a", "c - 1 b", "d - 1 c"], &[]);
        let part = exported(&["a - 1 c", "c - 1", "e e 1 a"], &[]);
        let found = Merged::whole(&whole).with(&part, &names(&[])).expect_err("it is refused");
        let member = |id: &str, layer: usize| (id.to_owned(), layer);
        assert_eq!(found, [Conflict::Circular { members: vec![member("a", 1), member("c", 0), member("b", 0)] }]);
        assert_eq!(found[0].text(), "circular requirements with earlier exports: a, b, c");
        let same = exported(&["b - 1", "c - 1 b"], &[]);
        assert!(Merged::whole(&whole).with(&same, &names(&[])).is_ok());
    }
}
