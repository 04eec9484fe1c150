//! The keyboard help: every shortcut of the page, in a dialog.

use super::dialog::{self, use_modal};
use super::icons::{Icon, icon};
use super::key_labels::labels;
use super::store::Part;
use crate::state::Action;
use yew::prelude::*;

/// A group of shortcuts: its title, and each key with its effect, as [`labels`] takes them.
type Group = (&'static str, &'static [(&'static str, &'static str)]);

const GROUPS: &[Group] = &[
    (
        "Program",
        &[
            ("Mod+Enter", "run or pause"),
            ("Mod+S", "share a link to the program"),
            ("Alt+Shift+F", "format the program"),
            ("F1", "show this help"),
        ],
    ),
    (
        "Inspect",
        &[
            ("Mod+I", "show type, documentation and current value"),
            ("Ctrl+Space", "show completions"),
            ("Mod+Shift+Space", "show call parameters"),
            ("Alt+Shift+T", "show or hide types and parameter names"),
            ("F8", "go to the next problem"),
            ("Mod+.", "fix the problem on this line"),
        ],
    ),
    (
        "Navigate",
        &[
            ("F12, Mod+click", "go to the definition"),
            ("Shift+F12", "show all uses"),
            ("Mod+Shift+O", "show the outline"),
            ("Alt+Left | Ctrl+-", "go back"),
        ],
    ),
    (
        "Edit",
        &[
            ("F2", "rename everywhere"),
            ("Mod+/", "toggle comment"),
            ("Mod+F", "find and replace"),
            ("Mod+Z, Mod+Y | Mod+Z, Mod+Shift+Z", "undo, redo"),
            ("Escape, Tab", "leave the editor"),
        ],
    ),
    (
        "Time",
        &[
            ("Alt+N, Alt+P", "next event, previous event | next event, previous event, except while editing text"),
            ("Left, Right", "move along the timeline, or between the events of a resource lane"),
            ("Up, Down", "move between the resource lanes"),
            ("Enter, Left or Right, then Enter", "move one of your actions to another moment"),
            ("Delete", "undo one of your actions"),
            ("Home, End", "first moment, latest moment"),
        ],
    ),
    (
        "Lesson",
        &[("Mod+Shift+Enter", "check the program"), ("Alt+PageDown, Alt+PageUp", "next lesson, previous lesson")],
    ),
    (
        "Graph",
        &[
            ("Arrows", "move between vertices"),
            ("Enter", "inspect a vertex"),
            ("+, -, 0", "zoom in, zoom out, show all"),
            ("F", "highlight everything upstream and downstream of a vertex"),
            ("/", "search"),
            ("Enter, Shift+Enter", "next match, previous match"),
        ],
    ),
];

#[component]
pub(super) fn Keys(props: &Part<bool>) -> Html {
    let dialog = use_modal(props.shows);
    if !props.shows {
        return html! {};
    }
    let close = dialog::close(&dialog);
    let key = |(key, does): &(&'static str, &'static str)| {
        let kbd = |part: &str| html! { <kbd>{ part.to_owned() }</kbd> };
        let shown = labels(key);
        html! { <><dt>{ for shown.split(", ").map(kbd) }</dt><dd>{ labels(does) }</dd></> }
    };
    let group =
        |(title, keys): &Group| html! { <section><h3>{ *title }</h3><dl>{ for keys.iter().map(key) }</dl></section> };
    html! {
        <dialog ref={dialog} class="explained keys" aria-labelledby="keys-title" onclose={props.dispatch.on(Action::ShowKeys(false))}>
            <header>
                <h2 id="keys-title">{ "Keyboard shortcuts" }</h2>
                <button class="button only-icon plain" onclick={close} aria-label="Close">{ icon(Icon::Close) }</button>
            </header>
            <div class="key-groups" tabindex="0">{ for GROUPS.iter().map(group) }</div>
        </dialog>
    }
}
