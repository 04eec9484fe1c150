//! The menu for exporting the graph: as a picture, and as text for other programs.

use super::{Face, Shape};
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
    /// `None`: the graph is too large to be drawn; the text formats contain all of it.
    pub(in crate::page) picture: Option<(Shared<Shape>, Rc<Vec<Face>>)>,
}

#[component]
pub(in crate::page) fn SaveMenu(props: &SaveProps) -> Html {
    let open = use_state(|| false);
    let SaveProps { dispatch, graph, title, picture } = props;
    let print = |form: Form, about: &str| item(form.suffix(), about, dispatch.on(Action::Print(*graph, form)));
    let draw = |suffix: &'static str, about: &str, give: fn(&Dispatch, String, Drawn)| {
        let Some((shape, faces)) = picture.clone() else { return html! {} };
        let (dispatch, graph, title) = (dispatch.clone(), *graph, title.clone());
        let give = Callback::from(move |_: MouseEvent| {
            give(&dispatch, format!("{}.{suffix}", graph.name()), drawn(&title, &shape, &faces));
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
    let Face { title, note, icon, state, label, n_changes: _ } = face;
    let (icon, state) = (icon.map(Icon::path), state.map(|(look, mark)| (look, mark.path())));
    Vertex { title, note, label, icon, state }
}
