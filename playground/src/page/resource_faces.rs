//! The faces of resources. Most states do not change from one moment to the next, so their faces are reused.

use super::graph_view::Face;
use super::icons::{Icon, kind_icon, phase_look};
use crate::graphs::faces;
use crate::shown::as_label;
use crate::state::Shared;
use crate::worker::protocol::Picture;
use mclive_base::shapes::host::{Phase, ResourceState};
use mclive_base::shapes::{ResourceGraph, ResourceVertex};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use yew::prelude::*;

/// If more resources or values than this change at the same time, none of them glows: the whole graph would flicker, and
/// browsers are slow with many animations.
pub(super) const MOST_GLOWING: usize = 200;

/// A resource, and its face without a state.
struct Plain {
    id: String,
    face: Face,
}

/// What a face shows of the state.
#[derive(Clone, Copy, PartialEq)]
struct Condition {
    phase: Option<Phase>,
    /// Whether it is shown as broken, since it has just been repaired.
    is_repaired: bool,
    /// Whether it has changed, and is highlighted.
    glows: bool,
}

/// The faces of the last call.
#[derive(Default)]
struct Last {
    plain: Rc<Vec<Plain>>,
    states: Vec<Condition>,
    faces: Vec<Face>,
}

/// The face of each resource, with its state.
#[hook]
pub(super) fn use_resource_faces(
    picture: &Shared<Picture<ResourceGraph>>,
    states: Option<&Shared<Vec<ResourceState>>>,
    repaired: Option<&Shared<Vec<String>>>,
) -> Rc<Vec<Face>> {
    let plain = use_memo(picture.clone(), |picture| picture.graph.vertices.iter().map(plain).collect::<Vec<_>>());
    let last = use_mut_ref(Last::default);
    use_memo((picture.clone(), states.cloned(), repaired.cloned()), |(_, states, repaired)| {
        let states = states.as_deref().map(Vec::as_slice).unwrap_or_default();
        let repaired = repaired.as_deref().map(Vec::as_slice).unwrap_or_default();
        last.borrow_mut().refresh(plain, states, repaired)
    })
}

impl Last {
    /// Replaces the faces whose states have changed, and keeps the others.
    fn refresh(&mut self, plain: Rc<Vec<Plain>>, states: &[ResourceState], repaired: &[String]) -> Vec<Face> {
        let states = self.conditions(&plain, &phases(&plain, states), repaired);
        let is_kept = Rc::ptr_eq(&self.plain, &plain);
        let faces: Vec<Face> = plain
            .iter()
            .zip(&states)
            .enumerate()
            .map(|(at, (plain, state))| match self.faces.get(at) {
                Some(face) if is_kept && self.states.get(at) == Some(state) => face.clone(),
                _ => face(&plain.face, *state),
            })
            .collect();
        *self = Last { plain, states, faces };
        self.faces.clone()
    }

    /// What each face shows of the state.
    fn conditions(&self, plain: &[Plain], phases: &[Option<Phase>], repaired: &[String]) -> Vec<Condition> {
        let repaired: BTreeSet<&str> = repaired.iter().map(String::as_str).collect();
        let by_id = OnceCell::<BTreeMap<&str, usize>>::new();
        let all = || self.plain.iter().enumerate().map(|(at, plain)| (plain.id.as_str(), at)).collect();
        // Usually, a resource is at the same position as before.
        let before = |at: usize, plain: &Plain| {
            let is_same = self.plain.get(at).is_some_and(|before| before.id == plain.id);
            let at = if is_same { at } else { *by_id.get_or_init(all).get(plain.id.as_str())? };
            self.states.get(at).copied()
        };
        let is_changed = |phase: &Option<Phase>| *phase == Some(Phase::Changed);
        let condition = |(at, (plain, phase)): (usize, (&Plain, &Option<Phase>))| {
            let before = before(at, plain).filter(|before| is_changed(&before.phase));
            let is_new = is_changed(phase) && before.is_none();
            let is_repaired = repaired.contains(plain.id.as_str());
            let glows = is_new || (is_changed(phase) && before.is_some_and(|before| before.glows));
            (is_new, Condition { phase: *phase, is_repaired, glows })
        };
        let all: Vec<(bool, Condition)> = plain.iter().zip(phases).enumerate().map(condition).collect();
        let n_new = all.iter().filter(|(is_new, _)| *is_new).count();
        let calmed = |(is_new, condition): (bool, Condition)| match is_new && n_new > MOST_GLOWING {
            true => Condition { glows: false, ..condition },
            false => condition,
        };
        all.into_iter().map(calmed).collect()
    }
}

/// The phase of each resource, if it has one. States are in the order of the graph, unless they belong to another one.
fn phases(plain: &[Plain], states: &[ResourceState]) -> Vec<Option<Phase>> {
    let by_id = OnceCell::<BTreeMap<&str, Phase>>::new();
    let all = || states.iter().map(|state| (state.id.as_str(), state.phase)).collect();
    let phase = |(at, plain): (usize, &Plain)| match states.get(at) {
        Some(state) if state.id == plain.id => Some(state.phase),
        _ => by_id.get_or_init(all).get(plain.id.as_str()).copied(),
    };
    plain.iter().enumerate().map(phase).collect()
}

fn plain(vertex: &ResourceVertex) -> Plain {
    let id = vertex.id();
    let name = AttrValue::from(as_label(&id));
    let face = Face {
        title: faces::resource_title(vertex).into(),
        note: vertex.kind.clone().into(),
        icon: Some(kind_icon(&vertex.kind)),
        state: None,
        label: name.clone(),
        name,
        n_changes: 0,
    };
    Plain { id, face }
}

/// The face with a state.
fn face(plain: &Face, state: Condition) -> Face {
    let Some((class, mark, words)) = state.phase.map(phase_look) else { return plain.clone() };
    let look = match state {
        Condition { is_repaired: true, .. } => ("bad", Icon::Bad),
        Condition { glows: true, .. } => ("good changed glows", mark),
        Condition { .. } => (class, mark),
    };
    Face { state: Some(look), label: format!("{}, {words}", plain.name).into(), ..plain.clone() }
}
