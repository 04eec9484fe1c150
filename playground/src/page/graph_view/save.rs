//! The menu for exporting the graph: as a picture, and as text for other programs.

use super::{Face, Shape};
use crate::graphs::board::Board;
use crate::graphs::svg::{Sheet, Vertex};
use crate::page::browser;
use crate::page::icons::{Icon, icon};
use crate::page::menu::Menu;
use crate::page::picture::{Drawn, colours, save_png};
use crate::page::store::Dispatch;
use crate::state::{Action, Shared};
use crate::worker::protocol::{Form, Graph};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq, Clone)]
pub(in crate::page) struct SaveProps {
    pub(in crate::page) dispatch: Dispatch,
    pub(in crate::page) graph: Graph,
    /// The title inside the picture.
    pub(in crate::page) title: AttrValue,
    pub(in crate::page) picture: Pictured,
}

/// What the picture shows.
#[derive(PartialEq, Clone)]
pub(in crate::page) enum Pictured {
    /// The whole graph.
    Graph(Shared<Shape>, Rc<Vec<Face>>),
    /// The graph is too large to be drawn: the list as it is displayed. The text formats contain all of the graph.
    List(Callback<(), Board>),
}

#[component]
pub(in crate::page) fn SaveMenu(props: &SaveProps) -> Html {
    let open = use_state(|| false);
    let SaveProps { dispatch, graph, title, picture } = props;
    let print = |form: Form, about: &str| item(form.suffix(), about, dispatch.on(Action::Print(*graph, form)));
    let draw = |suffix: &'static str, about: &str, give: fn(&Dispatch, String, Drawn)| {
        let (dispatch, graph, title, picture) = (dispatch.clone(), *graph, title.clone(), picture.clone());
        let give = Callback::from(move |_: MouseEvent| {
            let drawn = match &picture {
                Pictured::Graph(shape, faces) => drawn(&title, shape, faces),
                Pictured::List(draw) => Drawn::of(&draw.emit(())),
            };
            give(&dispatch, format!("{}.{suffix}", graph.name()), drawn);
        });
        item(suffix, about, give)
    };
    html! {
        <Menu id="save-graph" class="save" label="Save the graph" title="Save the graph as a file"
            button={html! { <>{ icon(Icon::Save) }<span>{ "Save" }</span></> }} open={open.clone()}>
            { draw("svg", "sharp at any size", |_, name, drawn| browser::save_text(&name, &drawn.svg)) }
            { draw("png", "for documents and chats", save_png) }
            { print(Form::Dot, "for Graphviz") }
            { print(Form::Json, "all fields, for scripts") }
        </Menu>
    }
}

fn item(suffix: &str, about: &str, onclick: Callback<MouseEvent>) -> Html {
    html! {
        <li><button class="menu-item" {onclick}><strong>{ suffix.to_uppercase() }</strong><span>{ about.to_owned() }</span></button></li>
    }
}

/// The whole graph.
fn drawn(title: &str, shape: &Shape, faces: &[Face]) -> Drawn {
    let vertices = faces.iter().map(vertex).collect();
    let title = match shape.n_left_out {
        0 => title.to_owned(),
        n => format!("{title}; {n} edges not shown"),
    };
    let sheet = Sheet { title: &title, drawing: &shape.drawing, lines: &shape.line_classes, vertices };
    Drawn { svg: sheet.to_svg(&colours()), size: sheet.size() }
}

fn vertex(face: &Face) -> Vertex<'_> {
    let Face { title, note, icon, state, label, .. } = face;
    let (icon, state) = (icon.map(Icon::path), state.map(|(look, mark)| (look, mark.path())));
    Vertex { title, note, label, icon, state }
}
