//! A button with a menu: usable by pointer, arrow keys and Escape.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, Node};
use yew::prelude::*;

#[derive(Properties, PartialEq, Clone)]
pub(super) struct MenuProps {
    pub(super) id: AttrValue,
    /// The label of the menu, for screen readers.
    pub(super) label: AttrValue,
    #[prop_or_default]
    pub(super) class: Classes,
    #[prop_or_default]
    pub(super) title: Option<AttrValue>,
    /// The content of the button.
    pub(super) button: Html,
    /// Owned by the caller, so that the menu need not be built before it is opened.
    pub(super) open: UseStateHandle<bool>,
    /// Items, each with a button of the class `menu-item`. Clicking one closes the menu.
    pub(super) children: Html,
}

#[component]
pub(super) fn Menu(props: &MenuProps) -> Html {
    let (menu, button) = (use_node_ref(), use_node_ref());
    let open = &props.open;
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let close = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(false))
    };
    let chosen = {
        let (open, button) = (open.clone(), button.clone());
        Callback::from(move |event: MouseEvent| {
            let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            if target.is_some_and(|target| target.closest("button:not(:disabled)").ok().flatten().is_some()) {
                open.set(false);
                focus(&button);
            }
        })
    };
    let keys = {
        let (open, menu, button) = (open.clone(), menu.clone(), button.clone());
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Escape" if *open => {
                open.set(false);
                focus(&button);
            }
            "ArrowDown" if !*open => {
                event.prevent_default();
                open.set(true);
            }
            "ArrowDown" => move_focus(&event, &menu, |at, last| (at + 1).min(last)),
            "ArrowUp" if *open => move_focus(&event, &menu, |at, _| at.saturating_sub(1)),
            // Before the items is the button of the menu.
            "Home" if *open => move_focus(&event, &menu, |_, last| last.min(1)),
            "End" if *open => move_focus(&event, &menu, |_, last| last),
            _ => {}
        })
    };
    let left = {
        let (open, menu) = (open.clone(), menu.clone());
        Callback::from(move |event: FocusEvent| {
            // It is unknown while the whole window loses the focus.
            let next = event.related_target().and_then(|target| target.dyn_into::<Node>().ok());
            if let (true, Some(menu), Some(next)) = (*open, menu.cast::<Element>(), next)
                && !menu.contains(Some(&next))
            {
                open.set(false);
            }
        })
    };
    html! {
        <div ref={menu} class={classes!("menu", props.class.clone())} onkeydown={keys} onfocusout={left}>
            <button ref={button} class="button" onclick={toggle} title={props.title.clone()} aria-expanded={open.to_string()} aria-controls={props.id.clone()}>
                { props.button.clone() }
            </button>
            if **open {
                <div class="menu-veil" onclick={close}></div>
                <ul id={props.id.clone()} class="menu-list" aria-label={props.label.clone()} onclick={chosen}>{ props.children.clone() }</ul>
            }
        </div>
    }
}

/// Closes the menu and returns the focus to its button, unless it moves elsewhere.
fn focus(button: &NodeRef) {
    if let Some(button) = button.cast::<HtmlElement>() {
        let _ = button.focus();
    }
}

/// Moves the focus to another button of the menu. `next`: which one, from the number of the present one and of the last.
fn move_focus(event: &KeyboardEvent, menu: &NodeRef, next: fn(usize, usize) -> usize) {
    event.prevent_default();
    // The current target of an event is the page's: listeners are delegated.
    let Some(menu) = menu.cast::<Element>() else { return };
    let Ok(buttons) = menu.query_selector_all("button:not(:disabled)") else { return };
    let active = menu.owner_document().and_then(|document| document.active_element());
    let all: Vec<HtmlElement> = (0..buttons.length()).filter_map(|index| buttons.get(index)?.dyn_into().ok()).collect();
    let at = all.iter().position(|button| active.as_ref().is_some_and(|active| **button == *active)).unwrap_or(0);
    if let Some(button) = all.get(next(at, all.len().saturating_sub(1))) {
        let _ = button.focus();
    }
}
