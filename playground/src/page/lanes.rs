//! The timeline of each resource of the displayed host.

use super::icons::{icon, kind_icon};
use super::picture::Pictures;
use super::store::{Dispatch, Part};
use super::time_line::look;
use super::transport::stamp;
use crate::graphs::board::{self, Board};
use crate::shown::as_label;
use crate::state::lanes::{self, Lane, MAX_LANES};
use crate::state::time::{self, TimeShows, n_columns};
use crate::state::{Action, Selection};
use mclive_base::shapes::host::Tone;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

/// The id of the element, for the button that opens it.
pub(super) const ID: &str = "lanes";

#[component]
pub(super) fn Lanes(props: &Part<TimeShows>) -> Html {
    let Part { dispatch, shows } = props;
    let host = &shows.moments.0;
    let all = use_memo((shows.marks.clone(), host.clone()), |(marks, host)| lanes::lanes(marks, host));
    let sought = use_state(AttrValue::default);
    let found = lanes::found(&all, &sought);
    let seek = {
        let sought = sought.clone();
        Callback::from(move |event: InputEvent| {
            sought.set(event.target_unchecked_into::<HtmlInputElement>().value().into());
        })
    };
    let name = as_label(host);
    let is_sought = !sought.trim().is_empty();
    let words = match (all.len(), found.len()) {
        (0, _) => format!("No resource of {name} has changed yet"),
        (_, 0) => "No resource matches".to_owned(),
        (_, 1) => format!("1 resource of {name} {}", if is_sought { "matches" } else { "changed" }),
        (_, n) => {
            let most = if n > MAX_LANES { format!("; the first {MAX_LANES} are shown") } else { String::new() };
            format!("{n} resources of {name} {}{most}", if is_sought { "match" } else { "changed" })
        }
    };
    let (here, n_columns) = (shows.column(), n_columns(shows.marks.len()));
    let step = shows.at.and_then(|at| shows.marks.get(at)).map_or(0, |mark| mark.step);
    // Tab leads to one lane, the last one that had the focus, and then on: the arrow keys lead to the others.
    let last = use_state_eq(|| None::<String>);
    let focused = {
        let last = last.clone();
        use_callback((), move |id: String, _: &()| last.set(Some(id)))
    };
    let shown = &found[..found.len().min(MAX_LANES)];
    let stop = shown.iter().position(|lane| last.as_ref() == Some(&lane.id)).unwrap_or(0);
    let row = |(at, lane): (usize, &&Rc<Lane>)| {
        let (lane, is_stop) = (Rc::clone(lane), at == stop);
        let is_selected = shows.selected.as_ref() == Some(&lane.id);
        let (key, dispatch, focused) = (lane.id.clone(), dispatch.clone(), focused.clone());
        html! { <Row key={key} {dispatch} {lane} {here} {n_columns} {step} {is_selected} {is_stop} {focused} /> }
    };
    let draw = {
        let (shows, all) = (shows.clone(), all.clone());
        Callback::from(move |()| board(&shows, &all))
    };
    html! {
        <section id={ID} class="lanes" aria-label="Timeline of each resource">
            <header>
                <input type="text" aria-label="Search the resources" placeholder="Search" value={(*sought).clone()} oninput={seek} spellcheck="false" />
                <p role="status">{ words }</p>
                <Pictures dispatch={dispatch.clone()} what="timeline" name="timeline" {draw} />
            </header>
            <ul>{ for shown.iter().enumerate().map(row) }</ul>
        </section>
    }
}

#[derive(Properties, PartialEq, Clone)]
struct RowProps {
    dispatch: Dispatch,
    lane: Rc<Lane>,
    /// The column of the present moment.
    here: usize,
    n_columns: usize,
    /// The step of the present moment.
    step: u64,
    is_selected: bool,
    /// Whether Tab leads to it.
    is_stop: bool,
    /// It has the focus.
    focused: Callback<String>,
}

