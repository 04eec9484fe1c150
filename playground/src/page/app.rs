//! The page's frame: the bar, the program on one side, the views on the other.

use super::client::Client;
use super::header::Header;
use super::keys::Keys;
use super::panels::{Explained, NoticeBar, Recorded, Stopped};
use super::problems::Problems;
use super::store::{Page, Store};
use super::transport::Transport;
use super::views::Views;
use super::{browser, effects, files};
use crate::examples;
use crate::state::{Action, MAIN, Model, Theme, View};
use crate::worker::protocol::{ProgramFile, Request};
use wasm_bindgen::prelude::*;
use yew::prelude::*;

fn first_model() -> Store {
    let theme = match browser::recall("theme").as_deref() {
        Some("dark") => Some(Theme::Dark),
        Some("light") => Some(Theme::Light),
        _ => None,
    };
    let text = browser::recall("text").unwrap_or_else(|| examples::ALL[0].text.to_owned());
    let held = browser::recall("running").is_some();
    Store(Model::new(&text, held, theme))
}

#[component]
pub(super) fn App() -> Html {
    let page = Page(use_reducer(first_model));
    let client = effects::use_worker(&page);
    effects::use_memory(&page);
    effects::use_address_and_keys(&page);
    files::use_drops(&page);
    let model = page.model();
    let code_only = if model.view == View::Code { "work shows-code" } else { "work" };
    html! {
        <>
            <Header page={page.clone()} />
            <main class={code_only}>
                <section class="program" aria-label="Program">
                    <Editor page={page.clone()} client={client} />
                    <Stopped page={page.clone()} />
                    <Problems page={page.clone()} />
                </section>
                <section class="stage" aria-label="What the program does">
                    <Views page={page.clone()} />
                    <Recorded page={page.clone()} />
                    <Transport page={page.clone()} />
                </section>
            </main>
            <NoticeBar page={page.clone()} />
            <Explained page={page.clone()} />
            <Keys page={page.clone()} />
        </>
    }
}

#[derive(Properties, PartialEq, Clone)]
struct EditorProps {
    page: Page,
    client: Client,
}

/// The element in which the editor lives. CodeMirror owns what is inside.
#[component]
fn Editor(props: &EditorProps) -> Html {
    let place = use_node_ref();
    let page = &props.page;
    {
        let (place, page, client) = (place.clone(), page.clone(), props.client.clone());
        use_effect_with((), move |()| {
            let dispatcher = page.0.dispatcher();
            let changed = Closure::new(move |text: String| dispatcher.dispatch(Action::Edited(text)));
            let asker = page.clone();
            let explain = Closure::new(move |code: String| asker.explain(&code));
            // The text comes along: the model may be a keystroke behind.
            let ask = Closure::new(move |text: String, query: String| match serde_json::from_str(&query) {
                Ok(query) => {
                    let files = vec![ProgramFile { path: MAIN.into(), text }];
                    client.ask(Request::Ask { files, query })
                }
                Err(_) => js_sys::Promise::resolve(&JsValue::NULL),
            });
            if let Some(element) = place.cast::<web_sys::Element>() {
                browser::editor_mount(&element, &page.model().text, &changed, &explain, &ask);
            }
            // The editor calls these as long as it stands.
            move || drop((changed, explain, ask))
        });
    }
    effects::use_editor(page);
    html! { <div class="editor" ref={place}></div> }
}
