//! The page's frame: the bar, the program on one side, the views on the other.

use super::header::Header;
use super::panels::{Explained, NoticeBar, Stopped};
use super::problems::Problems;
use super::store::{Page, PageProps, Store};
use super::transport::Transport;
use super::views::Views;
use super::{browser, effects};
use crate::examples;
use crate::state::{Action, Model, Theme, View};
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
    effects::use_worker(&page);
    effects::use_memory(&page);
    effects::use_address_and_keys(&page);
    let model = page.model();
    let code_only = if model.view == View::Code { "work shows-code" } else { "work" };
    html! {
        <>
            <Header page={page.clone()} />
            <main class={code_only}>
                <section class="program" aria-label="Program">
                    <Editor page={page.clone()} />
                    <Stopped page={page.clone()} />
                    <Problems page={page.clone()} />
                </section>
                <section class="stage" aria-label="What the program does">
                    <Views page={page.clone()} />
                    <Transport page={page.clone()} />
                </section>
            </main>
            <NoticeBar page={page.clone()} />
            <Explained page={page.clone()} />
        </>
    }
}

/// The element in which the editor lives. CodeMirror owns what is inside.
#[component]
fn Editor(props: &PageProps) -> Html {
    let place = use_node_ref();
    let page = &props.page;
    {
        let (place, page) = (place.clone(), page.clone());
        use_effect_with((), move |()| {
            let dispatcher = page.0.dispatcher();
            let changed = Closure::new(move |text: String| dispatcher.dispatch(Action::Edited(text)));
            let asker = page.clone();
            let explain = Closure::new(move |code: String| asker.explain(&code));
            if let Some(element) = place.cast::<web_sys::Element>() {
                browser::editor_mount(&element, &page.model().text, &changed, &explain);
            }
            // The editor calls these as long as it stands.
            move || drop((changed, explain))
        });
    }
    effects::use_editor(page);
    html! { <div class="editor" ref={place}></div> }
}
