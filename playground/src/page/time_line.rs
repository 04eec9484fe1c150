//! The timeline of all marks: one lane for each host, navigation to each moment, and the goal of running.

use super::icons::{Icon, icon};
use super::store::{Dispatch, Part};
use super::transport::stamp;
use crate::state::Action;
use crate::state::time::{Bar, TimeShows, bars, n_columns};
use crate::worker::protocol::Request;
use mclive_base::shapes::host::{Goal, Mark, Tone};
use mclive_base::unicode::visible;
use web_sys::{Element, HtmlSelectElement, KeyboardEvent, PointerEvent};
use yew::prelude::*;

/// The number of moments per page key.
const PAGE: isize = 10;

#[component]
pub(super) fn TimeLine(props: &Part<TimeShows>) -> Html {
    let Part { dispatch, shows } = props;
    let bars = use_memo((shows.marks.clone(), shows.hosts.clone()), |(marks, hosts)| bars(marks, hosts));
    let track = use_node_ref();
    let drag = use_state_eq(|| None::<Drag>);
    let n_lanes = shows.hosts.len().max(1);
    let n_columns = n_columns(shows.marks.len());
    let mark = shows.at.and_then(|at| shows.marks.get(at));
    let words = match (*drag, mark) {
        (Some(drag), _) if drag.is_elsewhere() => format!("Release to do this at {}", stamp(drag.to_ms)),
        (_, Some(mark)) => in_words(mark, n_lanes > 1),
        (_, None) => "Nothing has happened yet".to_owned(),
    };
    let here = shows.column();
    let bar = |bar: &Bar| {
        let class = classes!("moment", look(bar.tone), (bar.column > here).then_some("ahead"));
        html! { <rect {class} x={bar.column.to_string()} y={bar.lane.to_string()} width="0.72" height="0.86" /> }
    };
    html! {
        <div class="time-line">
            <button class="button only-icon" onclick={dispatch.on(Action::StepBack)} disabled={!shows.is_running || shows.beside(-1).is_none()}
                aria-label="Step back" title="Step back to the previous event (Alt+P)">{ icon(Icon::StepBack) }</button>
            <div class="time-words">
                <p class={classes!("moment-words", shows.is_back().then_some("back"))}>{ words.clone() }</p>
                <div ref={track.clone()} class="track" role="slider" tabindex="0" aria-label="Moments" aria-orientation="horizontal"
                    aria-valuemin="0" aria-valuemax={shows.marks.len().saturating_sub(1).to_string()}
                    aria-valuenow={shows.at.unwrap_or(0).to_string()} aria-valuetext={words}
                    onkeydown={pressed(dispatch, shows, &drag)} onpointerdown={pointed(dispatch, shows, &track, &drag, true)}
                    onpointermove={pointed(dispatch, shows, &track, &drag, false)}
                    onpointerup={released(dispatch, &drag)} onpointercancel={cancelled(&drag)}>
                    <svg viewBox={format!("0 0 {n_columns} {n_lanes}")} preserveAspectRatio="none" aria-hidden="true" focusable="false">
                        { for bars.iter().map(bar) }
                        if let Some(drag) = drag.filter(Drag::is_elsewhere) {
                            <rect class="moment player" x={drag.column.to_string()} y="0" width="0.72" height={n_lanes.to_string()} />
                        }
                        { for shows.marked().into_iter().map(|(column, lane)| html! {
                            <rect class="led" x={column.to_string()} y={lane.to_string()} width="0.72" height="0.3" />
                        }) }
                        if mark.is_some() { <rect class="here" x={here.to_string()} y="0" width="0.72" height={n_lanes.to_string()} /> }
                    </svg>
                </div>
            </div>
            // One node in either case, so that the timeline beside it stays the same element and keeps the focus.
            if let Some(mark) = mark.filter(|mark| mark.tone == Tone::Player) { { shift(dispatch, mark) } }
            if shows.is_back() {
                <button class="button" onclick={go_to(dispatch, shows.marks.back())} title="Go to the latest moment (End)">{ "Latest" }</button>
            }
            { until(dispatch, shows.is_running) }
            <button class="button" onclick={dispatch.on(Action::Asked(Request::Save))} disabled={!shows.is_running}
                title="Save everything you did up to this moment as a scenario for `mclive test`">{ "Save as a scenario" }</button>
        </div>
    }
}

/// The user's action at the displayed moment, while it is dragged along the timeline.
#[derive(Clone, Copy, PartialEq)]
struct Drag {
    step: u64,
    from_ms: u64,
    to_ms: u64,
    column: usize,
}

impl Drag {
    fn is_elsewhere(&self) -> bool {
        self.to_ms != self.from_ms
    }
}

/// Moves an action of the user in time.
fn shift(dispatch: &Dispatch, mark: &Mark) -> Html {
    let by = |by_ms: i64| dispatch.on(Action::Shift(mark.step, by_ms));
    let about = "See what would have happened if you had done this";
    html! {
        <span class="shift" role="group" aria-label="Move this event">
            <button class="button" onclick={by(-1_000)} title={format!("{about} one second earlier")}>{ "−1 s" }</button>
            <button class="button" onclick={by(1_000)} title={format!("{about} one second later")}>{ "+1 s" }</button>
        </span>
    }
}

