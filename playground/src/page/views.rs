//! The right side: one view at a time, chosen by tabs. On a small screen the program is a tab too.

use super::app::part;
use super::browser;
use super::graph_list::GraphList;
use super::graph_view::{Face, GraphView, Shape};
use super::host::HostView;
use super::icons::{Icon, icon};
use super::inspector::Inspector;
use super::log::LogView;
use super::resource_faces::{MOST_GLOWING, use_resource_faces};
use super::store::Part;
use crate::graphs::{faces, groups};
use crate::shown::as_label;
use crate::state::shows::{FunctionsShow, NoGraph, OpenView, ResourcesShow, StageShows};
use crate::state::{Action, Effect, Selection, Shared, View};
use crate::worker::protocol::{Graph, Picture};
use gloo_events::EventListener;
use mclive_base::shapes;
use web_sys::KeyboardEvent;
use yew::prelude::*;

/// The width of a value in a list. Units: pixels.
const LISTED: f32 = 400.0;

const TABS: [(View, &str, Icon); 6] = [
    (View::Lesson, "Lesson", Icon::Learn),
    (View::Code, "Program", Icon::Code),
    (View::Resources, "Resources", Icon::Graph),
    (View::Functions, "Functions", Icon::Function),
    (View::Host, "Host", Icon::Host),
    (View::Log, "Log", Icon::List),
];

