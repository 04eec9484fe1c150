//! Details of the selected vertex: source, type, value, fields and edges.

use super::browser;
use super::icons::{Icon, icon, kind_icon, phase_look};
use super::log::last;
use super::store::{Dispatch, Part};
use crate::shown::{as_label, as_lines};
use crate::state::shows::InspectorShows;
use crate::state::{Action, Selection, View};
use crate::worker::protocol::Request;
use mclive_base::shapes::host::{HostAction, ResourceState};
use mclive_base::shapes::{FunctionGraph, Place, ResourceEdge, ResourceGraph, ResourceVertex};
use yew::prelude::*;

#[component]
pub(super) fn Inspector(props: &Part<InspectorShows>) -> Html {
    let dispatch = &props.dispatch;
    match &props.shows {
        InspectorShows::Nothing => html! {},
        InspectorShows::Function { at, is_instance, picture, value, chain, moments } => {
            let why = html! { <>{ related(dispatch, "leads to", chain.resources.iter().map(|id| (id.clone(), Selection::Resource(id.clone())))) }</> };
            let value = (!is_instance).then(|| value_row(value.as_deref()));
            function(dispatch, &picture.graph, *at, value, (why, last(dispatch, moments)))
        }
        InspectorShows::Resource { id, picture, state, place, file, functions, chain, moments } => {
            let Some(at) = picture.graph.vertices.iter().position(|vertex| vertex.has_id(id)) else {
                return html! {};
            };
            let broken = file.as_ref().map(|path| break_it(dispatch, path));
            let vertices = &functions.graph.vertices;
            let name = |at: &u32| Some((vertices.get(*at as usize)?.label.clone(), Selection::Function(*at)));
            let why = related(dispatch, "values", chain.vertices.iter().filter_map(name));
            let body = resource(dispatch, &picture.graph, at, state.as_ref(), broken, (why, last(dispatch, moments)));
            frame(dispatch, kind_icon(&picture.graph.vertices[at].kind), id, place.as_ref(), body)
        }
    }
}

fn frame(dispatch: &Dispatch, shape: Icon, title: &str, place: Option<&Place>, body: Html) -> Html {
    let close = {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| {
            // Its own button disappears with it.
            browser::focus_on(".vertex.selected, .listed-vertex[aria-pressed=true]");
            dispatch.send(Action::Select(None));
        })
    };
    html! {
        <aside class="inspector" aria-label="Selected vertex">
            <header>
                { icon(shape) }
                // A long one is cut off.
                <h2 title={as_label(title)}>{ as_label(title) }</h2>
                { place.map(|place| source_button(dispatch, place)) }
                <button class="button only-icon plain" onclick={close} aria-label="Close">{ icon(Icon::Close) }</button>
            </header>
            <div class="inspected" tabindex="0">{ body }</div>
        </aside>
    }
}

/// A link to the source.
fn source_button(dispatch: &Dispatch, place: &Place) -> Html {
    let go = dispatch.on(Action::Reveal(place.clone()));
    html! { <button class="button" onclick={go}>{ icon(Icon::Code) }<span>{ format!("line {}", place.start_line) }</span></button> }
}

fn row(name: &str, value: Html) -> Html {
    html! { <><dt>{ name.to_owned() }</dt><dd>{ value }</dd></> }
}

/// The maximum number of things of another view that are listed.
const MAX_RELATED: usize = 8;

/// The maximum number of neighbours that are listed: a vertex may have thousands.
const MAX_NEIGHBOURS: usize = 50;

/// The vertices at the other ends of these edges.
fn neighbours<T>(title: &str, mut all: impl Iterator<Item = T>, link: impl Fn(T) -> Html) -> Html {
    let listed: Vec<Html> = all.by_ref().take(MAX_NEIGHBOURS).map(link).collect();
    if listed.is_empty() {
        return html! {};
    }
    let n_left = all.count();
    row(title, html! { <ul>{ for listed }if n_left > 0 { <li>{ format!("and {n_left} more") }</li> }</ul> })
}

/// Vertices of the other graph, which its view shows when they are chosen.
fn related(dispatch: &Dispatch, title: &str, all: impl Iterator<Item = (String, Selection)>) -> Html {
    let all: Vec<(String, Selection)> = all.collect();
    if all.is_empty() {
        return html! {};
    }
    let n_left = all.len().saturating_sub(MAX_RELATED);
    let link = |(name, selection): (String, Selection)| {
        let view = if matches!(selection, Selection::Function(_)) { View::Functions } else { View::Resources };
        let dispatch = dispatch.clone();
        let go = Callback::from(move |_: MouseEvent| {
            dispatch.send(Action::Select(Some(selection.clone())));
            dispatch.send(Action::Show(view));
        });
        html! { <li><button class="link" onclick={go}>{ as_label(&name) }</button></li> }
    };
    let links = all.into_iter().take(MAX_RELATED).map(link);
    row(title, html! { <ul>{ for links }if n_left > 0 { <li>{ format!("and {n_left} more") }</li> }</ul> })
}

