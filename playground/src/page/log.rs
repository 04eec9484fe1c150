//! The log of the simulated host, newest last, each line with its causes.

use super::browser;
use super::icons::{Icon, icon};
use super::lanes::colour;
use super::log_rows::{CHUNK, Rows, RowsProps, weighed};
use super::picture::Pictures;
use super::portions::use_portions;
use super::store::{Dispatch, Part};
use super::transport::stamp;
use super::views::empty;
use crate::graphs::board::{self, Board};
use crate::shown::as_label;
use crate::state::shows::LogShows;
use crate::state::{Action, Moments, log};
use mclive_base::shapes::host::{LogLine, Tone};
use std::collections::VecDeque;
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

/// How far from the end a reader may be who follows the log. Units: pixels.
const NEAR: i32 = 40;

#[component]
pub(super) fn LogView(props: &Part<LogShows>) -> Html {
    let LogShows { log, chain, moments } = &props.shows;
    let place = use_node_ref();
    let rows = use_memo(log.clone(), |log| log::rows(log));
    let chunk = |(at, rows): (usize, &[log::Row])| RowsProps {
        dispatch: props.dispatch.clone(),
        place: place.clone(),
        log: log.clone(),
        rows: Rc::from(rows),
        first: at * CHUNK,
        chain: chain.clone(),
        moments: moments.clone(),
    };
    let n_chunks = rows.len().div_ceil(CHUNK);
    let wanted: Vec<RowsProps> = rows.chunks(CHUNK).enumerate().map(chunk).collect();
    let drawn = use_portions(wanted, move |at, before: Option<&RowsProps>, wanted: &RowsProps| {
        weighed(at, n_chunks, before, wanted)
    });
    {
        // Scrolls along while the reader is at the end of what was there before: a new row may be taller than the view.
        let (place, height) = (place.clone(), use_mut_ref(|| 0_i32));
        use_effect(move || {
            let list = place.cast::<Element>();
            let now = list.as_ref().map_or(0, Element::scroll_height);
            let before = height.replace(now);
            if let Some(list) =
                list.filter(|list| now != before && before - list.scroll_top() - list.client_height() < NEAR)
            {
                list.set_scroll_top(now);
            }
        });
    }
    let save = use_callback(log.clone(), |_: MouseEvent, log| {
        browser::save_text("log.txt", &log::as_text(log, stamp));
    });
    if log.is_empty() {
        return empty(Icon::List, "Nothing has happened yet", "Changes made to the host will appear here.");
    }
    let rows = |props: RowsProps| {
        let RowsProps { dispatch, place, log, rows, first, chain, moments } = props;
        html! { <Rows key={first} {dispatch} {place} {log} {rows} {first} {chain} {moments} /> }
    };
    let rows: Html = drawn.into_iter().flatten().map(rows).collect();
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
            <ol class="log" ref={place.clone()} tabindex="0" aria-label="Log">{ rows }</ol>
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
pub(super) fn time(dispatch: &Dispatch, line: &LogLine) -> Html {
    let at = stamp(line.at_ms);
    if line.step == 0 {
        return html! { <time>{ at }</time> };
    }
    let words = format!("Go to {at}");
    html! { <button class="link moment" title={words} onclick={dispatch.on(Action::GoTo(line.step))}><time>{ at }</time></button> }
}

/// On one line.
pub(super) fn plain(text: &str) -> String {
    as_label(&text.lines().collect::<Vec<_>>().join(" "))
}

pub(super) fn look(tone: Tone) -> (&'static str, Icon) {
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
pub(super) fn diff(text: &str) -> Html {
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