#[component]
pub(super) fn Views(props: &Part<StageShows>) -> Html {
    let dispatch = &props.dispatch;
    let StageShows { tabs, open } = &props.shows;
    let view = tabs.view;
    let n_hidden = usize::from(!tabs.has_lesson);
    let keys = {
        let dispatch = dispatch.clone();
        Callback::from(move |event: KeyboardEvent| {
            let is_small = browser::is_small();
            let tabs = &TABS[n_hidden..];
            let shown: Vec<View> = tabs.iter().map(|tab| tab.0).filter(|view| is_small || !is_aside(*view)).collect();
            let at = shown.iter().position(|one| *one == view).unwrap_or(0);
            let next = match event.key().as_str() {
                "ArrowRight" => (at + 1) % shown.len(),
                "ArrowLeft" => (at + shown.len() - 1) % shown.len(),
                "Home" => 0,
                "End" => shown.len() - 1,
                _ => return,
            };
            event.prevent_default();
            dispatch.send(Action::Show(shown[next]));
            focus_tab(shown[next]);
        })
    };
    {
        // A window that becomes wide shows the program beside the views, so one of these is open.
        let dispatch = dispatch.clone();
        use_effect_with(is_aside(view), move |is_open| {
            let widened = is_open.then(|| {
                EventListener::new(&browser::window(), "resize", move |_| {
                    if !browser::is_small() {
                        dispatch.send(Action::Show(View::Resources));
                    }
                })
            });
            move || drop(widened)
        });
    }
    // A model has its instances in place of a function graph.
    let title = |view: View, name: &'static str| if view == View::Functions && tabs.has_model { "Model" } else { name };
    let tab = |((view_of, name, shape), count): (&(View, &'static str, Icon), &usize)| {
        let chosen = view == *view_of;
        let class = classes!("tab", is_aside(*view_of).then_some("small-only"));
        html! {
            <button key={*name} class={class} role="tab" id={tab_id(*view_of)} aria-selected={chosen.to_string()} aria-controls="view"
                tabindex={if chosen { "0" } else { "-1" }} onclick={dispatch.on(Action::Show(*view_of))}>
                { icon(*shape) }<span>{ title(*view_of, name) }</span>{ badge(*count) }
            </button>
        }
    };
    html! {
        <>
            <div class="tabs" role="tablist" aria-label="Views" onkeydown={keys}>{ for TABS.iter().zip(&tabs.counts).skip(n_hidden).map(tab) }</div>
            <div id="view" class="view" role="tabpanel" aria-labelledby={tab_id(view)}>
                {
                    match open {
                        OpenView::Aside => html! {},
                        OpenView::Resources(shows, inspected) => html! {
                            <>
                                <Resources ..part(dispatch, shows.clone()) />
                                // One node in either case, so that what is beside it stays the same.
                                if let Some(shown) = &shows.effect { { effect(shown) } }
                                <Inspector ..part(dispatch, inspected.clone()) />
                            </>
                        },
                        OpenView::Functions(shows, inspected) => html! {
                            <>
                                <Functions ..part(dispatch, shows.clone()) />
                                <Inspector ..part(dispatch, inspected.clone()) />
                            </>
                        },
                        OpenView::Host(shows) => html! { <HostView ..part(dispatch, shows.clone()) /> },
                        OpenView::Log(shows) => html! { <LogView ..part(dispatch, shows.clone()) /> },
                    }
                }
            </div>
        </>
    }
}

/// Whether it has a tab on small screens only: on others it is next to the views.
fn is_aside(view: View) -> bool {
    matches!(view, View::Lesson | View::Code)
}

fn tab_id(view: View) -> String {
    format!("tab-{view:?}").to_lowercase()
}

fn focus_tab(view: View) {
    use wasm_bindgen::JsCast;
    let tab = browser::element(&tab_id(view)).and_then(|tab| tab.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(tab) = tab {
        let _ = tab.focus();
    }
}

/// A summary of a view on its tab. It has its room before there is a number: a tab that moves away under a pressed pointer
/// is not clicked.
fn badge(count: usize) -> Html {
    let is_empty = (count == 0).then_some("vacant");
    html! { <span class={classes!("badge", is_empty)} aria-hidden="true">if count > 0 { { count } }</span> }
}

/// What a file says, at the lower edge of the graph.
fn effect(effect: &Effect) -> Html {
    let (path, text) = (as_label(&effect.path), as_label(&effect.text));
    html! { <div class="effect"><p>{ icon(Icon::File) }<code>{ path }</code><span>{ text }</span></p></div> }
}

/// The placeholder of an empty view.
pub(super) fn empty(shape: Icon, title: &str, text: &str) -> Html {
    html! { <div class="empty">{ icon(shape) }<h2>{ title.to_owned() }</h2><p>{ text.to_owned() }</p></div> }
}

/// The placeholder of a missing graph.
fn no_graph(why: NoGraph, shape: Icon, title: &str, text: &str) -> Html {
    match why {
        NoGraph::Compiling => {
            html! { <div class="empty" role="status"><span class="spinner"></span><p>{ "Compiling…" }</p></div> }
        }
        NoGraph::Errors => empty(Icon::Warn, "The program has errors", "Fix them to see the graph."),
        NoGraph::Empty => empty(shape, title, text),
    }
}

/// The resource graph, with the state of each resource.
#[component]
fn Resources(props: &Part<ResourcesShow>) -> Html {
    let ResourcesShow { picture, states, repaired, host, is_model, otherwise, selected, chain, is_large, effect: _ } =
        &props.shows;
    let shape = use_memo(picture.clone(), |picture| {
        let class = |edge: &shapes::ResourceEdge| match (edge.notify, edge.sends.is_empty()) {
            (_, false) => "sends",
            (true, true) => "notify",
            (false, true) => "",
        };
        let ends = picture.graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        shape(picture, ends, picture.graph.edges.iter().map(class).collect())
    });
    let faces = use_resource_faces(picture, states.as_ref(), repaired.as_ref());
    let folds = use_memo(picture.clone(), |picture| {
        // Only a list is folded.
        let vertices = picture.drawing.is_none().then_some(&picture.graph.vertices).into_iter().flatten();
        let places = vertices.clone().map(|vertex| vertex.place.as_ref());
        let mut folds = vec![
            ("kind", vertices.map(|vertex| vertex.kind.clone()).collect()),
            ("module", groups::by_place(places.clone(), groups::file)),
        ];
        for (what, names) in [("class", &picture.around.classes), ("loop", &picture.around.loops)] {
            if names.iter().any(|name| !name.is_empty()) {
                folds.push((what, groups::by_block(what, names)));
            }
        }
        folds.push(("declaration", groups::by_place(places, groups::declaration)));
        folds
    });
    let led = use_memo((picture.clone(), chain.clone()), |(picture, chain)| {
        let vertices =
            picture.graph.vertices.iter().zip(0..).filter(|(vertex, _)| chain.resources.contains(&vertex.id()));
        vertices.map(|(_, at)| at).collect::<Vec<u32>>()
    });
    let on_select = use_callback((props.dispatch.clone(), picture.clone()), |at: Option<u32>, (dispatch, picture)| {
        let vertex = at.and_then(|at| picture.graph.vertices.get(at as usize));
        dispatch.send(Action::Select(vertex.map(|vertex| Selection::Resource(vertex.id()))));
    });
    if let Some(why) = *otherwise {
        let text = match *is_model {
            true => "The resources that the model exports to this host will appear here.",
            false => "Add one, for example: file \"/tmp/hello\" { state => \"exists\", content => \"hi\\n\", }",
        };
        return no_graph(why, Icon::Graph, "No resources yet", text);
    }
    let dispatch = &props.dispatch;
    let title = match host {
        Some(host) => format!("Resource graph of {}", as_label(host)),
        None => "Resource graph".to_owned(),
    };
    let Some(shape) = &*shape else {
        let selected = position(picture, selected.as_deref());
        return html! {
            <GraphList dispatch={dispatch.clone()} graph={Graph::Resources} {title} what="resources" {faces} {folds} {selected} {led} {on_select} />
        };
    };
    let selected = position(picture, selected.as_deref());
    html! {
        <GraphView dispatch={dispatch.clone()} graph={Graph::Resources} {title} label="Resource graph. Arrow keys move between resources." shape={shape.clone()} {faces}
            {selected} {led} {on_select} is_large={*is_large} />
    }
}

/// The function graph, with the current value of each vertex.
#[component]
fn Functions(props: &Part<FunctionsShow>) -> Html {
    let FunctionsShow { picture, values, value_of, in_full, graph, otherwise, selected, chain, is_large } =
        &props.shows;
    let shape = use_memo(picture.clone(), |picture| {
        let ends: Vec<_> = picture.graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let classes = vec![""; ends.len()];
        shape(picture, ends, classes)
    });
    let before = use_mut_ref(|| (picture.clone(), Vec::<(String, u32)>::new()));
    let faces = use_memo((picture.clone(), values.clone(), value_of.clone()), |(picture, values, value_of)| {
        // How often each value has changed since the graph was drawn.
        let (last, known) = &mut *before.borrow_mut();
        if last != picture {
            (*last, *known) = (picture.clone(), Vec::new());
        }
        let value_at = |index: usize| {
            let of = value_of.get(index).map_or(index, |at| *at as usize);
            values.as_ref().and_then(|values| values.get(of)?.as_deref())
        };
        let has_changed =
            |(index, (old, _)): (usize, &(String, u32))| !old.is_empty() && value_at(index).unwrap_or_default() != old;
        let n_changed = known.iter().enumerate().filter(|one| has_changed(*one)).count();
        let mut n_changes = |index: usize, value: Option<&str>| {
            let value = value.unwrap_or_default();
            match known.get_mut(index) {
                None => known.push((value.to_owned(), 0)),
                Some((old, n)) if old != value => {
                    *n += u32::from(!old.is_empty() && n_changed <= MOST_GLOWING);
                    value.clone_into(old);
                }
                Some(_) => {}
            }
            known[index].1
        };
        let boxes = picture.drawing.as_ref().map(|drawing| &drawing.boxes);
        let face = |(index, vertex): (usize, &shapes::FunctionVertex)| {
            let width = boxes.and_then(|boxes| boxes.get(index)).map_or(LISTED, |rect| rect.w);
            let value = value_at(index);
            let name = as_label(&vertex.label);
            Face {
                n_changes: n_changes(index, value),
                title: faces::function_title(vertex).into(),
                note: faces::value_note(value.or(vertex.ty.as_deref()).unwrap_or_default(), width).into(),
                icon: None,
                state: None,
                label: match value {
                    Some(value) => format!("{name}, value {}", as_label(value)).into(),
                    None => name.clone().into(),
                },
                name: name.into(),
            }
        };
        picture.graph.vertices.iter().enumerate().map(face).collect::<Vec<_>>()
    });
    let folds = use_memo(picture.clone(), |picture| {
        let ty = |vertex: &shapes::FunctionVertex| vertex.ty.clone().unwrap_or_else(|| "without a type".to_owned());
        let vertices = picture.drawing.is_none().then_some(&picture.graph.vertices).into_iter().flatten();
        let places = vertices.clone().map(|vertex| vertex.place.as_ref());
        vec![("type", vertices.map(ty).collect()), ("module", groups::by_place(places, groups::file))]
    });
    let led = use_memo(chain.clone(), |chain| chain.vertices.clone());
    let on_select = use_callback(props.dispatch.clone(), |at: Option<u32>, dispatch| {
        dispatch.send(Action::Select(at.map(Selection::Function)));
    });
    let (dispatch, graph) = (&props.dispatch, *graph);
    let is_model = graph == Graph::Model;
    if let Some(why) = *otherwise {
        let (title, text) = match is_model {
            true => ("No instances yet", "The instances of the model will appear here."),
            false => ("No variables yet", "The variables and computed values of the program will appear here."),
        };
        return no_graph(why, Icon::Function, title, text);
    }
    let (title, what, label) = match is_model {
        true => ("Model", "instances", "Model. Arrow keys move between instances."),
        false => ("Function graph", "vertices", "Function graph. Arrow keys move between vertices."),
    };
    let Some(shape) = &*shape else {
        return html! {
            <GraphList dispatch={dispatch.clone()} {graph} {title} {what} {faces} {folds} selected={*selected} {led} {on_select} />
        };
    };
    let in_full = (!is_model).then_some(*in_full);
    html! {
        <GraphView dispatch={dispatch.clone()} {graph} {title} {label} shape={shape.clone()} {faces}
            selected={*selected} {in_full} {led} {on_select} is_large={*is_large} />
    }
}

/// `None` if it is too large to be drawn.
fn shape<G>(picture: &Picture<G>, edges: Vec<(u32, u32)>, line_classes: Vec<&'static str>) -> Option<Shared<Shape>> {
    let n_left_out = picture.n_left_out;
    picture.drawing.clone().map(|drawing| Shared::new(Shape { drawing, edges, line_classes, n_left_out }))
}

/// The position of a resource in its graph.
fn position(picture: &Picture<shapes::ResourceGraph>, id: Option<&str>) -> Option<u32> {
    let id = id?;
    let at = picture.graph.vertices.iter().position(|vertex| vertex.has_id(id))?;
    u32::try_from(at).ok()
}
