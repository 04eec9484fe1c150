//! The tabs above the editor: a program's files, each with the number of its problems.

use super::browser;
use super::icons::{Icon, icon};
use super::store::Part;
use crate::shown::as_label;
use crate::state::shows::{FileTab, FilesShows};
use crate::state::{Action, File, Tab};
use mclive_base::files::well_formed;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

/// The file being named.
#[derive(Clone, Copy, PartialEq)]
enum Naming {
    New,
    /// The existing file at this position.
    Old(usize),
}

#[component]
pub(super) fn Files(props: &Part<FilesShows>) -> Html {
    let Part { dispatch, shows } = props;
    let naming = use_state(|| None::<Naming>);
    let list = use_node_ref();
    let was_naming = use_mut_ref(|| false);
    {
        // The field takes the focus with it when it disappears.
        let (list, shown) = (list.clone(), shows.shown);
        use_effect_with(naming.is_some(), move |is_naming| {
            if was_naming.replace(*is_naming) && !is_naming && browser::focus_is_idle() {
                focus(&list, shown);
            }
        });
    }
    let can_change = shows.can_change && !browser::is_embedded();
    if !can_change && shows.tabs.len() == 1 {
        return html! {};
    }
    let begin = |what: Naming| {
        let naming = naming.clone();
        move || naming.set(Some(what))
    };
    let keys = {
        let (dispatch, shows, naming, list) = (dispatch.clone(), shows.clone(), naming.clone(), list.clone());
        Callback::from(move |event: KeyboardEvent| {
            let (at, last) = (shows.shown, shows.tabs.len() - 1);
            let to = match event.key().as_str() {
                "ArrowRight" => {
                    if at == last {
                        0
                    } else {
                        at + 1
                    }
                }
                "ArrowLeft" => at.checked_sub(1).unwrap_or(last),
                "Home" => 0,
                "End" => last,
                "F2" if can_change && at > 0 => {
                    event.prevent_default();
                    return naming.set(Some(Naming::Old(at)));
                }
                // On a Mac, Delete is Backspace.
                "Delete" | "Backspace" if can_change && at > 0 => {
                    dispatch.send(Action::Tab(Tab::Remove(at)));
                    return focus(&list, at - 1);
                }
                _ => return,
            };
            event.prevent_default();
            dispatch.send(Action::Tab(Tab::Show(shows.tabs[to].name.to_string())));
            focus(&list, to);
        })
    };
    let tab = |(at, tab): (usize, &FileTab)| {
        if *naming == Some(Naming::Old(at)) {
            return html! { <NameField key={format!("name {at}")} part={props.clone()} naming={naming.clone()} what={Naming::Old(at)} /> };
        }
        let is_shown = at == shows.shown;
        let show = dispatch.on(Action::Tab(Tab::Show(tab.name.to_string())));
        let rename = {
            let begin = begin(Naming::Old(at));
            Callback::from(move |_: MouseEvent| {
                if can_change && at > 0 {
                    begin()
                }
            })
        };
        let counts = tab.binary.map_or_else(|| counts(tab), size_of);
        let name = as_label(&tab.name);
        let label = if counts.is_empty() { name.clone() } else { format!("{name}, {counts}") };
        let hint = if can_change && at > 0 { " (F2 renames, Delete deletes)" } else { "" };
        html! {
            <div key={&*tab.name} class={classes!("file-tab", is_shown.then_some("shown"))} role="presentation">
                <button role="tab" aria-selected={is_shown.to_string()} tabindex={if is_shown { "0" } else { "-1" }} aria-label={label}
                    title={format!("{name}{hint}")} onclick={show} ondblclick={rename}>
                    <span class="file-name">{ short(&name) }</span>
                    // The label contains the number in words; the style draws it.
                    if tab.n_errors > 0 { <span class="badge bad" data-number={tab.n_errors.to_string()} /> }
                    else if tab.n_warnings > 0 { <span class="badge warn" data-number={tab.n_warnings.to_string()} /> }
                </button>
                if is_shown && can_change && at > 0 {
                    // For the mouse: the keyboard has Delete, and a tab list may contain only tabs.
                    <button class="file-close" tabindex="-1" aria-hidden="true" title="Delete this file"
                        onclick={dispatch.on(Action::Tab(Tab::Remove(at)))}>{ icon(Icon::Close) }</button>
                }
            </div>
        }
    };
    let add = {
        let begin = begin(Naming::New);
        Callback::from(move |_: MouseEvent| begin())
    };
    html! {
        <div class="files-bar">
            <div ref={list} class="files-list" role="tablist" aria-label="Files of the program" onkeydown={keys}>
                { for shows.tabs.iter().enumerate().map(tab) }
            </div>
            if can_change {
                if *naming == Some(Naming::New) {
                    <NameField part={props.clone()} naming={naming.clone()} what={Naming::New} />
                } else {
                    <button class="button only-icon plain file-add" onclick={add} aria-label="Add a file" title="Add a file">{ icon(Icon::Plus) }</button>
                }
                if let Some(name) = &shows.removed {
                    <span class="file-removed" role="status">
                        <span>{ format!("{} deleted", short(&as_label(name))) }</span>
                        <button class="button" onclick={dispatch.on(Action::Tab(Tab::PutBack))}>{ "Undo" }</button>
                    </span>
                } else if shows.has_previous {
                    <button class="button file-previous" onclick={dispatch.on(Action::GoBack)} title="Go back to the program that was displayed before this one">
                        { "Previous program" }
                    </button>
                }
            }
        </div>
    }
}