/// The menu of goals.
fn until(dispatch: &Dispatch, is_running: bool) -> Html {
    let chosen = {
        let dispatch = dispatch.clone();
        Callback::from(move |event: Event| {
            let select = event.target_unchecked_into::<HtmlSelectElement>();
            match select.value().as_str() {
                "converged" => dispatch.send(Action::RunUntil(Goal::Converged)),
                "failure" => dispatch.send(Action::RunUntil(Goal::Failure)),
                _ => {}
            }
            // It acts as a menu: the same item may be chosen again.
            select.set_selected_index(0);
        })
    };
    html! {
        <label class="until"><span class="sr">{ "Run until" }</span>
            <select onchange={chosen} disabled={!is_running}>
                <option value="" selected=true>{ "Run until…" }</option>
                <option value="converged">{ "converged" }</option>
                <option value="failure">{ "something fails" }</option>
            </select>
        </label>
    }
}

fn go_to<E>(dispatch: &Dispatch, mark: Option<&Mark>) -> Callback<E> {
    let (dispatch, step) = (dispatch.clone(), mark.map(|mark| mark.step));
    Callback::from(move |_| {
        if let Some(step) = step {
            dispatch.send(Action::GoTo(step));
        }
    })
}

fn pressed(dispatch: &Dispatch, shows: &TimeShows, drag: &UseStateHandle<Option<Drag>>) -> Callback<KeyboardEvent> {
    let (dispatch, shows, drag) = (dispatch.clone(), shows.clone(), drag.clone());
    Callback::from(move |event: KeyboardEvent| {
        let mark = match event.key().as_str() {
            "Escape" => return drag.set(None),
            "ArrowLeft" | "ArrowDown" => shows.beside(-1),
            "ArrowRight" | "ArrowUp" => shows.beside(1),
            "PageUp" if !event.alt_key() => shows.beside(-PAGE),
            "PageDown" if !event.alt_key() => shows.beside(PAGE),
            "Home" => shows.marks.front(),
            "End" => shows.marks.back(),
            _ => return,
        };
        event.prevent_default();
        if let Some(mark) = mark {
            dispatch.send(Action::GoTo(mark.step));
        }
    })
}

/// A click on the timeline, or a drag along it. A drag that begins on the user's own action at the displayed moment moves
/// that action.
fn pointed(
    dispatch: &Dispatch,
    shows: &TimeShows,
    track: &NodeRef,
    drag: &UseStateHandle<Option<Drag>>,
    begins: bool,
) -> Callback<PointerEvent> {
    let (dispatch, shows, track, drag) = (dispatch.clone(), shows.clone(), track.clone(), drag.clone());
    Callback::from(move |event: PointerEvent| {
        let is_down = event.buttons() & 1 == 1;
        let Some(track) = track.cast::<Element>().filter(|_| is_down) else { return };
        if begins {
            let _ = track.set_pointer_capture(event.pointer_id());
        }
        let rect = track.get_bounding_client_rect();
        let n_columns = n_columns(shows.marks.len()) as f64;
        let place = (f64::from(event.client_x()) - rect.left()) / rect.width().max(1.0);
        // While there are few marks, they do not fill the timeline.
        let place = place * n_columns / (shows.marks.len() as f64).clamp(1.0, n_columns);
        let Some(mark) = shows.at_place(place) else { return };
        let present = shows.at.and_then(|at| shows.marks.get(at));
        match (*drag, present) {
            (Some(dragged), _) if !begins => {
                drag.set(Some(Drag { to_ms: mark.at_ms, column: shows.column_of(mark), ..dragged }));
            }
            (_, Some(own)) if begins && own.step == mark.step && own.tone == Tone::Player => {
                let (step, at_ms) = (own.step, own.at_ms);
                drag.set(Some(Drag { step, from_ms: at_ms, to_ms: at_ms, column: shows.column() }));
            }
            (_, present) if begins || present.is_none_or(|present| present.step != mark.step) => {
                dispatch.send(Action::GoTo(mark.step));
            }
            _ => {}
        }
    })
}

/// The end of a drag.
fn released(dispatch: &Dispatch, drag: &UseStateHandle<Option<Drag>>) -> Callback<PointerEvent> {
    let (dispatch, drag) = (dispatch.clone(), drag.clone());
    Callback::from(move |_| {
        if let Some(Drag { step, from_ms, to_ms, .. }) = (*drag).filter(Drag::is_elsewhere) {
            let by_ms = i64::try_from(to_ms).unwrap_or(i64::MAX) - i64::try_from(from_ms).unwrap_or(i64::MAX);
            dispatch.send(Action::Shift(step, by_ms));
        }
        drag.set(None);
    })
}

fn cancelled(drag: &UseStateHandle<Option<Drag>>) -> Callback<PointerEvent> {
    let drag = drag.clone();
    Callback::from(move |_| drag.set(None))
}

fn in_words(mark: &Mark, with_host: bool) -> String {
    let host = if with_host { format!("{} · ", mark.host) } else { String::new() };
    format!("{} · {}{}", stamp(mark.at_ms), visible(&host), visible(&mark.text))
}

fn look(tone: Tone) -> &'static str {
    match tone {
        Tone::Quiet => "quiet",
        Tone::Info => "info",
        Tone::Good => "good",
        Tone::Change => "change",
        Tone::Warn => "warn",
        Tone::Bad => "bad",
        Tone::Player => "player",
    }
}
