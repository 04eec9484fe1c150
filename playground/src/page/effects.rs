//! What follows from the model outside of it: requests to the worker, the editor's content, the
//! theme, what is remembered, the passing of time.

use super::browser;
use super::client::Client;
use super::store::Page;
use crate::state::share::{self, Asked};
use crate::state::{Action, Notice, Selection, Theme, Tone, problems};
use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::{Interval, Timeout};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;
use yew::platform::spawn_local;
use yew::prelude::*;

/// A pause in typing. Units: milliseconds.
const PAUSE_MS: u32 = 120;
/// The beat of a playing simulation.
const BEAT_MS: u32 = 100;

/// Keeps the worker at work and the clock running.
#[hook]
pub(super) fn use_worker(page: &Page) -> Client {
    let client = {
        let dispatcher = page.0.dispatcher();
        use_memo((), move |()| Client::new(Rc::new(move |action| dispatcher.dispatch(action))))
    };
    let model = page.model();
    let next = model.next_request().map(|request| (model.last_number + 1, request));
    let (sender, poster) = (page.clone(), client.clone());
    use_effect_with(next, move |next| {
        if let Some((number, request)) = next.clone() {
            sender.send(Action::Sent(request.clone()));
            poster.post(number, request);
        }
    });
    let dispatcher = page.0.dispatcher();
    use_effect_with(model.edit, move |edit| {
        let edit = *edit;
        let pause = Timeout::new(PAUSE_MS, move || dispatcher.dispatch(Action::Settled(edit)));
        move || drop(pause)
    });
    let dispatcher = page.0.dispatcher();
    use_effect_with(model.is_running() && model.sim.playing, move |runs| {
        let beat = runs.then(|| {
            let mut last = browser::now_ms();
            Interval::new(BEAT_MS, move || {
                let now = browser::now_ms();
                dispatcher.dispatch(Action::Frame((now - last) as u64));
                last = now;
            })
        });
        move || drop(beat)
    });
    (*client).clone()
}

/// Remembers the text, and whether something was under way: a visit that ended in the middle of a
/// run opens held.
#[hook]
pub(super) fn use_memory(page: &Page) {
    let model = page.model();
    use_effect_with((model.settled, model.text.clone()), |(_, text)| browser::remember("text", text));
    use_effect_with(model.linked == model.edit, |linked| {
        // An address that shows another program than the editor would bring the old one back.
        if !linked && !browser::fragment().is_empty() {
            browser::set_fragment("./");
        }
    });
    use_effect_with(model.flight.is_some(), |busy| {
        if *busy { browser::remember("running", "1") } else { browser::forget("running") }
    });
    use_effect_with(model.theme, |theme| {
        let root = browser::window().document().and_then(|document| document.document_element());
        if let (Some(theme), Some(root)) = (theme, root) {
            let name = if *theme == Theme::Dark { "dark" } else { "light" };
            let _ = root.set_attribute("data-theme", name);
            browser::remember("theme", name);
        }
    });
}

/// Keeps the editor's text, squiggles and marked range what the model says.
#[hook]
pub(super) fn use_editor(page: &Page) {
    let model = page.model();
    let text = model.text.clone();
    use_effect_with(model.pushed, move |pushed| {
        if *pushed > 0 {
            browser::editor_set_text(&text);
        }
    });
    let (text, result, current) = (model.text.clone(), model.check.result.clone(), model.check.edit == model.edit);
    use_effect_with((model.check.edit, current), move |_| {
        if current {
            let list = problems(&text, &result);
            browser::editor_set_problems(&serde_json::to_string(&list).expect("a problem is plain data"));
        }
    });
    let range = page.selected_range();
    use_effect_with((model.selected.clone(), range), move |(_, range)| match range {
        Some((from, to)) => browser::editor_show(*from, *to, false),
        None => browser::editor_hide(),
    });
}

impl Page {
    /// Where the selected vertex stands in the text. Units: UTF-16.
    pub(super) fn selected_range(&self) -> Option<(usize, usize)> {
        let model = self.model();
        let place = match model.selected.as_ref()? {
            Selection::Function(index) => model.check.functions.graph.vertices.get(*index as usize)?.place.clone(),
            Selection::Resource(id) => model.resource_place(id),
        };
        place.and_then(|place| crate::state::range_in_main(&model.text, &place))
    }
}

/// Opens what the address asks for, now and when a link is pasted into the same tab; and listens
/// to the page's keys.
#[hook]
pub(super) fn use_address_and_keys(page: &Page) {
    let opener = page.clone();
    use_effect_with((), move |()| {
        open_address(&opener);
        let listener = EventListener::new(&browser::window(), "hashchange", move |_| open_address(&opener));
        move || drop(listener)
    });
    // The listener lives as long as the page, so it finds the current page in this cell.
    let current = use_mut_ref(|| page.clone());
    *current.borrow_mut() = page.clone();
    use_effect_with((), move |()| {
        let options = EventListenerOptions::enable_prevent_default();
        let listener = EventListener::new_with_options(&browser::window(), "keydown", options, move |event| {
            if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                pressed(&current.borrow().clone(), event);
            }
        });
        move || drop(listener)
    });
}

fn pressed(page: &Page, event: &KeyboardEvent) {
    let command = event.ctrl_key() || event.meta_key();
    match event.key().as_str() {
        "s" if command => {
            event.prevent_default();
            share_program(page);
        }
        "Enter" if command => {
            event.prevent_default();
            page.toggle_playing();
        }
        "F1" => {
            event.prevent_default();
            page.send(Action::ShowKeys(true));
        }
        "F" | "f" if event.alt_key() && event.shift_key() => {
            event.prevent_default();
            page.format();
        }
        _ => {}
    }
}

fn open_address(page: &Page) {
    let page = page.clone();
    match share::asked(&browser::fragment()) {
        Asked::Nothing => {}
        Asked::Example(name) => match crate::examples::find(&name) {
            Some(example) => page.send(Action::Opened(example.text.to_owned())),
            None => page.complain(&format!("there is no example `{name}`")),
        },
        Asked::Program(packed) => spawn_local(async move {
            match browser::unpack_link(&packed).await {
                Ok(text) => page.send(Action::Opened(text)),
                Err(why) => page.complain(&why),
            }
        }),
    }
}

/// Puts the program into the address and the link on the clipboard.
pub(super) fn share_program(page: &Page) {
    let (page, text, edit) = (page.clone(), page.model().text.clone(), page.model().edit);
    spawn_local(async move {
        match browser::pack_link(&text).await {
            Ok(packed) => {
                let fragment = share::fragment(&packed);
                browser::set_fragment(&fragment);
                page.send(Action::Shared(edit));
                let link = browser::address(&fragment);
                let copied = browser::copy_text(&link).await;
                let said = if copied { "Link copied" } else { "The link is in the address bar" };
                let long = if link.len() > 1_900 { "; some chats cut links this long" } else { "" };
                let text = format!("{said} ({} characters{long}).", link.len());
                page.send(Action::Say(Some(Notice { tone: Tone::Good, text })));
            }
            Err(why) => page.complain(&why),
        }
    });
}
