//! The keyboard help: every shortcut of the page, in a dialog.

use super::icons::{Icon, icon};
use super::store::Part;
use crate::state::Action;
use web_sys::HtmlDialogElement;
use yew::prelude::*;

/// A group of shortcuts: its title, and each key with its effect.
type Group = (&'static str, &'static [(&'static str, &'static str)]);

const GROUPS: &[Group] = &[
    (
        "Program",
        &[
            ("Ctrl+Enter", "run, or pause"),
            ("Ctrl+S", "share the program by a link"),
            ("Alt+Shift+F", "format"),
            ("F1", "this help"),
        ],
    ),
    (
        "Know",
        &[
            ("Ctrl+I", "what is this? type, documentation, current value"),
            ("Ctrl+Space", "what could stand here"),
            ("Ctrl+Shift+Space", "the parameters of this call"),
            ("F8", "the next problem"),
            ("Ctrl+.", "mend the problem on this line"),
        ],
    ),
    (
        "Go",
        &[
            ("F12, Ctrl+click", "to the definition"),
            ("Shift+F12", "all uses"),
            ("Ctrl+Shift+O", "the outline"),
            ("Alt+Left", "back to where you were"),
        ],
    ),
    (
        "Change",
        &[
            ("F2", "rename, everywhere"),
            ("Ctrl+/", "comment out"),
            ("Ctrl+F", "find and replace"),
            ("Ctrl+Z, Ctrl+Y", "undo, redo"),
            ("Escape, Tab", "leave the editor"),
        ],
    ),
    (
        "Time",
        &[
            ("Alt+N, Alt+P", "to the next event, to the one before"),
            ("Left, Right", "on the time line: from moment to moment"),
            ("Home, End", "to the first moment, to the last"),
        ],
    ),
    (
        "Lesson",
        &[("Ctrl+Shift+Enter", "check the program"), ("Alt+PageDown, Alt+PageUp", "the next lesson, the one before")],
    ),
    ("Graph", &[("Arrows", "from vertex to vertex"), ("Enter", "look at a vertex"), ("+, -, 0", "zoom")]),
];

#[component]
pub(super) fn Keys(props: &Part<bool>) -> Html {
    let dialog = use_node_ref();
    let open = props.shows;
    {
        let dialog = dialog.clone();
        use_effect_with(open, move |open| {
            if let Some(dialog) = dialog.cast::<HtmlDialogElement>().filter(|dialog| *open && !dialog.open()) {
                let _ = dialog.show_modal();
            }
        });
    }
    if !open {
        return html! {};
    }
    let close = props.dispatch.on(Action::ShowKeys(false));
    let key = |(key, does): &(&'static str, &'static str)| {
        let kbd = |part: &'static str| html! { <kbd>{ part }</kbd> };
        html! { <><dt>{ for key.split(", ").map(kbd) }</dt><dd>{ *does }</dd></> }
    };
    let group =
        |(title, keys): &Group| html! { <section><h3>{ *title }</h3><dl>{ for keys.iter().map(key) }</dl></section> };
    html! {
        <dialog ref={dialog} class="explained keys" aria-labelledby="keys-title" onclose={props.dispatch.on(Action::ShowKeys(false))}>
            <header>
                <h2 id="keys-title">{ "Keyboard" }</h2>
                <button class="button only-icon plain" onclick={close} aria-label="Close">{ icon(Icon::Close) }</button>
            </header>
            <div class="key-groups" tabindex="0">{ for GROUPS.iter().map(group) }</div>
        </dialog>
    }
}
