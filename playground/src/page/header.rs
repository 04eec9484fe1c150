//! The bar at the top: the name, the examples, and what can be done with the program.

use super::app::part;
use super::icons::{Icon, icon};
use super::store::Part;
use crate::examples;
use crate::state::shows::HeaderShows;
use crate::state::{Action, Theme};
use web_sys::KeyboardEvent;
use yew::prelude::*;

#[component]
pub(super) fn Header(props: &Part<HeaderShows>) -> Html {
    let Part { dispatch, shows } = props;
    html! {
        <header class="bar">
            <h1 class="brand">
                <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
                    <rect width="32" height="32" rx="7" />
                    <path d="M9.5 10.5v11M9.5 13c0 6 13 1.5 13 7.5" />
                    <circle cx="9.5" cy="8.5" r="3.2" /><circle cx="9.5" cy="23.5" r="3.2" />
                    <circle class="live" cx="22.5" cy="23.5" r="3.2" />
                </svg>
                <span>{ "mclive" }</span><span class="sub">{ "playground" }</span>
            </h1>
            <Examples ..part(dispatch, shows.example) />
            <a class="button learn" href="#learn" aria-current={shows.learns.then_some("true")} title="Learn MCL, lesson by lesson">
                { icon(Icon::Learn) }<span>{ "Learn" }</span>
            </a>
            <div class="space"></div>
            <div class="tools">
                <button class="button" onclick={dispatch.on(Action::Format)} title="Format the program (Alt+Shift+F)">
                    { icon(Icon::Format) }<span>{ "Format" }</span>
                </button>
                <button class="button" onclick={dispatch.on(Action::Share)} title="Copy a link to this program (Ctrl+S)">
                    { icon(Icon::Share) }<span>{ "Share" }</span>
                </button>
                <a class="button only-icon" href="reference.html" target="_blank" aria-label="Reference" title="Reference: every function and resource kind">
                    { icon(Icon::Book) }
                </a>
                <button class="button only-icon wide-only" onclick={dispatch.on(Action::ShowKeys(true))} aria-label="Keyboard help" title="Keyboard help (F1)">
                    { icon(Icon::Keys) }
                </button>
                <ThemeButton ..part(dispatch, shows.theme) />
            </div>
        </header>
    }
}

/// The examples, in a menu that opens below its button.
#[component]
fn Examples(props: &Part<Option<usize>>) -> Html {
    let open = use_state(|| false);
    let button = use_node_ref();
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let close = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(false))
    };
    let keys = {
        let (open, button) = (open.clone(), button.clone());
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Escape" if *open => {
                open.set(false);
                if let Some(button) = button.cast::<web_sys::HtmlElement>() {
                    let _ = button.focus();
                }
            }
            "ArrowDown" => move_focus(&event, true),
            "ArrowUp" => move_focus(&event, false),
            _ => {}
        })
    };
    let pick_file = {
        let (open, dispatch) = (open.clone(), props.dispatch.clone());
        Callback::from(move |_: MouseEvent| {
            open.set(false);
            dispatch.pick_file();
        })
    };
    let current = props.shows;
    let item = |(index, example): (usize, &'static examples::Example)| {
        let (open, dispatch) = (open.clone(), props.dispatch.clone());
        let pick = Callback::from(move |_: MouseEvent| {
            open.set(false);
            dispatch.send(Action::Opened(example.layout, example.text.to_owned()));
        });
        html! {
            <li key={example.name}>
                <button class="menu-item" onclick={pick} aria-current={(current == Some(index)).then_some("true")}>
                    <strong>{ example.title }</strong><span>{ example.about }</span>
                </button>
            </li>
        }
    };
    html! {
        <div class="menu" onkeydown={keys}>
            <button ref={button} class="button" onclick={toggle} aria-expanded={open.to_string()} aria-controls="examples">
                <span>{ current.map_or("Examples", |index| examples::ALL[index].title) }</span>{ icon(Icon::Caret) }
            </button>
            if *open {
                <div class="menu-veil" onclick={close}></div>
                <ul id="examples" class="menu-list" aria-label="Examples">
                    { for examples::ALL.iter().enumerate().map(item) }
                    <li class="apart">
                        <button class="menu-item" onclick={pick_file}>
                            <strong>{ "A file…" }</strong>
                            <span>{ "A program, or a run that mclive recorded. Or drop it on the page" }</span>
                        </button>
                    </li>
                </ul>
            }
        </div>
    }
}

/// Moves the focus to the next or the one before among the menu's buttons.
fn move_focus(event: &KeyboardEvent, forward: bool) {
    use wasm_bindgen::JsCast;
    event.prevent_default();
    let Some(menu) = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()) else {
        return;
    };
    let Ok(buttons) = menu.query_selector_all("button") else { return };
    let active = menu.owner_document().and_then(|document| document.active_element());
    let all: Vec<web_sys::HtmlElement> =
        (0..buttons.length()).filter_map(|index| buttons.get(index)?.dyn_into().ok()).collect();
    let at = all.iter().position(|button| active.as_ref().is_some_and(|active| **button == *active)).unwrap_or(0);
    let next = if forward { (at + 1).min(all.len() - 1) } else { at.saturating_sub(1) };
    let _ = all[next].focus();
}

/// Dark or light: the visitor's choice, else the system's.
#[component]
fn ThemeButton(props: &Part<Option<Theme>>) -> Html {
    let system_dark = use_memo((), |()| {
        let query = super::browser::window().match_media("(prefers-color-scheme: dark)").ok().flatten();
        query.is_some_and(|query| query.matches())
    });
    let dark = props.shows.map_or(*system_dark, |theme| theme == Theme::Dark);
    let (next, label, shape) = if dark {
        (Theme::Light, "Use the light theme", Icon::Sun)
    } else {
        (Theme::Dark, "Use the dark theme", Icon::Moon)
    };
    html! {
        <button class="button only-icon" onclick={props.dispatch.on(Action::SetTheme(next))} aria-label={label} title={label}>
            { icon(shape) }
        </button>
    }
}
