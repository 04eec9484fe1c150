//! The page's frame: the header, the program on one side, the views on the other.

use super::client::Client;
use super::fleet::Fleet;
use super::header::Header;
use super::heard::Heard;
use super::keys::Keys;
use super::learn;
use super::links::Links;
use super::memory::Recalled;
use super::panels::{Explained, NoticeBar, Recorded, Stopped};
use super::problems::Problems;
use super::store::{Dispatch, Part, Store};
use super::tabs::{Files, NotText};
use super::time_line::TimeLine;
use super::transport::{Clock, Status, Transport};
use super::versions::Older;
use super::views::Views;
use super::{address, browser, effects, files, history, memory};
use crate::examples;
use crate::state::share;
use crate::state::shows::{
    FilesShows, FleetShows, HeaderShows, Health, ProblemsShows, RecordedShows, StageShows, StoppedShows, TransportShows,
};
use crate::state::time::TimeShows;
use crate::state::{Action, LearnShows, Model, Notice, Tab, Theme, Tone, View, WelcomeShows};
use crate::worker::protocol::Request;
use mclive_base::shapes::editor::{Query, Service};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use yew::prelude::*;

/// How long the editor waits for an answer (`web/editor/ask.js`). Units: milliseconds.
const QUESTION_MS: f64 = 10_000.0;

/// The answer to the editor when the compiler was lost over its question (`web/editor/ask.js`).
const LOST: &str = "lost";

fn first_model() -> Store {
    let theme = match browser::recall("theme").as_deref() {
        None if browser::is_embedded() => share::theme(&address::read()),
        Some("dark") => Some(Theme::Dark),
        Some("light") => Some(Theme::Light),
        _ => None,
    };
    let recalled = memory::recall();
    let held = memory::has_hung();
    let has_address = address::known().is_none_or(|it| !it.is_empty());
    let welcome = !browser::is_embedded() && browser::recall("seen").is_none() && !has_address;
    let in_full = browser::recall("in-full").as_deref() == Some("1");
    let large = browser::recall("large").as_deref() == Some("1");
    let program = recalled.as_ref().map_or_else(|| examples::ALL[0].program(), |recalled| recalled.program.clone());
    let mut model = Model { welcome, in_full, large, ..Model::new(program, held, theme) };
    if let Some(Recalled { scenario, is_of_last_visit, .. }) = recalled {
        model.stage(&scenario);
        // What is in the address takes its place. A reload shows what was there, and needs no words.
        if is_of_last_visit && !has_address {
            model.notice =
                Some(Notice { tone: Tone::Good, text: "Restored the program of your last visit.".to_owned() });
        }
    }
    Store(model)
}

#[component]
pub(super) fn App() -> Html {
    let store = use_reducer(first_model);
    let dispatch = Dispatch(store.dispatcher());
    let model = &store.0;
    let client = effects::use_worker(model, &dispatch);
    effects::use_offline(model);
    memory::use_memory(model, &dispatch);
    history::use_history(model);
    effects::use_address_and_keys(&dispatch);
    effects::use_editor(model);
    effects::use_share(model, &dispatch);
    effects::use_saved(model, &dispatch);
    learn::use_lessons(model, &dispatch);
    learn::use_judge(model, &dispatch);
    files::use_drops(&dispatch);
    let class = classes!(
        "work",
        model.learn.at.is_some().then_some("learning"),
        match model.view {
            View::Lesson => Some("shows-lesson"),
            View::Code => Some("shows-code"),
            View::Resources | View::Functions | View::Host | View::Log => None,
        },
    );
    let first_text = use_memo((), |()| model.program.shown().clone());
    let not_text = Some(model.program.shown()).filter(|file| file.binary.is_some()).cloned();
    html! {
        <>
            <Header ..part(&dispatch, HeaderShows::of(model)) />
            <Older ..part(&dispatch, model.to_keep()) />
            <learn::Welcome ..part(&dispatch, WelcomeShows::of(model)) />
            <main {class}>
                <learn::Panel ..part(&dispatch, LearnShows::of(model)) />
                <section class={classes!("program", not_text.is_some().then_some("shows-no-text"))} aria-label="Program">
                    <Files ..part(&dispatch, FilesShows::of(model)) />
                    <NotText ..part(&dispatch, not_text) />
                    <Editor dispatch={dispatch.clone()} client={client} name={first_text.name.clone()} text={first_text.text.clone()} />
                    <Stopped ..part(&dispatch, StoppedShows::of(model)) />
                    <Problems ..part(&dispatch, ProblemsShows::of(model)) />
                </section>
                <section class="stage" aria-label="What the program does">
                    <Views ..part(&dispatch, StageShows::of(model)) />
                    <Recorded ..part(&dispatch, RecordedShows::of(model)) />
                    <Fleet ..part(&dispatch, FleetShows::of(model)) />
                    <TimeLine ..part(&dispatch, TimeShows::of(model)) />
                    <div class="transport" role="group" aria-label="Simulated time">
                        <Transport ..part(&dispatch, TransportShows::of(model)) />
                        <Clock now_ms={model.sim.snapshot.now_ms} />
                        <div class="space"></div>
                        <Status health={Health::of(model)} />
                    </div>
                </section>
            </main>
            <NoticeBar ..part(&dispatch, model.notice.clone()) />
            <Explained ..part(&dispatch, model.explained.clone()) />
            <Links ..part(&dispatch, model.offer.clone()) />
            <Keys ..part(&dispatch, model.keys_shown) />
        </>
    }
}