fn value_row(value: Option<&str>) -> Html {
    let value = match value {
        Some(value) => html! { <code class="value">{ as_lines(value) }</code> },
        None => html! { <span class="none">{ "none yet" }</span> },
    };
    row("value", value)
}

/// A vertex of the function graph with its value, or an instance of a model, which has none.
fn function(
    dispatch: &Dispatch,
    graph: &FunctionGraph,
    at: u32,
    value: Option<Html>,
    (leads_to, last): (Html, Html),
) -> Html {
    let Some(vertex) = graph.vertices.get(at as usize) else { return html! {} };
    let jump = |index: u32, label: &str| {
        let name = graph.vertices.get(index as usize).map(|vertex| as_label(&vertex.label)).unwrap_or_default();
        let note = if label.is_empty() { String::new() } else { format!(" ({})", as_label(label)) };
        html! {
            <li><button class="link" onclick={dispatch.on(Action::Select(Some(Selection::Function(index))))}>{ name }</button>{ note }</li>
        }
    };
    let inputs = graph.edges.iter().filter(|edge| edge.to == at);
    let outputs = graph.edges.iter().filter(|edge| edge.from == at);
    let (ty, from, to) = match &value {
        Some(_) => ("type", "from", "feeds"),
        None => ("entity", "referred to by", "refers to"),
    };
    let body = html! {
        <>
        { last }
        <dl>
            { value.unwrap_or_default() }
            if let Some(name) = &vertex.ty { { row(ty, html! { <code>{ as_label(name) }</code> }) } }
            { neighbours(from, inputs, |edge| jump(edge.from, &edge.label)) }
            { neighbours(to, outputs, |edge| jump(edge.to, &edge.label)) }
            { leads_to }
        </dl>
        </>
    };
    frame(dispatch, Icon::Function, &vertex.label, vertex.place.as_ref(), body)
}

fn resource(
    dispatch: &Dispatch,
    graph: &ResourceGraph,
    at: usize,
    state: Option<&ResourceState>,
    broken: Option<Html>,
    (values, last): (Html, Html),
) -> Html {
    let vertex = &graph.vertices[at];
    let jump = |index: u32, edge: &ResourceEdge| {
        let other = graph.vertices.get(index as usize).map(ResourceVertex::id).unwrap_or_default();
        let sends = as_label(&edge.sends.iter().map(|(from, to)| format!(" {from} → {to}")).collect::<String>());
        let note = if edge.notify { " (notifies)" } else { "" };
        let select = dispatch.on(Action::Select(Some(Selection::Resource(other.clone()))));
        html! { <li><button class="link" onclick={select}>{ as_label(&other) }</button>{ sends }{ note }</li> }
    };
    let before = graph.edges.iter().filter(|edge| edge.to as usize == at);
    let after = graph.edges.iter().filter(|edge| edge.from as usize == at);
    let fields = vertex
        .fields
        .iter()
        .chain(&vertex.meta)
        .map(|field| row(&field.name, html! { <code>{ as_lines(&field.value) }</code> }));
    html! {
        <>
            if let Some(state) = state {
                <p class={classes!("phase", phase_look(state.phase).0)}>
                    { icon(phase_look(state.phase).1) }<strong>{ phase_look(state.phase).2 }</strong>
                    if !state.text.is_empty() { <span>{ ": " }{ as_lines(&state.text) }</span> }
                </p>
            }
            { last }
            { broken }
            <dl>
                { for fields }
                { values }
                { neighbours("after", before, |edge| jump(edge.from, edge)) }
                { neighbours("before", after, |edge| jump(edge.to, edge)) }
                if !vertex.grouped.is_empty() { { row("grouped", html! { { as_label(&vertex.grouped.join(", ")) } }) } }
            </dl>
        </>
    }
}

/// Actions that change a file by hand.
fn break_it(dispatch: &Dispatch, path: &str) -> Html {
    let path = path.to_owned();
    let act = |words: &str, action: HostAction| {
        html! { <button class="button danger" onclick={dispatch.ask(Request::Act { action })}>{ words.to_owned() }</button> }
    };
    html! {
        <div class="break" role="group" aria-label="Break it">
            <span>{ "Break it:" }</span>
            if !path.ends_with('/') {
                { act("change it", HostAction::Write { path: path.clone(), text: "someone was here\n".into() }) }
            }
            { act("delete it", HostAction::Remove { path: path.clone() }) }
            if !path.ends_with('/') {
                { act("replace it with a directory", HostAction::ReplaceByDir { path: path.clone() }) }
            }
            { act("chmod 0", HostAction::SetMode { path, mode: 0 }) }
        </div>
    }
}
