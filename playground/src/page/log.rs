//! The log of the simulated host, newest last, each line with its causes.

use super::icons::{Icon, icon};
use super::store::{Dispatch, Part};
use super::transport::stamp;
use super::views::empty;
use crate::state::shows::LogShows;
use crate::state::{Action, Moments, Selection, View};
use mclive_base::shapes::host::{LogLine, Tone};
use mclive_base::unicode::visible;
use web_sys::Element;
use yew::prelude::*;

#[component]
pub(super) fn LogView(props: &Part<LogShows>) -> Html {
    let log = &props.shows.log;
    let place = use_node_ref();
    {
        // Scrolls along while the reader is at the end.
        let place = place.clone();
        use_effect_with(log.len(), move |_| {
            if let Some(list) = place.cast::<Element>() {
                let below = list.scroll_height() - list.scroll_top() - list.client_height();
                if below < 160 || list.scroll_top() == 0 {
                    list.set_scroll_top(list.scroll_height());
                }
            }
        });
    }
    if log.is_empty() {
        return empty(Icon::List, "Nothing has happened yet", "Changes made to the host will appear here.");
    }
    let line = |(index, line): (usize, &LogLine)| {
        let select = line.resource.clone().map(|id| {
            let (dispatch, id) = (props.dispatch.clone(), id);
            Callback::from(move |_: MouseEvent| {
                dispatch.send(Action::Select(Some(Selection::Resource(id.clone()))));
                dispatch.send(Action::Show(View::Resources));
            })
        });
        let (class, shape) = look(line.tone);
        let led = props.shows.moments.is_at(&props.shows.chain, line).then_some("led");
        html! {
            <li key={index} class={classes!(class, led)}>
                { time(&props.dispatch, line) }
                { icon(shape) }
                <div class="words">
                    if let (Some(id), Some(select)) = (&line.resource, select) { <button class="link" onclick={select}>{ visible(id).into_owned() }</button>{ " " } }
                    <span>{ plain(&line.text) }</span>
                    { because(line) }
                    { line.diff.as_deref().map(diff) }
                </div>
            </li>
        }
    };
    html! { <ol class="log" ref={place} tabindex="0" aria-label="Log">{ for log.iter().enumerate().map(line) }</ol> }
}

/// The causes of a line.
pub(super) fn because(line: &LogLine) -> Html {
    if line.because.is_empty() {
        return html! {};
    }
    html! { <p class="because">{ format!("because {}", visible(&line.because.join(" → "))) }</p> }
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

/// On one line, without invisible or bidirectional characters.
fn plain(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join(" ")
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
        html! { <span class={class}>{ format!("{line}\n") }</span> }
    };
    html! { <pre class="diff">{ for text.lines().map(line) }</pre> }
}
