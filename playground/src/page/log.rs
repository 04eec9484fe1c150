//! The log of the simulated host, newest last, each line with its causes.

use super::browser;
use super::icons::{Icon, icon};
use super::lanes::colour;
use super::picture::Pictures;
use super::store::{Dispatch, Part};
use super::transport::stamp;
use super::views::empty;
use crate::graphs::board::{self, Board};
use crate::shown::as_label;
use crate::state::shows::LogShows;
use crate::state::{Action, Moments, Selection, View, log};
use mclive_base::shapes::host::{LogLine, Tone};
use std::collections::VecDeque;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// How far from the end a reader may be who follows the log. Units: pixels.
const NEAR: i32 = 40;

#[component]
pub(super) fn LogView(props: &Part<LogShows>) -> Html {
    let log = &props.shows.log;
    let place = use_node_ref();
    {
        // Scrolls along while the reader is at the end of what was there before: a new row may be taller than the view.
        let (place, height) = (place.clone(), use_mut_ref(|| 0_i32));
        use_effect_with((log.len(), log.back().map(|line| (line.step, line.at_ms))), move |_| {
            let list = place.cast::<Element>();
            let before = height.replace(list.as_ref().map_or(0, Element::scroll_height));
            if let Some(list) = list.filter(|list| before - list.scroll_top() - list.client_height() < NEAR) {
                list.set_scroll_top(list.scroll_height());
            }
        });
    }
    let rows = use_memo(log.clone(), |log| log::rows(log));
    let save = use_callback(log.clone(), |_: MouseEvent, log| {
        browser::save_text("log.txt", &log::as_text(log, stamp));
    });
    if log.is_empty() {
        return empty(Icon::List, "Nothing has happened yet", "Changes made to the host will appear here.");
    }
    let row = |(index, row): (usize, &log::Row)| {
        let line = &log[row.at];
        let select = line.resource.clone().map(|id| {
            let (dispatch, id) = (props.dispatch.clone(), id);
            Callback::from(move |_: MouseEvent| {
                dispatch.send(Action::Select(Some(Selection::Resource(id.clone()))));
                dispatch.send(Action::Show(View::Resources));
            })
        });
        let undo = (line.tone == Tone::Player && line.step > 0).then(|| {
            let (dispatch, place, step) = (props.dispatch.clone(), place.clone(), line.step);
            Callback::from(move |_: MouseEvent| {
                dispatch.send(Action::TakeBack(step));
                // The button disappears with its row.
                if let Some(list) = place.cast::<HtmlElement>() {
                    let _ = list.focus();
                }
            })
        });
        let (class, shape) = look(line.tone);
        let led = props.shows.moments.is_at(&props.shows.chain, line).then_some("led");
        html! {
            <li key={index} class={classes!(class, led)}>
                { time(&props.dispatch, line) }
                { icon(shape) }
                <div class="words">
                    if let (Some(id), Some(select)) = (&line.resource, select) { <button class="link" onclick={select}>{ as_label(id) }</button>{ " " } }
                    <span>{ plain(&line.text) }</span>
                    if row.n > 1 { <span class="badge" title={format!("{} times; this is the last one", row.n)}>{ format!("×{}", row.n) }</span> }
                    if let Some(undo) = undo { { " " }<button class="link" onclick={undo} title="Undo this: see what would have happened without it">{ "Undo" }</button> }
                    { because(line) }
                    { line.diff.as_deref().map(diff) }
                </div>
            </li>
        }
    };
    let draw = {
        let log = log.clone();
        Callback::from(move |()| picture(&log))
    };
    html! {
        <>
            <div class="log-bar">
                <Pictures dispatch={props.dispatch.clone()} what="log" name="log" {draw} />
                <button class="button" onclick={save} title="Save the whole log as a text file">{ icon(Icon::Save) }<span>{ "Save" }</span></button>
            </div>
            <ol class="log" ref={place.clone()} tabindex="0" aria-label="Log">{ for rows.iter().enumerate().map(row) }</ol>
        </>
    }
}

/// The rows of the log as a picture.
fn picture(lines: &VecDeque<LogLine>) -> Board {
    let row = |row: &log::Row| {
        let line = &lines[row.at];
        let again = if row.n > 1 { format!(" ×{}", row.n) } else { String::new() };
        board::Part::Row {
            name: line.resource.clone().unwrap_or_default(),
            text: format!("{} {}{again}", stamp(line.at_ms), line.text),
            colour: Some(colour(line.tone)),
        }
    };
    Board { title: "Log".to_owned(), parts: log::rows(lines).iter().map(row).collect() }
}

/// The causes of a line.
pub(super) fn because(line: &LogLine) -> Html {
    if line.because.is_empty() {
        return html! {};
    }
    html! { <p class="because">{ format!("because {}", as_label(&line.because.join(" → "))) }</p> }
}

/// The last line about the selection that has causes.
pub(super) fn last(dispatch: &Dispatch, moments: &Moments) -> Html {
    let Some(line) = &moments.last else { return html! {} };
    html! { <div class="last-line">{ time(dispatch, line) }{ " " }<span>{ plain(&line.text) }</span>{ because(line) }</div> }
}

/// The time, and a link back to that moment.
fn time(dispatch: &Dispatch, line: &LogLine) -> Html {
    let at = stamp(line.at_ms);
    if line.step == 0 {
        return html! { <time>{ at }</time> };
    }
    let words = format!("Go to {at}");
    html! { <button class="link moment" title={words} onclick={dispatch.on(Action::GoTo(line.step))}><time>{ at }</time></button> }
}

/// On one line.
fn plain(text: &str) -> String {
    as_label(&text.lines().collect::<Vec<_>>().join(" "))
}

fn look(tone: Tone) -> (&'static str, Icon) {
    match tone {
        Tone::Quiet => ("quiet", Icon::Dot),
        Tone::Info => ("info", Icon::Dot),
        Tone::Good => ("good", Icon::Good),
        Tone::Change => ("change", Icon::Arrow),
        Tone::Warn => ("warn", Icon::Warn),
        Tone::Bad => ("bad", Icon::Bad),
        Tone::Player => ("player", Icon::Person),
    }
}

/// A unified diff with coloured lines.
fn diff(text: &str) -> Html {
    let line = |line: &str| {
        let class = match line.as_bytes().first() {
            Some(b'+') => "added",
            Some(b'-') => "removed",
            _ => "",
        };
        html! { <span class={class}>{ format!("{}\n", as_label(line)) }</span> }
    };
    html! { <pre class="diff">{ for text.lines().map(line) }</pre> }
}