/// The properties of a part of the page.
pub(super) fn part<T: PartialEq + Clone>(dispatch: &Dispatch, shows: T) -> Part<T> {
    Part { dispatch: dispatch.clone(), shows }
}

#[derive(Properties, PartialEq, Clone)]
struct EditorProps {
    dispatch: Dispatch,
    client: Client,
    /// The initial file; later ones are set directly.
    name: Rc<str>,
    text: Rc<str>,
}

/// The element of the editor. CodeMirror owns its content.
#[component]
fn Editor(props: &EditorProps) -> Html {
    let place = use_node_ref();
    {
        let (place, dispatch, client) = (place.clone(), props.dispatch.clone(), props.client.clone());
        let (name, text) = (props.name.clone(), props.text.clone());
        use_effect_with((), move |()| {
            let (dispatcher, asker) = (dispatch.clone(), dispatch.clone());
            let changed =
                Closure::new(move |file: String, text: String| dispatcher.send(Action::Edited { file, text }));
            let (goer, writer, questioner) = (dispatch.clone(), dispatch.clone(), client.clone());
            let visit = Closure::new(move |file: String| goer.send(Action::Tab(Tab::Show(file))));
            let read = Closure::new(move |file: String| questioner.text(&file));
            let write = Closure::new(move |file: String, text: String| writer.send(Action::Written { file, text }));
            let opener = dispatch.clone();
            let archive = Closure::new(move |text: String| opener.open_archive(&text));
            let explain = Closure::new(move |code: String| dispatch.send(Action::Asked(Request::Explain { code })));
            // The text is passed along: the model may be a keystroke behind.
            let ask = Closure::new(move |text: String, query: JsValue| {
                let (client, dispatch) = (client.clone(), asker.clone());
                future_to_promise(
                    async move { Ok(asked(&client, &dispatch, text, query).await.unwrap_or(JsValue::NULL)) },
                )
            });
            if let Some(element) = place.cast::<web_sys::Element>() {
                let hands = browser::hands(&changed, &explain, &ask, &visit, &read, &write, &archive);
                browser::editor_mount(&element, &name, &text, &hands);
            }
            // The editor calls these while it exists.
            move || drop((changed, explain, ask, visit, read, write, archive))
        });
    }
    html! { <div class="editor" ref={place}></div> }
}

/// The answer to an editor's query, as an object: `undefined` if it was too late to ask, [`LOST`]. That is also so if the
/// text has changed since then, for a query about the text as a whole.
async fn asked(client: &Client, dispatch: &Dispatch, text: String, query: JsValue) -> Option<JsValue> {
    let query: Query = serde_wasm_bindgen::from_value(query).ok()?;
    let follows = matches!(query.service, Service::Tokens { .. } | Service::Symbols | Service::Hints { .. });
    let name = query.file.trim_start_matches('/').to_owned();
    let (begun_ms, before) = (browser::now_ms(), client.text(&name));
    // What follows the text is asked again of the next one, so that a key does not wait for the answer about this one.
    let is_current = || client.text(&name) == before;
    let is_of_use = || browser::now_ms() - begun_ms < QUESTION_MS && (!follows || is_current());
    let request = Request::Ask { files: client.files(&query.file, text), query };
    match client.ask_if(is_of_use, request).await {
        Ok(Some(Heard::Told(answer))) => Some(answer),
        Ok(None) => Some(JsValue::UNDEFINED),
        Ok(Some(Heard::Answer(_))) => None,
        Err(lost) => {
            dispatch.send(Action::WorkerLost(None, lost));
            Some(JsValue::from_str(LOST))
        }
    }
}
