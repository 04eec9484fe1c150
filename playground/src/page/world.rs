//! Everything on a host except files, by subject of the vocabulary: editable values, and actions.

use super::browser;
use super::portions::use_rows;
use super::store::Dispatch;
use super::world_add::Add;
use crate::shown::{as_label, as_lines, is_long};
use crate::state::{Action, Shared};
use crate::worker::protocol::Request;
use mclive_base::shapes::host::{Addition, Alteration, Holding, HostAction, Thing, ThingField};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

/// The button of an object that was pressed last, and its section.
type Pressed = Rc<RefCell<Option<(Element, Element)>>>;

#[derive(Properties, PartialEq, Clone)]
pub(super) struct HoldingsProps {
    pub(super) dispatch: Dispatch,
    pub(super) shows: Shared<Vec<Holding>>,
}

#[component]
pub(super) fn Holdings(props: &HoldingsProps) -> Html {
    let pressed: Pressed = use_mut_ref(|| None);
    {
        let pressed = pressed.clone();
        use_effect_with(props.shows.clone(), move |_| keep_focus(&pressed));
    }
    let section = |(at, holding): (usize, &Holding)| {
        let add = |addition: &Addition| {
            html! {
                <Add key={addition.what.clone()} dispatch={props.dispatch.clone()} shows={props.shows.clone()}
                    subject={holding.subject.clone()} addition={addition.clone()} />
            }
        };
        html! {
            <section key={holding.subject.clone()}>
                <h2 tabindex="-1">{ &holding.title }</h2>
                if !holding.things.is_empty() {
                    <Things dispatch={props.dispatch.clone()} pressed={pressed.clone()} shows={props.shows.clone()} {at} />
                }
                <div class="additions">{ for holding.additions.iter().map(add) }</div>
            </section>
        }
    };
    html! { <div class="world" tabindex="0" role="group" aria-label="Everything else on the host">{ for props.shows.iter().enumerate().map(section) }</div> }
}

/// The button that was pressed may have disappeared with its object, and the focus with it: the title of its section has
/// the focus then.
fn keep_focus(pressed: &RefCell<Option<(Element, Element)>>) {
    let Some((button, section)) = pressed.take() else { return };
    if button.is_connected() {
        // It may still disappear, unless the focus has moved on.
        if browser::has_focus(&button) {
            *pressed.borrow_mut() = Some((button, section));
        }
        return;
    }
    if browser::focus_is_idle()
        && let Ok(Some(title)) = section.query_selector("h2")
        && let Ok(title) = title.dyn_into::<HtmlElement>()
    {
        let _ = title.focus();
    }
}

/// The cost of drawing a thing ([`crate::graphs::portions`]).
const COST: usize = 8;

#[derive(Properties, PartialEq, Clone)]
struct ThingsProps {
    dispatch: Dispatch,
    pressed: Pressed,
    shows: Shared<Vec<Holding>>,
    /// The index of the section.
    at: usize,
}

/// The things of a section. Of a long list, a portion is drawn before each frame.
#[component]
fn Things(props: &ThingsProps) -> Html {
    let ThingsProps { dispatch, pressed, shows, at } = props;
    let holding = shows.get(*at);
    let n_rows = use_rows(holding.map_or(0, |holding| holding.things.len()), COST);
    let Some(Holding { subject, things, .. }) = holding else { return html! {} };
    let row = |thing: &Thing| {
        html! {
            <Row key={thing.name.clone()} dispatch={dispatch.clone()} pressed={pressed.clone()} subject={subject.clone()} thing={thing.clone()} />
        }
    };
    html! { <ul>{ for things.iter().take(n_rows).map(row) }</ul> }
}

#[derive(Properties, PartialEq, Clone)]
struct RowProps {
    dispatch: Dispatch,
    pressed: Pressed,
    subject: AttrValue,
    thing: Thing,
}

