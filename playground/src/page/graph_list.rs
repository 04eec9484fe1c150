//! A graph that is too large to be drawn, as a list: searched, and folded by a property that the user chooses.

use super::graph_view::{Face, Pictured, SaveMenu};
use super::icons::{Icon, icon};
use super::store::Dispatch;
use crate::graphs::board::{Board, Part};
use crate::graphs::{groups, search};
use crate::shown::as_label;
use crate::worker::protocol::Graph;
use std::collections::BTreeSet;
use std::rc::Rc;
use web_sys::{HtmlInputElement, HtmlSelectElement, KeyboardEvent};
use yew::prelude::*;

/// The maximum number of rows of an open group: a page with more elements becomes slow.
const MAX_ROWS: usize = 200;
/// The maximum number of groups that a search opens.
const MAX_OPENED: usize = 5;

#[derive(Properties, PartialEq, Clone)]
pub(super) struct GraphListProps {
    pub(super) dispatch: Dispatch,
    pub(super) graph: Graph,
    pub(super) title: AttrValue,
    /// What the vertices are: `resources`.
    pub(super) what: &'static str,
    pub(super) faces: Rc<Vec<Face>>,
    /// The properties to fold by: a name, and the group of each vertex.
    pub(super) folds: Rc<Vec<(&'static str, Vec<String>)>>,
    pub(super) selected: Option<u32>,
    /// The vertices that led to the selection, or that it is about.
    pub(super) led: Rc<Vec<u32>>,
    pub(super) on_select: Callback<Option<u32>>,
}

#[component]
pub(super) fn GraphList(props: &GraphListProps) -> Html {
    let sought = use_state(AttrValue::default);
    let opened = use_state(BTreeSet::<String>::new);
    let fold = use_state(|| 0_usize);
    let found = use_memo(((*sought).clone(), props.faces.clone()), |(sought, faces)| {
        (!sought.trim().is_empty()).then(|| search::matches(sought, faces.iter().map(|face| face.label.as_str())))
    });
    let groups = use_memo((found.clone(), props.folds.clone(), *fold), |(found, folds, fold)| {
        let of = folds.get(*fold).map(|(_, of)| of.as_slice()).unwrap_or_default();
        groups::grouped(of.iter().map(String::as_str), found.as_deref())
    });
    let by = {
        let (fold, opened) = (fold.clone(), opened.clone());
        Callback::from(move |event: Event| {
            let field: HtmlSelectElement = event.target_unchecked_into();
            fold.set(usize::try_from(field.selected_index()).unwrap_or(0));
            opened.set(BTreeSet::new());
        })
    };
    let seek = {
        let sought = sought.clone();
        Callback::from(move |event: InputEvent| {
            let field: HtmlInputElement = event.target_unchecked_into();
            sought.set(field.value().into());
        })
    };
    let leave = {
        let sought = sought.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                sought.set(AttrValue::default());
            }
        })
    };
    let group = |(number, group): (usize, &groups::Group)| {
        let by_search = found.is_some() && number < MAX_OPENED;
        let is_open = opened.contains(&group.name) != by_search;
        let toggle = {
            let (opened, name) = (opened.clone(), group.name.clone());
            Callback::from(move |_: MouseEvent| {
                let mut now = (*opened).clone();
                if !now.remove(&name) {
                    now.insert(name.clone());
                }
                opened.set(now);
            })
        };
        let rows = if is_open { &group.members[..group.members.len().min(MAX_ROWS)] } else { &[] };
        let n_left = if is_open { group.members.len() - rows.len() } else { 0 };
        let states = group.members.iter().filter_map(|at| props.faces.get(*at as usize)?.state.map(|(class, _)| class));
        html! {
            <li key={group.name.clone()}>
                <button class="group" aria-expanded={is_open.to_string()} onclick={toggle}>
                    { icon(Icon::Caret) }<span>{ as_label(&group.name) }</span><span class="badge">{ group.members.len() }</span>
                    { for groups::counts(states).into_iter().map(|(class, n, word)| html! { <span class={classes!("states", class)}>{ format!("{n} {word}") }</span> }) }
                </button>
                if is_open {
                    <ul>{ for rows.iter().map(|at| row(props, *at)) }</ul>
                    if n_left > 0 { <p>{ format!("{n_left} more; search to find them") }</p> }
                }
            </li>
        }
    };
    let draw = {
        let (props, groups, opened) = (props.clone(), groups.clone(), opened.clone());
        let n_by_search = if found.is_some() { MAX_OPENED } else { 0 };
        Callback::from(move |()| {
            let is_open = |number: usize, group: &groups::Group| opened.contains(&group.name) != (number < n_by_search);
            picture(&props, &groups, is_open)
        })
    };
    let n_all = props.faces.len();
    let count = match &*found {
        Some(found) => format!("{} of {n_all} {}", found.len(), props.what),
        None => format!("{n_all} {}, too many to draw", props.what),
    };
    html! {
        <div class="graph listed">
            <div class="list-head">
                <output>{ count }</output>
                if props.folds.len() > 1 {
                    <label>{ "Group by" }
                        <select onchange={by}>
                            { for props.folds.iter().enumerate().map(|(at, (name, _))| html! { <option selected={at == *fold}>{ *name }</option> }) }
                        </select>
                    </label>
                }
                <input type="text" aria-label="Search the graph" placeholder="Search" value={(*sought).clone()} oninput={seek} onkeydown={leave} />
            </div>
            <ul class="groups" aria-label={props.title.clone()}>{ for groups.iter().enumerate().map(group) }</ul>
            <SaveMenu dispatch={props.dispatch.clone()} graph={props.graph} title={props.title.clone()} picture={Pictured::List(draw)} />
        </div>
    }
}

/// The list as a picture: its groups, and the rows of the open ones.
fn picture(props: &GraphListProps, groups: &[groups::Group], is_open: impl Fn(usize, &groups::Group) -> bool) -> Board {
    let face = |at: &u32| props.faces.get(*at as usize);
    let row = |face: &Face| {
        let colour = face.state.map(|(class, _)| groups::colour(class));
        Part::Row { name: face.title.to_string(), text: face.note.to_string(), colour }
    };
    let mut parts = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let states = group.members.iter().filter_map(|at| face(at)?.state.map(|(class, _)| class));
        let states = groups::counts(states).into_iter().map(|(_, n, word)| format!(", {n} {word}"));
        parts.push(Part::Heading(format!("{}: {}{}", group.name, group.members.len(), states.collect::<String>())));
        if is_open(number, group) {
            parts.extend(group.members.iter().take(MAX_ROWS).filter_map(face).map(row));
            let n_left = group.members.len().saturating_sub(MAX_ROWS);
            parts.extend((n_left > 0).then(|| Part::Text { text: format!("{n_left} more"), colour: "muted" }));
        }
    }
    Board { title: props.title.to_string(), parts }
}

fn row(props: &GraphListProps, at: u32) -> Html {
    let Some(face) = props.faces.get(at as usize) else { return html! {} };
    let select = props.on_select.reform(move |_: MouseEvent| Some(at));
    let class = face.state.map_or("", |(class, _)| class);
    let led = props.led.binary_search(&at).is_ok().then_some("led");
    html! {
        <li key={at}>
            <button class={classes!("listed-vertex", class, led)} aria-pressed={(props.selected == Some(at)).to_string()} onclick={select} title={face.label.clone()}>
                { face.state.map(|(_, mark)| icon(mark)) }
                <span>{ &face.title }</span>
            </button>
        </li>
    }
}
