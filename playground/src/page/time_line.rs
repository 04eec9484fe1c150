//! The timeline of all marks: one lane for each host, and on request for each resource; navigation to each moment, and the goal
//! of running.

use super::browser;
use super::icons::{Icon, icon};
use super::key_labels::labels;
use super::lanes::{self, Lanes};
use super::store::{Dispatch, Part};
use super::transport::stamp;
use crate::shown::as_label;
use crate::state::Action;
use crate::state::time::{Bar, Held, Holder, TimeShows, bars, n_columns};
use crate::worker::protocol::Request;
use mclive_base::shapes::host::{Goal, Mark, Tone};
use web_sys::{Element, HtmlElement, HtmlSelectElement, KeyboardEvent, PointerEvent};
use yew::prelude::*;

/// The number of moments per page key.
const PAGE: isize = 10;
/// The line is higher for more hosts than this.
const FEW_HOSTS: usize = 8;

#[component]
pub(super) fn TimeLine(props: &Part<TimeShows>) -> Html {
    let Part { dispatch, shows } = props;
    let bars = use_memo((shows.marks.clone(), shows.hosts.clone()), |(marks, hosts)| bars(marks, hosts));
    let track = use_node_ref();
    let held = use_state_eq(|| None::<Held>);
    let has_lanes = use_state_eq(|| false);
    let toggle = {
        let has_lanes = has_lanes.clone();
        Callback::from(move |_: MouseEvent| has_lanes.set(!*has_lanes))
    };
    let n_lanes = shows.hosts.len().max(1);
    let n_columns = n_columns(shows.marks.len());
    let mark = shows.at.and_then(|at| shows.marks.get(at));
    let words = match (shows.repeated_ms, *held, mark) {
        (Some((now_ms, until_ms)), ..) => format!("Replaying later events: {} of {}", stamp(now_ms), stamp(until_ms)),
        (None, Some(held), _) if held.is_elsewhere() => match held.by {
            Holder::Pointer => format!("Release to do this at {}", stamp(held.to_ms)),
            Holder::Keys => format!("Press Enter to do this at {}, Escape to cancel", stamp(held.to_ms)),
        },
        (None, Some(Held { by: Holder::Keys, .. }), _) => "Move this event with the arrow keys".to_owned(),
        (None, _, Some(mark)) => in_words(mark, n_lanes > 1),
        (None, _, None) => "Nothing has happened yet".to_owned(),
    };
    let is_repeating = shows.repeated_ms.is_some();
    // The progress is shown several times a second; read aloud, it would never end.
    let spoken = if is_repeating { "Replaying later events".to_owned() } else { words.clone() };
    {
        // The buttons of the event disappear in the meantime, and the focus with the one that was pressed.
        let track = track.clone();
        use_effect_with(is_repeating, move |is_repeating| {
            if *is_repeating
                && browser::focus_is_idle()
                && let Some(track) = track.cast::<HtmlElement>()
            {
                let _ = track.focus();
            }
        });
    }
    let here = shows.column();
    let bar = |bar: &Bar| {
        let class = classes!("moment", look(bar.tone), (bar.column > here).then_some("ahead"));
        html! { <rect {class} x={bar.column.to_string()} y={bar.lane.to_string()} width="0.72" height="0.86" /> }
    };
    html! {
        <>
            if *has_lanes {
                <Lanes ..props.clone() />
            }
            <div class="time-line">
                <button class="button only-icon" onclick={toggle} aria-expanded={has_lanes.to_string()} aria-controls={lanes::ID}
                    aria-label="Resource lanes" title="Show the timeline of each resource of the displayed host">{ icon(Icon::List) }</button>
                <button class="button only-icon" onclick={dispatch.on(Action::StepBack)} disabled={!shows.is_running || shows.beside(-1).is_none()}
                    aria-label="Step back" title={format!("Step back to the previous event ({})", labels("Alt+P"))}>{ icon(Icon::StepBack) }</button>
                <div class="time-words">
                    <p class={classes!("moment-words", shows.is_back().then_some("back"))} title={words.clone()}>{ words }</p>
                    <div ref={track.clone()} class={classes!("track", (n_lanes > FEW_HOSTS).then_some("many"))} role="slider" tabindex="0" aria-label="Moments" aria-orientation="horizontal"
                        aria-valuemin="0" aria-valuemax={shows.marks.len().saturating_sub(1).to_string()}
                        aria-valuenow={shows.at.unwrap_or(0).to_string()} aria-valuetext={spoken}
                        onkeydown={pressed(dispatch, shows, &held)} onpointerdown={pointed(dispatch, shows, &track, &held, true)}
                        onpointermove={pointed(dispatch, shows, &track, &held, false)}
                        onpointerup={ended(dispatch, &held, Held::drop_here)} onpointercancel={ended(dispatch, &held, Held::put_back)}
                        onblur={ended(dispatch, &held, Held::put_back)}>
                        <svg viewBox={format!("0 0 {n_columns} {n_lanes}")} preserveAspectRatio="none" aria-hidden="true" focusable="false">
                            { for bars.iter().map(bar) }
                            if let Some(held) = held.filter(Held::is_elsewhere) {
                                <rect class="moment player" x={shows.column_of_step(held.to_step).to_string()} y="0" width="0.72" height={n_lanes.to_string()} />
                            }
                            { for shows.marked().into_iter().map(|(column, lane)| html! {
                                <rect class="led" x={column.to_string()} y={lane.to_string()} width="0.72" height="0.3" />
                            }) }
                            if mark.is_some() { <rect class="here" x={here.to_string()} y="0" width="0.72" height={n_lanes.to_string()} /> }
                        </svg>
                    </div>
                </div>
                // One node in either case, so that the timeline beside it stays the same element and keeps the focus.
                if let Some(mark) = mark.filter(|mark| mark.tone == Tone::Player && !is_repeating) { { own(dispatch, mark, &track) } }
                if is_repeating {
                    <button class="button" onclick={and_to_the_line(dispatch, &track, Action::StopRepeating)} title="Stop replaying, and leave the hosts as they were before">{ "Stop" }</button>
                } else if shows.is_back() {
                    <button class="button" onclick={go_to(dispatch, shows.marks.back())} title="Go to the latest moment (End)">{ "Latest" }</button>
                }
                { until(dispatch, shows.is_running) }
                <button class="button keeps" onclick={dispatch.on(Action::Asked(Request::Save))} disabled={!shows.is_running}
                    title="Save everything you did up to this moment as a scenario for `mclive test`">
                    { icon(Icon::Save) }<span>{ "Save as a scenario" }</span>
                </button>
            </div>
        </>
    }
}

