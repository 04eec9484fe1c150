//! The page's frame: the bar, the program on one side, the views on the other.

use super::client::Client;
use super::header::Header;
use super::keys::Keys;
use super::learn;
use super::panels::{Explained, NoticeBar, Recorded, Stopped};
use super::problems::Problems;
use super::store::{Dispatch, Part, Store};
use super::transport::{Clock, Status, Transport};
use super::views::Views;
use super::{address, browser, effects, files};
use crate::examples;
use crate::state::shows::{
    HeaderShows, Health, ProblemsShows, RecordedShows, StageShows, StoppedShows, TransportShows,
};
use crate::state::{Action, LearnShows, Model, Theme, View, WelcomeShows};
use crate::worker::protocol::{Answer, Request};
use mclive_base::layout;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use yew::prelude::*;

fn first_model() -> Store {
    let theme = match browser::recall("theme").as_deref() {
        Some("dark") => Some(Theme::Dark),
        Some("light") => Some(Theme::Light),
        _ => None,
    };
    let first = &examples::ALL[0];
    let text = browser::recall("text").unwrap_or_else(|| first.text.to_owned());
    let layout = browser::recall("language").and_then(|name| layout::of(&name)).unwrap_or(first.layout);
    let held = browser::recall("running").is_some();
    let welcome = browser::recall("seen").is_none() && address::known().is_some_and(|it| it.is_empty());
    Store(Model { welcome, ..Model::new(layout, &text, held, theme) })
}

#[component]
pub(super) fn App() -> Html {
    let store = use_reducer(first_model);
    let dispatch = Dispatch(store.dispatcher());
    let model = &store.0;
    let client = effects::use_worker(model, &dispatch);
    effects::use_memory(model);
    effects::use_address_and_keys(&dispatch);
    effects::use_editor(model);
    effects::use_share(model, &dispatch);
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
    let first_text = use_memo((), |()| (model.text.to_string(), model.layout.suffix));
    html! {
        <>
            <Header ..part(&dispatch, HeaderShows::of(model)) />
            <learn::Welcome ..part(&dispatch, WelcomeShows::of(model)) />
            <main {class}>
                <learn::Panel ..part(&dispatch, LearnShows::of(model)) />
                <section class="program" aria-label="Program">
                    <Editor dispatch={dispatch.clone()} client={client} text={first_text.0.clone()} suffix={first_text.1} />
                    <Stopped ..part(&dispatch, StoppedShows::of(model)) />
                    <Problems ..part(&dispatch, ProblemsShows::of(model)) />
                </section>
                <section class="stage" aria-label="What the program does">
                    <Views ..part(&dispatch, StageShows::of(model)) />
                    <Recorded ..part(&dispatch, RecordedShows::of(model)) />
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
            <Keys ..part(&dispatch, model.keys_shown) />
        </>
    }
}

/// What a part of the page gets.
pub(super) fn part<T: PartialEq + Clone>(dispatch: &Dispatch, shows: T) -> Part<T> {
    Part { dispatch: dispatch.clone(), shows }
}

#[derive(Properties, PartialEq, Clone)]
struct EditorProps {
    dispatch: Dispatch,
    client: Client,
    /// What it opens with; later texts come by themselves.
    text: String,
    suffix: &'static str,
}

/// The element in which the editor lives. CodeMirror owns what is inside.
#[component]
fn Editor(props: &EditorProps) -> Html {
    let place = use_node_ref();
    {
        let (place, dispatch, client) = (place.clone(), props.dispatch.clone(), props.client.clone());
        let (text, suffix) = (props.text.clone(), props.suffix);
        use_effect_with((), move |()| {
            let (dispatcher, asker) = (dispatch.clone(), dispatch.clone());
            let changed = Closure::new(move |text: String| dispatcher.send(Action::Edited(text)));
            let explain = Closure::new(move |code: String| dispatch.send(Action::Asked(Request::Explain { code })));
            // The text comes along: the model may be a keystroke behind.
            let ask = Closure::new(move |text: String, query: JsValue| {
                let (client, dispatch) = (client.clone(), asker.clone());
                future_to_promise(
                    async move { Ok(asked(&client, &dispatch, text, query).await.unwrap_or(JsValue::NULL)) },
                )
            });
            if let Some(element) = place.cast::<web_sys::Element>() {
                browser::editor_mount(&element, &text, suffix, &changed, &explain, &ask);
            }
            // The editor calls these as long as it stands.
            move || drop((changed, explain, ask))
        });
    }
    html! { <div class="editor" ref={place}></div> }
}

/// The answer to what the editor asks, as an object; nothing when there is none.
async fn asked(client: &Client, dispatch: &Dispatch, text: String, query: JsValue) -> Option<JsValue> {
    let query = serde_wasm_bindgen::from_value(query).ok()?;
    match client.ask(Request::Ask { files: client.files(text), query }).await {
        Ok(Answer::Told(answer)) => browser::to_object(&answer),
        Ok(_) => None,
        Err(lost) => {
            dispatch.send(Action::WorkerLost(None, lost));
            None
        }
    }
}
