//! The bar at the top: the name, the menu of programs, and actions on the program.

use super::app::part;
use super::icons::{Icon, icon};
use super::key_labels::labels;
use super::programs::Programs;
use super::store::Part;
use crate::state::shows::HeaderShows;
use crate::state::{Action, Theme};
use gloo_events::EventListener;
use web_sys::MediaQueryList;
use yew::prelude::*;

#[component]
pub(super) fn Header(props: &Part<HeaderShows>) -> Html {
    let Part { dispatch, shows } = props;
    if super::browser::is_embedded() {
        return html! {
            <header class="bar">
                <h1 class="brand"><span class="kept">{ "mclive" }</span></h1>
                <div class="space"></div>
                <div class="tools">
                    <button class="button" onclick={dispatch.on(Action::Share)}>
                        { icon(Icon::Share) }<span class="kept">{ "Open in the playground" }</span>
                    </button>
                </div>
            </header>
        };
    }
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
            <Programs ..part(dispatch, shows.example) />
            <a class="button learn" href="#learn" aria-current={shows.learns.then_some("true")} title="Learn MCL, lesson by lesson">
                { icon(Icon::Learn) }<span>{ "Learn" }</span>
            </a>
            <div class="space"></div>
            <div class="tools">
                <button class="button" onclick={dispatch.on(Action::Format)} title={format!("Format the program ({})", labels("Alt+Shift+F"))}>
                    { icon(Icon::Format) }<span>{ "Format" }</span>
                </button>
                <button class="button" onclick={dispatch.on(Action::Share)} title={format!("Share a link to this program ({})", labels("Mod+S"))}>
                    { icon(Icon::Share) }<span>{ "Share" }</span>
                </button>
                <a class="button only-icon" href="reference.html" target="_blank" aria-label="Reference" title="Reference: every function and resource kind">
                    { icon(Icon::Book) }
                </a>
                <button class="button only-icon wide-only" onclick={dispatch.on(Action::ShowKeys(true))} aria-label="Keyboard shortcuts" title="Keyboard shortcuts (F1)">
                    { icon(Icon::Keys) }
                </button>
                <button class="button only-icon enlarge" onclick={dispatch.on(Action::ShowLarge(!shows.large))} aria-pressed={shows.large.to_string()}
                    aria-label="Large text" title="Large text, for a presentation">
                    { icon(Icon::Letters) }
                </button>
                <ThemeButton ..part(dispatch, shows.theme) />
            </div>
        </header>
    }
}

/// Dark or light: the visitor's choice, otherwise the system's.
#[component]
fn ThemeButton(props: &Part<Option<Theme>>) -> Html {
    let system_dark = use_state_eq(|| system_theme().is_some_and(|query| query.matches()));
    {
        let system_dark = system_dark.clone();
        // Some systems switch to dark in the evening.
        use_effect_with((), move |()| {
            let listener = system_theme().map(|query| {
                let asked = query.clone();
                EventListener::new(&query, "change", move |_| system_dark.set(asked.matches()))
            });
            move || drop(listener)
        });
    }
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

/// Whether the system's theme is dark.
fn system_theme() -> Option<MediaQueryList> {
    super::browser::window().match_media("(prefers-color-scheme: dark)").ok().flatten()
}
