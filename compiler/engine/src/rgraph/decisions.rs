//! Resources with different names that decide about one thing (`Kind::decides`). If they decide differently, each would
//! undo the other in every run.
//!
//! Within the program, this is an error. Exported resources must not stop a program, so those that contradict others are
//! left out. World spec, 15.
//!
//! Cost: one pass over all resources, with a map from the things. Of kinds with many resources, only those are asked that
//! share their subject with another one (`Kind::subject`).

use super::Resource;
use super::errors::at;
use super::make::Made;
use crate::diag::{Diagnostic, Stage, codes};
use crate::kinds::{Decided, How};
use crate::protocol::ResourceId;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::Arc;

/// The things that several resources of a graph decide about.
#[derive(Clone, Default)]
pub(super) struct Shared(FxHashSet<String>);

impl Shared {
    /// Whether a resource may be exchanged for another version without looking at the other resources.
    pub(super) fn allows(&self, before: &Resource, now: &Resource) -> bool {
        let (before, now) = (decided(before), decided(now));
        let mut pairs = before.iter().zip(&now);
        before.len() == now.len()
            && pairs.all(|(before, now)| {
                before.what == now.what && (before.how == now.how || !self.0.contains(&before.what))
            })
    }
}

/// The resources that receive fields. What they decide depends on values that are sent later.
pub(super) struct Receivers<'a>(FxHashSet<&'a ResourceId>);

impl<'a> Receivers<'a> {
    pub(super) fn of(made: impl Iterator<Item = &'a Made>) -> Receivers<'a> {
        let edges = made.flat_map(|made| &made.edges).filter(|edge| edge.send.is_some());
        Receivers(edges.map(|edge| &edge.to).collect())
    }

    /// What a resource decides, as far as it is certain.
    fn decided<'r>(&self, resource: &'r Resource) -> Vec<Decided<'r>> {
        if self.0.contains(&resource.id) { Vec::new() } else { decided(resource) }
    }
}

/// One that is hidden or changes nothing decides nothing.
fn decided(resource: &Resource) -> Vec<Decided<'_>> {
    if resource.meta.hidden || resource.meta.noop {
        return Vec::new();
    }
    resource.kind.decides(&resource.want())
}

/// The hash of a resource's subject, if its kind names one.
fn subject(resource: &Resource) -> Option<u64> {
    let subject = resource.kind.subject(&resource.want())?;
    Some(FxBuildHasher.hash_one((resource.kind.decl().name, subject)))
}

/// A decision, and the resource that made it.
type Decision<'a> = (How<'a>, &'a Resource);
type Decisions<'a> = FxHashMap<String, Decision<'a>>;

/// Two resources that decide differently about one thing.
pub struct Contradiction<'a> {
    /// The first of them.
    pub first: &'a Resource,
    /// The one that contradicts it.
    pub later: &'a Resource,
    /// The text of the error.
    pub message: String,
}

/// The resources of a whole graph that contradict an earlier one, if none of them receives fields.
pub fn contradicting(resources: &[Arc<Resource>]) -> Vec<Contradiction<'_>> {
    contradictions(resources, &Receivers(FxHashSet::default())).1
}

/// The things that several of the resources decide about, and the resources that contradict an earlier one.
pub(super) fn contradictions<'a>(
    resources: &'a [Arc<Resource>],
    receivers: &Receivers<'_>,
) -> (Shared, Vec<Contradiction<'a>>) {
    let mut known = Decisions::default();
    let (mut shared, mut found) = (Shared::default(), Vec::new());
    let subjects: Vec<Option<u64>> = resources.iter().map(|resource| subject(resource)).collect();
    let mut seen = FxHashSet::with_capacity_and_hasher(subjects.len(), FxBuildHasher);
    let contested: FxHashSet<u64> =
        subjects.iter().flatten().copied().filter(|subject| !seen.insert(*subject)).collect();
    let is_alone = |subject: &Option<u64>| subject.is_some_and(|subject| !contested.contains(&subject));
    for (resource, _) in resources.iter().zip(&subjects).filter(|(_, subject)| !is_alone(subject)) {
        let later: &'a Resource = resource;
        let mut contradiction = None;
        for Decided { what, how } in receivers.decided(later) {
            let Some((first_how, first)) = known.get(&what) else {
                known.insert(what, (how, later));
                continue;
            };
            if *first_how != how && contradiction.is_none() {
                let reason = reason(&what, [(first_how, *first), (&how, later)]);
                let message = format!("conflicting resources `{}` and `{}`: {reason}", first.id, later.id);
                contradiction = Some(Contradiction { first, later, message });
            }
            shared.0.insert(what);
        }
        found.extend(contradiction);
    }
    (shared, found)
}