/// A thing. It is rendered again only when it changes.
#[component]
fn Row(props: &RowProps) -> Html {
    let RowProps { dispatch, pressed, subject, thing } = props;
    let name = as_label(&thing.name);
    let field = |field: &ThingField| {
        if field.is_fixed {
            let (name, value) = (as_label(&field.name), as_label(&field.value));
            return html! { <span key={field.name.clone()} class="fixed"><span>{ format!("{name} ") }</span><code>{ value }</code></span> };
        }
        // By its name, so that it stays the same element when another field appears or disappears beside it.
        html! {
            <Field key={field.name.clone()} dispatch={dispatch.clone()} subject={subject.clone()} thing={thing.name.clone()} field={field.clone()} />
        }
    };
    let verb = |(at, verb): (usize, &String)| {
        let how = Alteration::Do { verb: verb.clone() };
        let action = HostAction::Alter { subject: subject.to_string(), thing: thing.name.clone(), how };
        let (dispatch, pressed) = (dispatch.clone(), pressed.clone());
        let onclick = Callback::from(move |event: MouseEvent| {
            let button = event.target_unchecked_into::<Element>();
            let section = button.closest("section").ok().flatten();
            *pressed.borrow_mut() = section.map(|section| (button, section));
            dispatch.send(Action::Asked(Request::Act { action: action.clone() }));
        });
        // By its place: what undoes a verb has the place of that verb, and so the focus.
        html! { <button key={at} class="button danger" aria-label={format!("{verb}: {name}")} {onclick}>{ verb.clone() }</button> }
    };
    html! {
        <li>
            <strong>{ name.clone() }</strong>
            <div class="fields">{ for thing.fields.iter().map(field) }</div>
            <div class="verbs">{ for thing.verbs.iter().enumerate().map(verb) }</div>
        </li>
    }
}

#[derive(Properties, PartialEq, Clone)]
struct FieldProps {
    dispatch: Dispatch,
    subject: AttrValue,
    thing: AttrValue,
    field: ThingField,
}

/// A field to be changed. It is rendered again only when its own value changes, so what is being typed stays while other
/// things of the host change. A text that was refused stays to be corrected, until another field is chosen.
#[component]
fn Field(props: &FieldProps) -> Html {
    let FieldProps { dispatch, subject, thing, field } = props;
    let name = field.name.clone();
    let label = format!("{}: {}", as_label(thing), as_label(&name));
    if is_long(&field.value, field.has_lines) {
        // What is typed into the start would replace all of it.
        return html! {
            <label class="lines"><span>{ as_label(&name) }</span>
                <textarea value={as_lines(&field.value)} readonly=true rows="8" aria-label={label}
                    title="This value is too long to edit" spellcheck="false" />
            </label>
        };
    }
    if field.has_lines {
        let value = field.value.clone();
        let set = setter(dispatch, subject, thing, &name);
        let changed = set.reform(|event: Event| event.target_unchecked_into::<HtmlTextAreaElement>().value());
        let left = {
            let value = value.clone();
            Callback::from(move |event: FocusEvent| {
                event.target_unchecked_into::<HtmlTextAreaElement>().set_value(&value);
            })
        };
        let rows = value.lines().count().clamp(2, 8).to_string();
        return html! {
            <label class="lines"><span>{ as_label(&name) }</span>
                <textarea {value} onchange={changed} onblur={left} {rows} aria-label={label}
                    title="The change applies when you leave the field" spellcheck="false" />
            </label>
        };
    }
    let value = as_label(&field.value);
    let changed = changed(dispatch, subject, thing, &name);
    let left = {
        let value = value.clone();
        Callback::from(move |event: FocusEvent| event.target_unchecked_into::<HtmlInputElement>().set_value(&value))
    };
    html! {
        <label><span>{ as_label(&name) }</span>
            <input type="text" {value} onchange={changed} onblur={left} aria-label={label} spellcheck="false" autocomplete="off" />
        </label>
    }
}

/// A callback that sets a field of a thing from an input.
pub(super) fn changed(dispatch: &Dispatch, subject: &str, thing: &str, field: &str) -> Callback<Event> {
    let set = setter(dispatch, subject, thing, field);
    set.reform(|event: Event| event.target_unchecked_into::<HtmlInputElement>().value())
}

/// A callback that sets a field of a thing.
fn setter(dispatch: &Dispatch, subject: &str, thing: &str, field: &str) -> Callback<String> {
    let (dispatch, subject, thing, field) = (dispatch.clone(), subject.to_owned(), thing.to_owned(), field.to_owned());
    Callback::from(move |value: String| {
        let how = Alteration::Set { field: field.clone(), value };
        let action = HostAction::Alter { subject: subject.clone(), thing: thing.clone(), how };
        dispatch.send(Action::Asked(Request::Act { action }));
    })
}
