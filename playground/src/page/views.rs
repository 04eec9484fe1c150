//! The right side: one view at a time, chosen by tabs. On a small screen the program is a tab too.

use super::graph_view::{Face, GraphView, Shape};
use super::host::HostView;
use super::icons::{Icon, icon, kind_icon, phase_look};
use super::inspector::Inspector;
use super::log::LogView;
use super::store::{Page, PageProps};
use crate::graphs::faces;
use crate::graphs::layout::{Drawing, Rect};
use crate::state::{Action, Selection, Shared, View};
use mclive_base::shapes;
use web_sys::KeyboardEvent;
use yew::prelude::*;

const TABS: [(View, &str, Icon); 5] = [
    (View::Code, "Program", Icon::Code),
    (View::Resources, "Resources", Icon::Graph),
    (View::Functions, "Functions", Icon::Function),
    (View::Host, "Host", Icon::Host),
    (View::Log, "Log", Icon::List),
];

#[component]
pub(super) fn Views(props: &PageProps) -> Html {
    let page = &props.page;
    let view = page.model().view;
    let keys = {
        let page = page.clone();
        Callback::from(move |event: KeyboardEvent| {
            let step = match event.key().as_str() {
                "ArrowRight" => 1,
                "ArrowLeft" => TABS.len() - 1,
                _ => return,
            };
            let at = TABS.iter().position(|tab| tab.0 == page.model().view).unwrap_or(0);
            let next = TABS[(at + step) % TABS.len()].0;
            page.send(Action::Show(next));
            focus_tab(next);
        })
    };
    let tab = |(view_of, name, shape): &(View, &'static str, Icon)| {
        let chosen = view == *view_of;
        let class = classes!("tab", (*view_of == View::Code).then_some("small-only"));
        html! {
            <button key={*name} class={class} role="tab" id={tab_id(*view_of)} aria-selected={chosen.to_string()} aria-controls="view"
                tabindex={if chosen { "0" } else { "-1" }} onclick={page.on(Action::Show(*view_of))}>
                { icon(*shape) }<span>{ *name }</span>{ badge(page, *view_of) }
            </button>
        }
    };
    html! {
        <>
            <div class="tabs" role="tablist" aria-label="Views" onkeydown={keys}>{ for TABS.iter().map(tab) }</div>
            <div id="view" class="view" role="tabpanel" aria-labelledby={tab_id(view)}>
                {
                    match view {
                        View::Code => html! {},
                        View::Resources => html! { <Resources page={page.clone()} /> },
                        View::Functions => html! { <Functions page={page.clone()} /> },
                        View::Host => html! { <HostView page={page.clone()} /> },
                        View::Log => html! { <LogView page={page.clone()} /> },
                    }
                }
            </div>
        </>
    }
}

fn tab_id(view: View) -> String {
    format!("tab-{view:?}").to_lowercase()
}