/// Moves an action of the user in time, or undoes it.
fn own(dispatch: &Dispatch, mark: &Mark, track: &NodeRef) -> Html {
    let by = |by_ms: i64| dispatch.on(Action::Shift(mark.step, by_ms));
    let about = "See what would have happened if you had done this";
    // The button disappears with the event.
    let undo = and_to_the_line(dispatch, track, Action::TakeBack(mark.step));
    html! {
        <span class="shift">
            <span class="shift" role="group" aria-label="Move this event">
                <button class="button" onclick={by(-1_000)} title={format!("{about} one second earlier")}>{ "−1 s" }</button>
                <button class="button" onclick={by(1_000)} title={format!("{about} one second later")}>{ "+1 s" }</button>
            </span>
            <button class="button" onclick={undo} aria-label="Undo this event"
                title="Undo this: see what would have happened without it">{ "Undo" }</button>
        </span>
    }
}

/// Sends an action, and moves the focus to the timeline.
fn and_to_the_line(dispatch: &Dispatch, track: &NodeRef, action: Action) -> Callback<MouseEvent> {
    let (dispatch, track) = (dispatch.clone(), track.clone());
    Callback::from(move |_: MouseEvent| {
        dispatch.send(action.clone());
        if let Some(track) = track.cast::<HtmlElement>() {
            let _ = track.focus();
        }
    })
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

/// The keys move along the timeline. Enter takes the user's own action at the displayed moment, and the same keys then move
/// that; Delete undoes it.
fn pressed(dispatch: &Dispatch, shows: &TimeShows, held: &UseStateHandle<Option<Held>>) -> Callback<KeyboardEvent> {
    let (dispatch, shows, held) = (dispatch.clone(), shows.clone(), held.clone());
    Callback::from(move |event: KeyboardEvent| {
        // These are keys of the page and of the browser.
        if event.alt_key() || event.ctrl_key() || event.meta_key() {
            return;
        }
        // The page may not show the moment yet that it is held over.
        let beside = |by| match *held {
            Some(held) => shows.beside_step(held.to_step, by),
            None => shows.beside(by),
        };
        let mark = match event.key().as_str() {
            "Escape" => return end(&dispatch, &held, Held::put_back),
            "Enter" => {
                event.prevent_default();
                return match *held {
                    Some(_) => end(&dispatch, &held, Held::drop_here),
                    None => held.set(Held::take(&shows, Holder::Keys)),
                };
            }
            // On a Mac, Delete is Backspace.
            "Delete" | "Backspace" => {
                let mark = shows.at.and_then(|at| shows.marks.get(at)).filter(|mark| mark.tone == Tone::Player);
                if let (Some(mark), None) = (mark, *held) {
                    dispatch.send(Action::TakeBack(mark.step));
                }
                return;
            }
            "ArrowLeft" | "ArrowDown" => beside(-1),
            "ArrowRight" | "ArrowUp" => beside(1),
            "PageUp" => beside(-PAGE),
            "PageDown" => beside(PAGE),
            "Home" => shows.marks.front(),
            "End" => shows.marks.back(),
            _ => return,
        };
        event.prevent_default();
        match (mark, *held) {
            (Some(mark), Some(_)) => hold_over(&dispatch, &held, mark),
            (Some(mark), None) => dispatch.send(Action::GoTo(mark.step)),
            (None, _) => {}
        }
    })
}

/// What is held is moved over a mark, and the page shows that moment.
fn hold_over(dispatch: &Dispatch, held: &UseStateHandle<Option<Held>>, mark: &Mark) {
    let Some((over, moves)) = held.map(|held| held.over(mark)) else { return };
    held.set(Some(over));
    moves.into_iter().for_each(|action| dispatch.send(action));
}

/// A click on the timeline, or a drag along it. A drag that begins on the user's own action at the displayed moment moves
/// that action, and the page shows the moments on its way.
fn pointed(
    dispatch: &Dispatch,
    shows: &TimeShows,
    track: &NodeRef,
    held: &UseStateHandle<Option<Held>>,
    begins: bool,
) -> Callback<PointerEvent> {
    let (dispatch, shows, track, held) = (dispatch.clone(), shows.clone(), track.clone(), held.clone());
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
        match (*held, present) {
            // What the keys hold is dropped where the pointer is released.
            (Some(own), _) if !begins || own.by == Holder::Keys => hold_over(&dispatch, &held, mark),
            (_, Some(own)) if begins && own.step == mark.step && own.tone == Tone::Player => {
                held.set(Held::take(&shows, Holder::Pointer));
            }
            (_, present) if begins || present.is_none_or(|present| present.step != mark.step) => {
                dispatch.send(Action::GoTo(mark.step));
            }
            _ => {}
        }
    })
}

/// What is held is dropped, or put back.
fn end(dispatch: &Dispatch, held: &UseStateHandle<Option<Held>>, how: fn(Held) -> Option<Action>) {
    held.and_then(how).into_iter().for_each(|action| dispatch.send(action));
    held.set(None);
}

fn ended<E: 'static>(
    dispatch: &Dispatch,
    held: &UseStateHandle<Option<Held>>,
    how: fn(Held) -> Option<Action>,
) -> Callback<E> {
    let (dispatch, held) = (dispatch.clone(), held.clone());
    Callback::from(move |_| end(&dispatch, &held, how))
}

fn in_words(mark: &Mark, with_host: bool) -> String {
    let host = if with_host { format!("{} · ", mark.host) } else { String::new() };
    format!("{} · {}{}", stamp(mark.at_ms), as_label(&host), as_label(&mark.text))
}

/// The class of a style.
pub(super) fn look(tone: Tone) -> &'static str {
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