/// The exported resources that are left out, by index, with the reasons.
///
/// The program's own resources count more than they do, and those that `stays` accepts, which were in the last graph,
/// count more than the rest. Of the rest, all that contradict each other are left out: their order means nothing.
pub(super) fn outvoted<'a>(
    own: impl Iterator<Item = &'a Arc<Resource>>,
    exported: &'a [Arc<Resource>],
    stays: impl Fn(&Arc<Resource>) -> bool,
    receivers: &Receivers<'_>,
) -> BTreeMap<usize, String> {
    let mut left_out = BTreeMap::new();
    let decisions: Vec<Vec<Decided<'a>>> = exported.iter().map(|resource| receivers.decided(resource)).collect();
    if decisions.iter().all(Vec::is_empty) {
        return left_out;
    }
    let mut known = Decisions::default();
    let subjects: FxHashSet<u64> = exported.iter().filter_map(|resource| subject(resource)).collect();
    let is_apart = |own: &Resource| subject(own).is_some_and(|subject| !subjects.contains(&subject));
    for resource in own.filter(|own| !is_apart(own)) {
        add(&mut known, resource, receivers.decided(resource));
    }
    let (staying, others): (Vec<usize>, Vec<usize>) = (0..exported.len()).partition(|at| stays(&exported[*at]));
    for at in staying {
        match against(&known, &exported[at], &decisions[at]) {
            Some(reason) => _ = left_out.insert(at, reason),
            None => add(&mut known, &exported[at], decisions[at].clone()),
        }
    }
    let mut rest = Vec::new();
    for at in others {
        match against(&known, &exported[at], &decisions[at]) {
            Some(reason) => _ = left_out.insert(at, reason),
            None => rest.push(at),
        }
    }
    let (mut first, mut second) = (Decisions::default(), Decisions::default());
    for at in &rest {
        let resource: &Resource = &exported[*at];
        for Decided { what, how } in &decisions[*at] {
            let known = first.entry(what.clone()).or_insert_with(|| (how.clone(), resource));
            if known.0 != *how {
                second.entry(what.clone()).or_insert_with(|| (how.clone(), resource));
            }
        }
    }
    for at in rest {
        // Those that differ from the first one conflict with it, and it conflicts with the first of them.
        let (resource, decided) = (&exported[at], &decisions[at]);
        if let Some(reason) = against(&first, resource, decided).or_else(|| against(&second, resource, decided)) {
            left_out.insert(at, reason);
        }
    }
    left_out
}

/// Of several decisions about a thing, the first one counts.
fn add<'a>(known: &mut Decisions<'a>, resource: &'a Resource, decided: Vec<Decided<'a>>) {
    for Decided { what, how } in decided {
        known.entry(what).or_insert((how, resource));
    }
}

/// Why a resource is left out, if it contradicts a known one.
fn against(known: &Decisions<'_>, resource: &Resource, decided: &[Decided<'_>]) -> Option<String> {
    decided.iter().find_map(|Decided { what, how }| {
        let (known_how, other) = known.get(what).filter(|(known_how, _)| known_how != how)?;
        let reason = reason(what, [(known_how, *other), (how, resource)]);
        Some(format!("it conflicts with `{}`: {reason}", other.id))
    })
}

/// Why two decisions contradict each other.
fn reason(what: &str, [one, other]: [(&How<'_>, &Resource); 2]) -> String {
    // A text in a file may be a secret that another host has sealed for this one.
    if !one.1.secret_fields.is_empty() || !other.1.secret_fields.is_empty() {
        return "their fields contradict each other".to_owned();
    }
    match (one.0, other.0) {
        (How::Shown(one), How::Shown(other)) => format!("{what} cannot be both `{one}` and `{other}`"),
        (How::Shown(_) | How::Hidden(_), How::Shown(_) | How::Hidden(_)) => format!("{what} differs"),
    }
}

/// The error for a contradiction between statements.
pub(super) fn conflict(contradiction: Contradiction<'_>) -> Diagnostic {
    let Contradiction { first, later, message } = contradiction;
    match (later.span, first.span) {
        (Some(span), Some(earlier)) if span != earlier => {
            at(codes::DUPLICATE, message, span, "conflicting resource")
                .also(earlier, "first resource")
                .help("remove one of the two, or change its fields")
        }
        (Some(span), _) => at(codes::DUPLICATE, message, span, "this statement defines both").help(
            "write a statement for each, or put a parameter or the variable of the loop into the field that must differ",
        ),
        (None, _) => Diagnostic::error(codes::DUPLICATE, Stage::Interpret, message),
    }
}