/// `binary, 12 bytes`.
fn size_of(n_bytes: usize) -> String {
    format!("binary, {n_bytes} byte{}", if n_bytes == 1 { "" } else { "s" })
}

/// In place of the editor: a file that is not text.
#[component]
pub(super) fn NotText(props: &Part<Option<File>>) -> Html {
    let Some((file, bytes)) = props.shows.as_ref().and_then(|file| Some((file, file.binary.clone()?))) else {
        return html! {};
    };
    let name = file.name.clone();
    let about = size_of(bytes.len());
    let save = Callback::from(move |_: MouseEvent| browser::save_bytes(&name, &bytes));
    html! {
        <div class="not-text" role="region" aria-label={format!("{}, {about}", as_label(&file.name))}>
            <p><strong>{ as_label(&file.name) }</strong>{ format!(": {about}") }</p>
            <p>{ "Programs can read this file, but the editor cannot show it." }</p>
            <button class="button" onclick={save}>{ "Download" }</button>
        </div>
    }
}

/// `2 errors, 1 warning`; empty if there are none.
fn counts(tab: &FileTab) -> String {
    let count = |n: usize, word: &str| (n > 0).then(|| format!("{n} {word}{}", if n == 1 { "" } else { "s" }));
    let both = [count(tab.n_errors, "error"), count(tab.n_warnings, "warning")];
    both.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The end of a long path, its distinctive part.
fn short(name: &str) -> String {
    const MOST: usize = 32;
    let n_chars = name.chars().count();
    match n_chars > MOST {
        true => std::iter::once('…').chain(name.chars().skip(n_chars - MOST + 1)).collect(),
        false => name.to_owned(),
    }
}

/// Focuses a tab.
fn focus(list: &NodeRef, at: usize) {
    let tabs = list.cast::<web_sys::Element>().and_then(|list| list.query_selector_all("[role=tab]").ok());
    if let Some(tab) = tabs.and_then(|tabs| tabs.get(u32::try_from(at).ok()?)?.dyn_into::<HtmlElement>().ok()) {
        let _ = tab.focus();
    }
}

#[derive(Properties, PartialEq)]
struct NameProps {
    part: Part<FilesShows>,
    naming: UseStateHandle<Option<Naming>>,
    what: Naming,
}

/// An input for a name: Enter accepts it, Escape cancels.
#[component]
fn NameField(props: &NameProps) -> Html {
    let Part { dispatch, shows } = &props.part;
    let field = use_node_ref();
    let refused = use_state(String::new);
    {
        let field = field.clone();
        use_effect_with((), move |()| {
            if let Some(field) = field.cast::<HtmlInputElement>() {
                let _ = field.focus();
                field.select();
            }
        });
    }
    let before = match props.what {
        Naming::New => String::new(),
        Naming::Old(at) => shows.tabs.get(at).map(|tab| tab.name.to_string()).unwrap_or_default(),
    };
    let take = {
        let (dispatch, tabs, naming, what) = (dispatch.clone(), shows.tabs.clone(), props.naming.clone(), props.what);
        let (refused, before) = (refused.clone(), before.clone());
        move |name: &str, insists: bool| {
            let name = name.trim();
            if name.is_empty() || name == before {
                return naming.set(None);
            }
            let is_taken = tabs.iter().any(|tab| *tab.name == *name);
            let wrong = if is_taken { Err(format!("the file `{name}` already exists")) } else { well_formed(name) };
            match (wrong, insists) {
                (Err(why), true) => refused.set(why),
                (Err(_), false) => naming.set(None),
                (Ok(()), _) => {
                    naming.set(None);
                    dispatch.send(Action::Tab(match what {
                        Naming::New => Tab::Add(name.to_owned()),
                        Naming::Old(at) => Tab::Rename(at, name.to_owned()),
                    }));
                }
            }
        }
    };
    let keys = {
        let (take, naming) = (take.clone(), props.naming.clone());
        Callback::from(move |event: KeyboardEvent| {
            // The tabs around it have their own shortcuts.
            event.stop_propagation();
            match event.key().as_str() {
                "Enter" => take(&event.target_unchecked_into::<HtmlInputElement>().value(), true),
                "Escape" => naming.set(None),
                _ => {}
            }
        })
    };
    let leave = Callback::from(move |event: FocusEvent| {
        take(&event.target_unchecked_into::<HtmlInputElement>().value(), false);
    });
    html! {
        <span class="file-naming">
            <input ref={field} type="text" value={before} onkeydown={keys} onblur={leave} spellcheck="false" autocomplete="off" autocapitalize="off"
                maxlength="200" placeholder="lib/name.mcl" aria-label="Name of the file" aria-invalid={(!refused.is_empty()).to_string()} />
            if !refused.is_empty() { <span class="file-refused" role="alert">{ as_label(&refused) }</span> }
        </span>
    }
}
