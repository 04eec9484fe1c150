//! The search field of a graph: matches stay bright, and are visited with Enter.

use super::Face;
use crate::graphs::search;
use std::rc::Rc;
use web_sys::{HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

#[derive(Properties, PartialEq, Clone)]
pub(super) struct FindProps {
    pub(super) field: NodeRef,
    pub(super) sought: AttrValue,
    pub(super) matches: Rc<Vec<u32>>,
    pub(super) selected: Option<u32>,
    /// The search text has changed.
    pub(super) on_seek: Callback<AttrValue>,
    /// Go to this match.
    pub(super) on_step: Callback<u32>,
}

#[component]
pub(super) fn Find(props: &FindProps) -> Html {
    let input = {
        let on_seek = props.on_seek.clone();
        Callback::from(move |event: InputEvent| {
            let field: HtmlInputElement = event.target_unchecked_into();
            on_seek.emit(field.value().into());
        })
    };
    let keys = {
        let props = props.clone();
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => {
                event.prevent_default();
                if let Some(next) = search::step(&props.matches, props.selected, event.shift_key()) {
                    props.on_step.emit(next);
                }
            }
            "Escape" => props.on_seek.emit(AttrValue::default()),
            _ => {}
        })
    };
    let position = props.selected.and_then(|selected| props.matches.binary_search(&selected).ok());
    let count = match (props.matches.len(), position) {
        (n, Some(at)) => format!("{} of {n}", at + 1),
        (n, None) => n.to_string(),
    };
    html! {
        <div class="find" role="search">
            if !props.sought.is_empty() { <output>{ count }</output> }
            <input ref={props.field.clone()} type="text" aria-label="Search the graph" placeholder="Search" title="Search (/)"
                value={props.sought.clone()} oninput={input} onkeydown={keys} />
        </div>
    }
}

/// The matches in a graph; none if nothing is sought.
pub(super) fn matches(sought: &str, faces: &[Face]) -> Vec<u32> {
    search::matches(sought, faces.iter().map(|face| face.label.as_str()))
}

/// `/` and Ctrl+F go to the field.
pub(super) fn opener(field: &NodeRef) -> Callback<KeyboardEvent> {
    let field = field.clone();
    Callback::from(move |event: KeyboardEvent| {
        let is_wanted = match event.key().as_str() {
            "/" => true,
            // Caps Lock makes it a capital.
            "f" | "F" => event.ctrl_key() || event.meta_key(),
            _ => false,
        };
        // In a field it is text.
        if !is_wanted || event.target_dyn_into::<HtmlInputElement>().is_some() {
            return;
        }
        if let Some(field) = field.cast::<HtmlInputElement>() {
            event.prevent_default();
            let _ = field.focus();
            field.select();
        }
    })
}
