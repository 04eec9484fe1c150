//! What there is to know about the selected vertex: its source, type, value, fields and edges.

use super::browser;
use super::icons::{Icon, icon, kind_icon, phase_look};
use super::store::{Page, PageProps};
use crate::state::{Action, Selection, View};
use crate::worker::protocol::Request;
use mclive_base::shapes::host::HostAction;
use mclive_base::shapes::{Place, ResourceEdge, ResourceVertex};
use yew::prelude::*;

#[component]
pub(super) fn Inspector(props: &PageProps) -> Html {
    let page = &props.page;
    match (&page.model().selected, page.model().view) {
        (Some(Selection::Function(at)), View::Functions) => function(page, *at),
        (Some(Selection::Resource(id)), View::Resources) => resource(page, id),
        _ => html! {},
    }
}

fn frame(page: &Page, shape: Icon, title: &str, place: Option<&Place>, body: Html) -> Html {
    html! {
        <aside class="inspector" aria-label="Selected vertex">
            <header>
                { icon(shape) }
                <h2>{ title.to_owned() }</h2>
                { place.map(|place| source_button(page, place)) }
                <button class="button only-icon plain" onclick={page.on(Action::Select(None))} aria-label="Close">{ icon(Icon::Close) }</button>
            </header>
            <div class="inspected" tabindex="0">{ body }</div>
        </aside>
    }
}

/// Goes to the source.
fn source_button(page: &Page, place: &Place) -> Html {
    let page = page.clone();
    let go = Callback::from(move |_: MouseEvent| {
        if let Some((from, to)) = page.selected_range() {
            browser::editor_show(from, to, true);
        }
    });
    html! { <button class="button" onclick={go}>{ icon(Icon::Code) }<span>{ format!("line {}", place.start_line) }</span></button> }
}

fn row(name: &str, value: Html) -> Html {
    html! { <><dt>{ name.to_owned() }</dt><dd>{ value }</dd></> }
}

fn function(page: &Page, at: u32) -> Html {
    let graph = &page.model().check.functions.graph;
    let Some(vertex) = graph.vertices.get(at as usize) else { return html! {} };
    let jump = |index: u32, label: &str| {
        let name = graph.vertices.get(index as usize).map(|vertex| vertex.label.clone()).unwrap_or_default();
        let note = if label.is_empty() { String::new() } else { format!(" ({label})") };
        html! {
            <li><button class="link" onclick={page.on(Action::Select(Some(Selection::Function(index))))}>{ name }</button>{ note }</li>
        }
    };
    let inputs: Vec<Html> =
        graph.edges.iter().filter(|edge| edge.to == at).map(|edge| jump(edge.from, &edge.label)).collect();
    let outputs: Vec<Html> =
        graph.edges.iter().filter(|edge| edge.from == at).map(|edge| jump(edge.to, &edge.label)).collect();
    let body = html! {
        <dl>
            { row("value", match page.model().value_of(at) {
                Some(value) => html! { <code class="value">{ value.to_owned() }</code> },
                None => html! { <span class="none">{ "none yet" }</span> },
            }) }
            if let Some(ty) = &vertex.ty { { row("type", html! { <code>{ ty.clone() }</code> }) } }
            if !inputs.is_empty() { { row("from", html! { <ul>{ for inputs }</ul> }) } }
            if !outputs.is_empty() { { row("feeds", html! { <ul>{ for outputs }</ul> }) } }
        </dl>
    };
    frame(page, Icon::Function, &vertex.label, vertex.place.as_ref(), body)
}

fn resource(page: &Page, id: &str) -> Html {
    let model = page.model();
    let graph = &model.resources().graph;
    let Some(at) = graph.vertices.iter().position(|vertex| vertex.id() == id) else { return html! {} };
    let vertex = &graph.vertices[at];
    let state = model.sim.states.iter().find(|state| state.id == id).filter(|_| model.is_running());
    let jump = |index: u32, edge: &ResourceEdge| {
        let other = graph.vertices.get(index as usize).map(ResourceVertex::id).unwrap_or_default();
        let sends = edge.sends.iter().map(|(from, to)| format!(" {from} → {to}")).collect::<String>();
        let note = if edge.notify { " (notifies)" } else { "" };
        let select = page.on(Action::Select(Some(Selection::Resource(other.clone()))));
        html! { <li><button class="link" onclick={select}>{ other }</button>{ sends }{ note }</li> }
    };
    let before: Vec<Html> =
        graph.edges.iter().filter(|edge| edge.to as usize == at).map(|edge| jump(edge.from, edge)).collect();
    let after: Vec<Html> =
        graph.edges.iter().filter(|edge| edge.from as usize == at).map(|edge| jump(edge.to, edge)).collect();
    let fields = vertex
        .fields
        .iter()
        .chain(&vertex.meta)
        .map(|field| row(&field.name, html! { <code>{ field.value.clone() }</code> }));
    let body = html! {
        <>
            if let Some(state) = state {
                <p class={classes!("phase", phase_look(state.phase).0)}>
                    { icon(phase_look(state.phase).1) }<strong>{ phase_look(state.phase).2 }</strong>
                    if !state.text.is_empty() { <span>{ ": " }{ state.text.clone() }</span> }
                </p>
            }
            { break_it(page, vertex) }
            <dl>
                { for fields }
                if !before.is_empty() { { row("after", html! { <ul>{ for before }</ul> }) } }
                if !after.is_empty() { { row("before", html! { <ul>{ for after }</ul> }) } }
                if !vertex.grouped.is_empty() { { row("grouped", html! { { vertex.grouped.join(", ") } }) } }
            </dl>
        </>
    };
    frame(page, kind_icon(&vertex.kind), id, model.resource_place(id).as_ref(), body)
}

/// What can be done to a file behind the program's back.
fn break_it(page: &Page, vertex: &ResourceVertex) -> Html {
    let path = file_path(vertex);
    let is_there = |path: &str| {
        page.model().sim.files.iter().any(|file| file.path.trim_end_matches('/') == path.trim_end_matches('/'))
    };
    let Some(path) = path.filter(|path| page.model().is_running() && is_there(path)) else { return html! {} };
    let act = |words: &str, action: HostAction| {
        html! { <button class="button danger" onclick={page.on(Action::Asked(Request::Act { action }))}>{ words.to_owned() }</button> }
    };
    html! {
        <div class="break" role="group" aria-label="Break it">
            <span>{ "Break it:" }</span>
            if !path.ends_with('/') {
                { act("change it", HostAction::Write { path: path.clone(), text: "someone was here\n".into() }) }
            }
            { act("delete it", HostAction::Remove { path: path.clone() }) }
            if !path.ends_with('/') {
                { act("put a directory there", HostAction::ReplaceByDir { path: path.clone() }) }
            }
            { act("chmod 0", HostAction::SetMode { path, mode: 0 }) }
        </div>
    }
}

/// The path that a file resource is about.
fn file_path(vertex: &ResourceVertex) -> Option<String> {
    if vertex.kind != "file" {
        return None;
    }
    let field = vertex.fields.iter().find(|field| field.name == "path");
    Some(field.map_or(vertex.name.clone(), |field| field.value.trim_matches('"').to_owned()))
}
