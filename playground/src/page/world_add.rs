//! What can be added to a host by hand: a field for the name, and a button.

use super::store::Dispatch;
use crate::state::{Action, Shared};
use crate::worker::protocol::Request;
use mclive_base::shapes::host::{ADD, Addition, Alteration, Holding, HostAction};
use web_sys::{HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

#[derive(Properties, PartialEq, Clone)]
pub(super) struct AddProps {
    pub(super) dispatch: Dispatch,
    pub(super) shows: Shared<Vec<Holding>>,
    pub(super) subject: AttrValue,
    pub(super) addition: Addition,
}

impl AddProps {
    /// The name of the thing for a name that the user chose.
    fn thing(&self, name: &str) -> String {
        format!("{}{}", self.addition.prefix, name.trim())
    }

    fn has(&self, thing: &str) -> bool {
        let own = self.shows.iter().filter(|holding| *holding.subject == *self.subject);
        own.flat_map(|holding| &holding.things).any(|other| other.name == thing)
    }
}

/// The text stays until the host has the thing, so that a name that is refused can be corrected.
#[component]
pub(super) fn Add(props: &AddProps) -> Html {
    let text = use_state(String::new);
    let sent = use_state(|| None::<String>);
    let is_there = sent.as_ref().is_some_and(|thing| props.has(thing));
    {
        let (text, sent, typed) = (text.clone(), sent.clone(), props.thing(&text));
        use_effect_with(is_there, move |is_there| {
            if *is_there {
                if sent.as_ref() == Some(&typed) {
                    text.set(String::new());
                }
                sent.set(None);
            }
        });
    }
    let add = {
        let (props, sent) = (props.clone(), sent.clone());
        Callback::from(move |name: String| {
            let thing = props.thing(&name);
            if name.trim().is_empty() {
                return;
            }
            sent.set((!props.has(&thing)).then(|| thing.clone()));
            let how = Alteration::Do { verb: ADD.to_owned() };
            let action = HostAction::Alter { subject: props.subject.to_string(), thing, how };
            props.dispatch.send(Action::Asked(Request::Act { action }));
        })
    };
    let typed = {
        let text = text.clone();
        Callback::from(move |event: InputEvent| text.set(event.target_unchecked_into::<HtmlInputElement>().value()))
    };
    let keys = {
        let add = add.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Enter" {
                add.emit(event.target_unchecked_into::<HtmlInputElement>().value());
            }
        })
    };
    let field = use_node_ref();
    let pressed = {
        let (text, field) = (text.clone(), field.clone());
        Callback::from(move |_: MouseEvent| {
            add.emit((*text).clone());
            // The button is disabled when the field is emptied; and a name that is refused is corrected there.
            if let Some(field) = field.cast::<HtmlInputElement>() {
                let _ = field.focus();
            }
        })
    };
    let what = &props.addition.what;
    html! {
        <div class="add">
            <input ref={field} type="text" value={(*text).clone()} oninput={typed} onkeydown={keys} aria-label={format!("New {what}")}
                placeholder={props.addition.example.clone()} spellcheck="false" autocomplete="off" autocapitalize="off" />
            <button class="button" onclick={pressed} disabled={text.trim().is_empty()}>{ format!("Add {what}") }</button>
        </div>
    }
}