#[component]
fn Row(props: &RowProps) -> Html {
    let RowProps { dispatch, lane, here, n_columns, is_selected, is_stop, focused, .. } = props;
    let track = use_node_ref();
    let name = as_label(&lane.id);
    let kind = lane.id.split('[').next().unwrap_or_default();
    let n = lane.moments.len();
    let label = format!("{name}, {n} event{}", if n == 1 { "" } else { "s" });
    let select =
        dispatch.on::<MouseEvent>(Action::Select((!is_selected).then(|| Selection::Resource(lane.id.clone()))));
    let go = {
        let (props, track) = (props.clone(), track.clone());
        Callback::from(move |event: MouseEvent| {
            let Some(rect) = track.cast::<Element>().map(|track| track.get_bounding_client_rect()) else { return };
            let place = (f64::from(event.client_x()) - rect.left()) / rect.width().max(1.0);
            if let Some(step) = props.lane.nearest(place * props.n_columns as f64) {
                props.dispatch.send(Action::GoTo(step));
            }
        })
    };
    let onfocus = {
        let (focused, id) = (focused.clone(), lane.id.clone());
        Callback::from(move |_: FocusEvent| focused.emit(id.clone()))
    };
    html! {
        <li>
            <button class="lane-name" onclick={select} onkeydown={pressed(props)} {onfocus} tabindex={if *is_stop { "0" } else { "-1" }}
                aria-pressed={is_selected.to_string()} aria-label={label}
                title={format!("{name}: show what led to it; use the arrow keys to go to its events")}>
                { icon(kind_icon(kind)) }<span>{ name.clone() }</span>
            </button>
            <div ref={track} class="lane" onclick={go}>
                <svg viewBox={format!("0 0 {n_columns} 1")} preserveAspectRatio="none" aria-hidden="true" focusable="false">
                    { for bars(lane, *here).into_iter().map(|((look, is_ahead), path)| html! {
                        <path class={classes!("moment", look, is_ahead.then_some("ahead"))} d={path} />
                    }) }
                    <rect class="here" x={here.to_string()} y="0" width="0.72" height="1" />
                </svg>
            </div>
        </li>
    }
}

/// The bars of each style as one path, since elements are what makes a page slow.
fn bars(lane: &Lane, here: usize) -> BTreeMap<(&'static str, bool), String> {
    let mut paths: BTreeMap<(&'static str, bool), String> = BTreeMap::new();
    for (column, tone) in &lane.bars {
        let path = paths.entry((look(*tone), *column > here)).or_default();
        let _ = write!(path, "M{column} .07h.72v.86h-.72z");
    }
    paths
}

/// The timeline as a picture: a lane for each host, and for each resource of the displayed one.
fn board(shows: &TimeShows, lanes: &[Rc<Lane>]) -> Board {
    let (here, n_columns) = (shows.column(), n_columns(shows.marks.len()));
    let lane = |name: &str, bars: Vec<(usize, &'static str)>| board::Part::Lane {
        name: name.to_owned(),
        bars,
        n_columns,
        here,
    };
    let bars = time::bars(&shows.marks, &shows.hosts);
    let host = |(at, host): (usize, &String)| {
        let own = bars.iter().filter(|bar| bar.lane == at);
        lane(host, own.map(|bar| (bar.column, colour(bar.tone))).collect())
    };
    let mut parts = vec![board::Part::Heading("Hosts".to_owned())];
    parts.extend(shows.hosts.iter().enumerate().map(host));
    parts.push(board::Part::Heading(format!("Resources of {}", shows.moments.0)));
    let resource =
        |of: &Rc<Lane>| lane(&of.id, of.bars.iter().map(|(column, tone)| (*column, colour(*tone))).collect());
    parts.extend(lanes.iter().map(resource));
    let at_ms = |at: Option<usize>| at.and_then(|at| shows.marks.get(at)).map_or(0, |mark| mark.at_ms);
    let (from, to) = (stamp(at_ms(Some(0))), stamp(at_ms(shows.marks.len().checked_sub(1))));
    Board { title: format!("Timeline from {from} to {to}, at {}", stamp(at_ms(shows.at))), parts }
}

/// The name of the colour of a style.
pub(super) fn colour(tone: Tone) -> &'static str {
    match tone {
        Tone::Quiet | Tone::Info => "edge",
        Tone::Good => "good",
        Tone::Change => "info",
        Tone::Warn => "warn",
        Tone::Bad => "bad",
        Tone::Player => "accent",
    }
}

/// Left and right go to the events of the resource, up and down to the other resources.
fn pressed(props: &RowProps) -> Callback<KeyboardEvent> {
    let props = props.clone();
    Callback::from(move |event: KeyboardEvent| {
        if event.alt_key() || event.ctrl_key() || event.meta_key() {
            return;
        }
        let (lane, step) = (&props.lane, props.step);
        let there = match event.key().as_str() {
            "ArrowLeft" => lane.before(step),
            "ArrowRight" => lane.after(step),
            "Home" => lane.moments.first().map(|(step, _)| *step),
            "End" => lane.moments.last().map(|(step, _)| *step),
            "ArrowUp" => return focus_beside(&event, Element::previous_element_sibling),
            "ArrowDown" => return focus_beside(&event, Element::next_element_sibling),
            _ => return,
        };
        event.prevent_default();
        if let Some(step) = there {
            props.dispatch.send(Action::GoTo(step));
        }
    })
}

/// Moves the focus to the lane beside that of the event.
fn focus_beside(event: &KeyboardEvent, beside: fn(&Element) -> Option<Element>) {
    event.prevent_default();
    let row = event.target_dyn_into::<Element>().and_then(|button| button.closest("li").ok().flatten());
    let button = row.and_then(|row| beside(&row)).and_then(|row| row.query_selector("button").ok().flatten());
    if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
        let _ = button.focus();
    }
}
