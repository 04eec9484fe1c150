//! The bar at the top: the name, the examples, and actions on the program.

use super::app::part;
use super::from_link::FromLink;
use super::history;
use super::icons::{Icon, icon};
use super::memory;
use super::menu::Menu;
use super::store::Part;
use crate::examples;
use crate::shown::as_label;
use crate::state::shows::HeaderShows;
use crate::state::{Action, Theme};
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
            <Examples ..part(dispatch, shows.example) />
            <a class="button learn" href="#learn" aria-current={shows.learns.then_some("true")} title="Learn MCL, lesson by lesson">
                { icon(Icon::Learn) }<span>{ "Learn" }</span>
            </a>
            <div class="space"></div>
            <div class="tools">
                <button class="button" onclick={dispatch.on(Action::Format)} title="Format the program (Alt+Shift+F)">
                    { icon(Icon::Format) }<span>{ "Format" }</span>
                </button>
                <button class="button" onclick={dispatch.on(Action::Share)} title="Share a link to this program (Ctrl+S)">
                    { icon(Icon::Share) }<span>{ "Share" }</span>
                </button>
                <a class="button only-icon" href="reference.html" target="_blank" aria-label="Reference" title="Reference: every function and resource kind">
                    { icon(Icon::Book) }
                </a>
                <button class="button only-icon wide-only" onclick={dispatch.on(Action::ShowKeys(true))} aria-label="Keyboard help" title="Keyboard help (F1)">
                    { icon(Icon::Keys) }
                </button>
                <button class="button only-icon enlarge" onclick={dispatch.on(Action::ShowLarge(!shows.large))} aria-pressed={shows.large.to_string()}
                    aria-label="Large type" title="Large type, for a presentation">
                    { icon(Icon::Letters) }
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
    let dispatch = &props.dispatch;
    let pick_file = {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.pick_files())
    };
    let pick_folder = {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.pick_folder())
    };
    let asks_link = use_state(|| false);
    let ask_link = {
        let asks_link = asks_link.clone();
        Callback::from(move |_: MouseEvent| asks_link.set(true))
    };
    let end_link = {
        let asks_link = asks_link.clone();
        Callback::from(move |()| asks_link.set(false))
    };
    let current = props.shows;
    let item = |(index, example): (usize, &'static examples::Example)| {
        let dispatch = dispatch.clone();
        let pick = Callback::from(move |_: MouseEvent| dispatch.send(Action::Opened(example.program())));
        html! {
            <li key={example.name}>
                <button class="menu-item" onclick={pick} aria-current={(current == Some(index)).then_some("true")}>
                    <strong>{ example.title }</strong><span>{ example.about }</span>
                </button>
            </li>
        }
    };
    let earlier = if *open { memory::earlier() } else { Vec::new() };
    let restore = |(index, program): (usize, memory::Earlier)| {
        let dispatch = dispatch.clone();
        let title = as_label(program.title());
        let about = as_label(&program.about());
        let pick = Callback::from(move |_: MouseEvent| {
            let what = "one of your previous programs".to_owned();
            dispatch.send(Action::Restored { program: program.program(), what });
        });
        html! {
            <li key={format!("earlier {index}")}>
                <button class="menu-item earlier" onclick={pick}><strong>{ title }</strong><span>{ about }</span></button>
            </li>
        }
    };
    let versions = if *open { history::versions() } else { Vec::new() };
    let go_back = |(index, version): (usize, history::Version)| {
        let dispatch = dispatch.clone();
        let title = version.title();
        let about = as_label(&format!("{}: {}", version.program.about(), version.program.title()));
        let pick = Callback::from(move |_: MouseEvent| {
            let what = format!("the version from {}", version.moment());
            dispatch.send(Action::Restored { program: version.program.program(), what });
        });
        html! {
            <li key={format!("version {index}")}>
                <button class="menu-item version" onclick={pick}><strong>{ title }</strong><span>{ about }</span></button>
            </li>
        }
    };
    let title = current.map_or("Examples", |index| examples::ALL[index].title);
    html! {
        <>
            <Menu id="examples" label="Examples" button={html! { <><span>{ title }</span>{ icon(Icon::Caret) }</> }} open={open.clone()}>
                { for examples::ALL.iter().enumerate().map(item) }
                if !versions.is_empty() { <li class="apart menu-title">{ "Local history" }</li> }
                { for versions.into_iter().enumerate().map(go_back) }
                if !earlier.is_empty() { <li class="apart menu-title">{ "Your previous programs" }</li> }
                { for earlier.into_iter().enumerate().map(restore) }
                <li class="apart">
                    <button class="menu-item" onclick={pick_file}>
                        <strong>{ "Files…" }</strong>
                        <span>{ "Open program files, a zip file, a text archive with or without scenarios, or a recorded run; or drop them on the page" }</span>
                    </button>
                </li>
                <li>
                    <button class="menu-item" onclick={pick_folder}>
                        <strong>{ "A folder…" }</strong>
                        <span>{ "Open a program with its modules and data; nothing is uploaded" }</span>
                    </button>
                </li>
                <li>
                    <button class="menu-item" onclick={ask_link}>
                        <strong>{ "A link…" }</strong>
                        <span>{ "Open a shared program, or a file on an allowed server" }</span>
                    </button>
                </li>
            </Menu>
            if *asks_link { <FromLink dispatch={dispatch.clone()} on_close={end_link} /> }
        </>
    }
}

/// Dark or light: the visitor's choice, otherwise the system's.
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
