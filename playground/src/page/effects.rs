//! What follows from the model outside of it: requests to the worker, the editor's content, the
//! theme, what is remembered, the passing of time.

use super::address;
use super::browser;
use super::client::Client;
use super::store::Dispatch;
use crate::state::share::{self, Asked};
use crate::state::{Action, Learning, Model, Notice, Theme, Tone, problems, range_in_main};
use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::{Interval, Timeout};
use mclive_base::layout::Layout;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::KeyboardEvent;
use yew::platform::spawn_local;
use yew::prelude::*;

/// A pause in typing. Units: milliseconds.
const PAUSE_MS: u32 = 120;
/// The beat of a playing simulation.
const BEAT_MS: u32 = 100;

/// Keeps the worker at work and the clock running.
#[hook]
pub(super) fn use_worker(model: &Model, dispatch: &Dispatch) -> Client {
    let client = {
        let (dispatch, layout) = (dispatch.clone(), model.layout);
        use_memo((), move |()| Client::new(Rc::new(move |action| dispatch.send(action)), layout))
    };
    let speaker = client.clone();
    use_effect_with(model.layout, move |layout| speaker.speak(layout));
    let beside = model.lesson().map(|lesson| lesson.files.clone()).unwrap_or_default();
    let questioner = client.clone();
    use_effect_with(beside, move |beside| questioner.stand_beside(beside.clone()));
    let next = model.next_request().map(|request| (model.last_number + 1, request));
    let (sender, asker) = (dispatch.clone(), client.clone());
    use_effect_with(next, move |next| {
        let Some((number, request)) = next.clone() else { return };
        sender.send(Action::Sent(request.clone()));
        spawn_local(async move {
            sender.send(match asker.ask(request).await {
                Ok(answer) => Action::Answered(number, answer),
                Err(lost) => Action::WorkerLost(Some(number), lost),
            });
        });
    });
    let sender = dispatch.clone();
    use_effect_with(model.edit, move |edit| {
        let edit = *edit;
        let pause = Timeout::new(PAUSE_MS, move || sender.send(Action::Settled(edit)));
        move || drop(pause)
    });
    let sender = dispatch.clone();
    use_effect_with(model.is_running() && model.sim.playing, move |runs| {
        let beat = runs.then(|| {
            let mut last = browser::now_ms();
            Interval::new(BEAT_MS, move || {
                let now = browser::now_ms();
                sender.send(Action::Frame((now - last) as u64));
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
pub(super) fn use_memory(model: &Model) {
    // What a lesson's program is belongs to the lesson.
    let own = model.learn.at.is_none().then(|| (model.text.clone(), model.layout));
    use_effect_with((model.settled, own), |(_, own)| {
        if let Some((text, layout)) = own {
            browser::remember("text", text);
            browser::remember("language", layout.main);
        }
    });
    use_effect_with(model.welcome, |welcome| {
        if !welcome {
            browser::remember("seen", "1");
        }
    });
    use_effect_with(model.linked == model.edit, |linked| {
        // An address that shows another program than the editor would bring the old one back.
        let stale = |fragment: &String| !fragment.is_empty() && !share::is_lesson(fragment);
        if !linked && address::known().as_ref().is_some_and(stale) {
            address::replace("./");
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
pub(super) fn use_editor(model: &Model) {
    let (text, suffix) = (model.text.clone(), model.layout.suffix);
    let documents = use_mut_ref(|| 0);
    use_effect_with((model.pushed, model.documents), move |&(pushed, n_documents)| {
        if documents.replace(n_documents) != n_documents {
            browser::editor_open(&text, suffix);
        } else if pushed > 0 {
            browser::editor_set_text(&text, suffix);
        }
    });
    let (text, result, current) = (model.text.clone(), model.check.result.clone(), model.check.edit == model.edit);
    use_effect_with((model.check.edit, current), move |_| {
        if current {
            let list = problems(&text, &result);
            browser::editor_set_problems(&browser::to_object(&list).unwrap_or(JsValue::NULL));
        }
    });
    let range = model.selected_range();
    use_effect_with((model.selected.clone(), range), move |(_, range)| match range {
        Some((from, to)) => browser::editor_show(*from, *to, false),
        None => browser::editor_hide(),
    });
    let revealed = model.revealed.as_ref().and_then(|place| range_in_main(&model.text, place));
    use_effect_with(model.n_revealed, move |_| {
        if let Some((from, to)) = revealed {
            browser::editor_show(from, to, true);
        }
    });
}

/// Opens what the address asks for, now and when a link is pasted into the same tab; and listens
/// to the page's keys.
#[hook]
pub(super) fn use_address_and_keys(dispatch: &Dispatch) {
    let opener = dispatch.clone();
    use_effect_with((), move |()| {
        open_address(&opener);
        let listener = EventListener::new(&browser::window(), "hashchange", move |_| open_address(&opener));
        move || drop(listener)
    });
    let presser = dispatch.clone();
    use_effect_with((), move |()| {
        let options = EventListenerOptions::enable_prevent_default();
        let listener = EventListener::new_with_options(&browser::window(), "keydown", options, move |event| {
            if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                pressed(&presser, event);
            }
        });
        move || drop(listener)
    });
}

fn pressed(dispatch: &Dispatch, event: &KeyboardEvent) {
    let command = event.ctrl_key() || event.meta_key();
    let action = match event.key().as_str() {
        "s" if command => Action::Share,
        "Enter" if command && event.shift_key() => Action::Learn(Learning::Check),
        "Enter" if command => Action::TogglePlaying,
        "PageDown" if event.alt_key() => Action::Learn(Learning::Turn(true)),
        "PageUp" if event.alt_key() => Action::Learn(Learning::Turn(false)),
        "F1" => Action::ShowKeys(true),
        "F" | "f" if event.alt_key() && event.shift_key() => Action::Format,
        _ => return,
    };
    event.prevent_default();
    dispatch.send(action);
}

fn open_address(dispatch: &Dispatch) {
    let dispatch = dispatch.clone();
    match share::asked(&address::read()) {
        Asked::Nothing => dispatch.send(Action::Learn(Learning::Leave)),
        Asked::Lesson(name) => dispatch.send(Action::Learn(Learning::Open(name))),
        Asked::Example(name) => match crate::examples::find(&name) {
            Some(example) => dispatch.send(Action::Opened(example.layout, example.text.to_owned())),
            None => dispatch.complain(&format!("there is no example `{name}`")),
        },
        Asked::Program(packed, layout) => spawn_local(async move {
            match browser::unpack_link(&packed).await {
                Ok(text) => dispatch.send(Action::Opened(layout, text)),
                Err(why) => dispatch.complain(&why),
            }
        }),
    }
}

/// Puts the program into the address and the link on the clipboard, each time somebody asks for it.
#[hook]
pub(super) fn use_share(model: &Model, dispatch: &Dispatch) {
    let (dispatch, text, edit, layout) = (dispatch.clone(), model.text.clone(), model.edit, model.layout);
    // The address of a lesson stays that of the lesson.
    let edit = model.learn.at.is_none().then_some(edit);
    use_effect_with(model.n_shares, move |n_shares| {
        if *n_shares > 0 {
            spawn_local(share_program(dispatch, layout, text, edit));
        }
    });
}

/// `edit`: what the address is to stand for, if it is to show the link.
async fn share_program(dispatch: Dispatch, layout: &'static Layout, text: Rc<str>, edit: Option<u64>) {
    match browser::pack_link(&text).await {
        Ok(packed) => {
            let fragment = share::fragment(&packed, layout);
            if let Some(edit) = edit {
                address::replace(&fragment);
                dispatch.send(Action::Shared(edit));
            }
            let link = browser::address(&fragment);
            let copied = browser::copy_text(&link).await;
            let said = match (copied, edit) {
                (true, _) => "Link copied",
                (false, Some(_)) => "The link is in the address bar",
                (false, None) => return dispatch.complain("the browser does not let the page copy the link"),
            };
            let long = if link.len() > 1_900 { "; some chats cut links this long" } else { "" };
            let text = format!("{said} ({} characters{long}).", link.len());
            dispatch.send(Action::Say(Some(Notice { tone: Tone::Good, text })));
        }
        Err(why) => dispatch.complain(&why),
    }
}
