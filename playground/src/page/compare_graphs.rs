//! The graphs of a kept moment and of the displayed one, with the differences marked by colour and sign.

use super::graph_view::{Face, GraphView, Shape};
use super::icons::{Icon, icon, kind_icon};
use super::store::Dispatch;
use crate::graphs::faces;
use crate::graphs::layout::Drawing;
use crate::shown::as_label;
use crate::state::{Fate, Fates, HostMoment, Shared};
use crate::worker::protocol::Graph;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq, Clone)]
pub(super) struct ComparedProps {
    pub(super) dispatch: Dispatch,
    pub(super) kept: Shared<HostMoment>,
    pub(super) now: HostMoment,
}

/// One graph of one moment.
#[derive(Clone, PartialEq)]
struct Side {
    graph: Graph,
    title: &'static str,
    shape: Shared<Shape>,
    faces: Rc<Vec<Face>>,
}

/// Style, sign and word of a fate.
fn look(fate: Fate) -> Option<(&'static str, Icon, &'static str)> {
    match fate {
        Fate::Same => None,
        Fate::Added => Some(("added", Icon::Plus, "added")),
        Fate::Removed => Some(("removed", Icon::Minus, "removed")),
        Fate::Changed => Some(("altered", Icon::Arrow, "changed")),
    }
}

#[component]
pub(super) fn Compared(props: &ComparedProps) -> Html {
    let resources = use_memo(props.clone(), |props| resources(&props.kept, &props.now));
    let functions = use_memo(props.clone(), |props| functions(&props.kept, &props.now));
    if resources.is_empty() && functions.is_empty() {
        return html! {};
    }
    let key = |fate: Fate, line: &str| {
        let (class, sign, word) = look(fate)?;
        Some(html! { <li class={class}>{ icon(sign) }{ format!("{word} ({line})") }</li> })
    };
    let side = |side: &Side| {
        html! { <One key={side.title} dispatch={props.dispatch.clone()} side={side.clone()} /> }
    };
    html! {
        <section class="compared" key="graphs">
            <h2>{ "Graphs" }</h2>
            <ul class="legend" aria-label="Legend">
                { key(Fate::Added, "thick line") }
                { key(Fate::Removed, "dashed line") }
                { key(Fate::Changed, "dotted line") }
            </ul>
            <div class="pair">{ for resources.iter().map(side) }</div>
            <div class="pair">{ for functions.iter().map(side) }</div>
        </section>
    }
}

#[derive(Properties, PartialEq, Clone)]
struct OneProps {
    dispatch: Dispatch,
    side: Side,
}

/// A graph under its title. A selection shows the edges of a vertex; it is not the selection of the other views, since
/// the vertex may be of another moment.
#[component]
fn One(props: &OneProps) -> Html {
    let OneProps { dispatch, side } = props;
    let selected = use_state(|| None);
    let on_select = {
        let selected = selected.clone();
        Callback::from(move |at| selected.set(at))
    };
    html! {
        <figure>
            <figcaption>{ side.title }</figcaption>
            <GraphView dispatch={dispatch.clone()} graph={side.graph} title={side.title} label={side.title} shape={side.shape.clone()}
                faces={side.faces.clone()} selected={*selected} {on_select} is_bare={true} />
        </figure>
    }
}

/// The sides to draw: none if nothing differs, and the earlier moment only if something of it is gone.
fn sides(
    titles: (&'static str, &'static str),
    fates: (Fates, Fates),
    side: impl Fn(&'static str, &Fates, bool) -> Option<Side>,
) -> Vec<Side> {
    let (before, after) = &fates;
    let is_gone = before.has(Fate::Removed);
    let differs = is_gone || after.has(Fate::Added) || after.has(Fate::Changed);
    let before = is_gone.then(|| side(titles.0, before, false)).flatten();
    let after = differs.then(|| side(titles.1, after, true)).flatten();
    before.into_iter().chain(after).collect()
}

fn shape(drawing: &Drawing, edges: Vec<(u32, u32)>, n_left_out: usize, fates: &Fates) -> Shared<Shape> {
    let class = |fate: &Fate| look(*fate).map_or("", |(class, _, _)| class);
    let line_classes = fates.edges.iter().map(class).collect();
    Shared::new(Shape { drawing: drawing.clone(), edges, line_classes, n_left_out })
}

fn face(title: String, note: String, sign: Option<Icon>, name: &str, fate: Fate) -> Face {
    let look = look(fate);
    let word = look.map_or(String::new(), |(_, _, word)| format!(", {word}"));
    let state = look.map(|(class, sign, _)| (class, sign));
    let name = as_label(name);
    Face {
        title: title.into(),
        note: note.into(),
        icon: sign,
        state,
        label: format!("{name}{word}").into(),
        name: name.into(),
        n_changes: 0,
    }
}

fn resources(before: &HostMoment, after: &HostMoment) -> Vec<Side> {
    if before.resources == after.resources {
        return Vec::new();
    }
    let titles = ("Resource graph of the kept moment", "Resource graph now");
    sides(titles, before.resource_fates(after), |title, fates, is_now| {
        let picture = if is_now { &after.resources } else { &before.resources };
        let edges = picture.graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let shape = shape(picture.drawing.as_ref()?, edges, picture.n_left_out, fates);
        let faces = picture.graph.vertices.iter().zip(&fates.vertices).map(|(vertex, fate)| {
            let title = faces::resource_title(vertex);
            face(title, vertex.kind.clone(), Some(kind_icon(&vertex.kind)), &vertex.id(), *fate)
        });
        Some(Side { graph: Graph::Resources, title, shape, faces: Rc::new(faces.collect()) })
    })
}

/// A model has its instances in place of a function graph.
fn titles(before: &HostMoment, after: &HostMoment) -> (&'static str, &'static str) {
    let kept = if before.is_model { "Model of the kept moment" } else { "Function graph of the kept moment" };
    let now = if after.is_model { "Model now" } else { "Function graph now" };
    (kept, now)
}

fn functions(before: &HostMoment, after: &HostMoment) -> Vec<Side> {
    if !before.is_comparable(after) {
        return Vec::new();
    }
    sides(titles(before, after), before.function_fates(after), |title, fates, is_now| {
        let kept = if is_now { after } else { before };
        let picture = &kept.functions;
        let drawing = picture.drawing.as_ref()?;
        let edges = picture.graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let vertices = picture.graph.vertices.iter().zip(&drawing.boxes).zip(&fates.vertices);
        let faces = vertices.enumerate().map(|(at, ((vertex, rect), fate))| {
            // The sign takes the end of the box.
            let note = kept.value(at).or(vertex.ty.as_deref()).unwrap_or_default();
            let note = faces::value_note(note, rect.w - 20.0);
            face(faces::function_title(vertex), note, None, &vertex.label, *fate)
        });
        let faces = Rc::new(faces.collect());
        let graph = if kept.is_model { Graph::Model } else { Graph::Functions };
        Some(Side { graph, title, shape: shape(drawing, edges, picture.n_left_out, fates), faces })
    })
}