fn focus_tab(view: View) {
    use wasm_bindgen::JsCast;
    let tab = super::browser::element(&tab_id(view)).and_then(|tab| tab.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(tab) = tab {
        let _ = tab.focus();
    }
}

/// What is worth knowing of a view without opening it.
fn badge(page: &Page, view: View) -> Html {
    let model = page.model();
    let count = match view {
        View::Code => model.check.n_errors(),
        View::Resources => model.resources().graph.vertices.len(),
        View::Functions => model.check.functions.graph.vertices.len(),
        View::Host => model.sim.files.len(),
        View::Log => model.sim.log.len(),
    };
    if count == 0 {
        html! {}
    } else {
        html! { <span class="badge" aria-hidden="true">{ count }</span> }
    }
}

/// In place of a view that has nothing to show.
pub(super) fn empty(shape: Icon, title: &str, text: &str) -> Html {
    html! { <div class="empty">{ icon(shape) }<h2>{ title.to_owned() }</h2><p>{ text.to_owned() }</p></div> }
}

/// Why there is no graph, when there is none.
fn no_graph(page: &Page, shape: Icon, title: &str, text: &str) -> Html {
    let model = page.model();
    if model.check.edit == 0 && !model.held {
        html! { <div class="empty" role="status"><span class="spinner"></span><p>{ "Compiling…" }</p></div> }
    } else if model.check.n_errors() > 0 {
        empty(Icon::Warn, "The program has errors", "Mend them, and its graph appears here.")
    } else {
        empty(shape, title, text)
    }
}

/// The resource graph, with the state of each resource.
#[component]
fn Resources(props: &PageProps) -> Html {
    let page = &props.page;
    let model = page.model();
    let picture = model.resources().clone();
    let shape = use_memo(picture.clone(), |picture| {
        let class = |edge: &shapes::ResourceEdge| match (edge.notify, edge.sends.is_empty()) {
            (_, false) => "sends",
            (true, true) => "notify",
            (false, true) => "",
        };
        let ends = picture.graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        shape(&picture.drawing, ends, picture.graph.edges.iter().map(class).collect())
    });
    let faces = use_memo((picture.clone(), model.sim.states.clone(), model.is_running()), |(picture, ..)| {
        let phases = model.phases();
        let face = |vertex: &shapes::ResourceVertex| {
            let id = vertex.id();
            let state = phases.get(id.as_str()).map(|phase| phase_look(*phase));
            let words = state.map_or(String::new(), |(_, _, words)| format!(", {words}"));
            Face {
                title: faces::resource_title(vertex),
                note: vertex.kind.clone(),
                icon: Some(kind_icon(&vertex.kind)),
                state: state.map(|(class, mark, _)| (class, mark)),
                label: format!("{id}{words}"),
            }
        };
        picture.graph.vertices.iter().map(face).collect::<Vec<_>>()
    });
    let on_select = use_callback((page.0.dispatcher(), picture.clone()), |at: Option<u32>, (dispatcher, picture)| {
        let vertex = at.and_then(|at| picture.graph.vertices.get(at as usize));
        dispatcher.dispatch(Action::Select(vertex.map(|vertex| Selection::Resource(vertex.id()))));
    });
    if picture.graph.vertices.is_empty() {
        return no_graph(
            page,
            Icon::Graph,
            "No resources yet",
            "Add one, such as: file \"/tmp/hello\" { content => \"hi\\n\", }",
        );
    }
    let Some(shape) = &*shape else { return too_large(picture.graph.vertices.len()) };
    let selected = model.selected.as_ref().and_then(|selected| match selected {
        Selection::Resource(id) => picture.graph.vertices.iter().position(|vertex| vertex.id() == *id),
        Selection::Function(_) => None,
    });
    html! {
        <>
            <GraphView label="Resource graph. Arrow keys move between resources." shape={shape.clone()} {faces}
                selected={selected.map(|at| at as u32)} {on_select} />
            <Inspector page={page.clone()} />
        </>
    }
}

/// The function graph, with the current value of each vertex.
#[component]
fn Functions(props: &PageProps) -> Html {
    let page = &props.page;
    let model = page.model();
    let picture = model.check.functions.clone();
    let shape = use_memo(picture.clone(), |picture| {
        let ends: Vec<_> = picture.graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let classes = vec![""; ends.len()];
        shape(&picture.drawing, ends, classes)
    });
    let tells = (picture.clone(), model.sim.values.clone(), model.tells_values());
    let faces = use_memo(tells, |(picture, ..)| {
        let face = |(index, (vertex, rect)): (usize, (&shapes::FunctionVertex, &Rect))| {
            let value = model.value_of(index as u32);
            Face {
                title: faces::function_title(vertex),
                note: faces::value_note(value.or(vertex.ty.as_deref()).unwrap_or_default(), rect.w),
                icon: None,
                state: None,
                label: match value {
                    Some(value) => format!("{}, value {value}", vertex.label),
                    None => vertex.label.clone(),
                },
            }
        };
        let boxes = picture.drawing.iter().flat_map(|drawing| &drawing.boxes);
        picture.graph.vertices.iter().zip(boxes).enumerate().map(face).collect::<Vec<_>>()
    });
    let on_select = use_callback(page.0.dispatcher(), |at: Option<u32>, dispatcher| {
        dispatcher.dispatch(Action::Select(at.map(Selection::Function)));
    });
    if picture.graph.vertices.is_empty() {
        return no_graph(
            page,
            Icon::Function,
            "No values yet",
            "Everything in a program that has a value is drawn here.",
        );
    }
    let Some(shape) = &*shape else { return too_large(picture.graph.vertices.len()) };
    let selected = match model.selected {
        Some(Selection::Function(at)) => Some(at),
        Some(Selection::Resource(_)) | None => None,
    };
    html! {
        <>
            <GraphView label="Function graph. Arrow keys move between vertices." shape={shape.clone()} {faces}
                {selected} {on_select} />
            <Inspector page={page.clone()} />
        </>
    }
}

/// Nothing when it is too large to be drawn.
fn shape(drawing: &Option<Drawing>, edges: Vec<(u32, u32)>, line_classes: Vec<&'static str>) -> Option<Shared<Shape>> {
    drawing.clone().map(|drawing| Shared::new(Shape { drawing, edges, line_classes }))
}

fn too_large(n_vertices: usize) -> Html {
    empty(
        Icon::Graph,
        "Too large to draw",
        &format!("The graph has {n_vertices} vertices; a picture of it would help nobody."),
    )
}
