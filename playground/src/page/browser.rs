//! The browser: the functions of `boot.js`, storage, the address.

use crate::state::Progress;
use js_sys::{Array, JsString, Promise, Uint8Array};
use mclive_base::link::{self, Fault};
use wasm_bindgen::prelude::*;
use web_sys::{Element, Storage, Window, Worker};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = mclive, js_name = startWorker)]
    pub(super) fn start_worker(suffix: &str) -> Worker;
    #[wasm_bindgen(js_namespace = mclive, js_name = editorMount)]
    pub(super) fn editor_mount(
        element: &Element,
        text: &str,
        suffix: &str,
        changed: &Closure<dyn FnMut(String)>,
        explain: &Closure<dyn FnMut(String)>,
        ask: &Closure<dyn FnMut(String, JsValue) -> Promise>,
    );
    #[wasm_bindgen(js_namespace = mclive, js_name = editorSetText)]
    pub(super) fn editor_set_text(text: &str, suffix: &str);
    /// Another document: undo ends at it.
    #[wasm_bindgen(js_namespace = mclive, js_name = editorOpen)]
    pub(super) fn editor_open(text: &str, suffix: &str);
    #[wasm_bindgen(js_namespace = mclive, js_name = editorSetProblems)]
    pub(super) fn editor_set_problems(problems: &JsValue);
    #[wasm_bindgen(js_namespace = mclive, js_name = editorShow)]
    pub(super) fn editor_show(from: usize, to: usize, focus: bool);
    #[wasm_bindgen(js_namespace = mclive, js_name = editorHide)]
    pub(super) fn editor_hide();
    #[wasm_bindgen(js_namespace = mclive, js_name = deflateText)]
    fn deflate(text: &str) -> Promise;
    #[wasm_bindgen(js_namespace = mclive, js_name = inflateText)]
    fn inflate(deflated: Uint8Array, most: usize) -> Promise;
    #[wasm_bindgen(js_namespace = mclive, js_name = pickFile)]
    fn pick() -> Promise;
    #[wasm_bindgen(js_namespace = mclive, js_name = watchDrops)]
    pub(super) fn watch_drops(dropped: &Closure<dyn FnMut(String, Uint8Array)>);
    #[wasm_bindgen(js_namespace = mclive, js_name = copyText)]
    fn copy(text: &str) -> Promise;
    #[wasm_bindgen(js_namespace = mclive, js_name = loadLessons)]
    fn lessons() -> Promise;
    #[wasm_bindgen(js_namespace = mclive, js_name = saveFile)]
    fn save_file(name: &str, content: &JsValue);
    #[wasm_bindgen(js_namespace = mclive, js_name = parseJson)]
    fn parse_json(text: &str) -> JsValue;
    #[wasm_bindgen(js_namespace = mclive, js_name = colourText)]
    fn colour(text: &str) -> JsValue;
}

/// Plain data as the object that JavaScript and the worker get.
pub(super) fn to_object<T: serde::Serialize>(value: &T) -> Option<JsValue> {
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).ok()
}

/// Waits for text; an error is a sentence for people.
async fn text_of(promise: Promise) -> Result<String, String> {
    let says = |value: JsValue| value.as_string().unwrap_or_else(|| JsString::from(value).into());
    wasm_bindgen_futures::JsFuture::from(promise).await.map(says).map_err(says)
}

/// What a link to this text has behind `c=`.
pub(super) async fn pack_link(text: &str) -> Result<String, String> {
    let deflated = wasm_bindgen_futures::JsFuture::from(deflate(text)).await;
    let deflated = deflated.and_then(JsCast::dyn_into::<Uint8Array>);
    deflated.map(|bytes| link::pack(&bytes.to_vec())).map_err(|why| JsString::from(why).into())
}

/// The text of a link; an error is a sentence for people.
pub(super) async fn unpack_link(packed: &str) -> Result<String, String> {
    let deflated = link::unpack(packed).map_err(|fault| fault.to_string())?;
    text_of(inflate(Uint8Array::from(&*deflated), link::MAX_TEXT)).await.map_err(|fault| {
        let fault = match &*fault {
            "too much" => Fault::TooMuch,
            "no text" => Fault::NotText,
            _ => Fault::Changed,
        };
        fault.to_string()
    })
}

/// The name and the bytes of a file that someone chooses; `None` when nobody does.
pub(super) async fn pick_file() -> Option<(String, Vec<u8>)> {
    let picked = wasm_bindgen_futures::JsFuture::from(pick()).await.ok()?;
    let picked = picked.dyn_into::<Array>().ok()?;
    let bytes = picked.get(1).dyn_into::<Uint8Array>().ok()?;
    Some((picked.get(0).as_string()?, bytes.to_vec()))
}

/// The course of lessons. Errors: why it is not to be had, a sentence without its full stop.
pub(super) async fn load_lessons<T: serde::de::DeserializeOwned>() -> Result<T, String> {
    let loaded = wasm_bindgen_futures::JsFuture::from(lessons()).await;
    let loaded = loaded.map_err(|why| -> String { JsString::from(why).into() })?;
    serde_wasm_bindgen::from_value(loaded).map_err(|error| format!("the lessons cannot be read: {error}"))
}

/// What a file of somebody's progress holds.
#[derive(serde::Serialize, serde::Deserialize)]
struct Saved {
    #[serde(rename = "mclive-progress")]
    version: u32,
    #[serde(flatten)]
    progress: Progress,
}

/// Gives the learner's progress as a file.
pub(super) fn save_progress(progress: &Progress) {
    if let Some(content) = to_object(&Saved { version: 1, progress: progress.clone() }) {
        save_file("mclive-progress.json", &content);
    }
}

/// The progress that a file holds; `None`: it holds something else.
pub(super) fn read_progress(text: &str) -> Option<Progress> {
    let saved: Saved = serde_wasm_bindgen::from_value(parse_json(text)).ok()?;
    (saved.version == 1).then_some(saved.progress)
}

/// A program's pieces, each with the class of its colour; without one, where it has none.
pub(super) fn coloured(text: &str) -> Vec<(String, String)> {
    serde_wasm_bindgen::from_value(colour(text)).unwrap_or_else(|_| vec![(String::new(), text.to_owned())])
}

/// Is there room for one thing at a time only?
pub(super) fn is_small() -> bool {
    window().match_media("(max-width: 760px)").ok().flatten().is_some_and(|query| query.matches())
}

/// Has nothing the focus, so that it may be put somewhere?
pub(super) fn focus_is_idle() -> bool {
    let active = window().document().and_then(|document| document.active_element());
    active.is_none_or(|element| element.tag_name() == "BODY")
}

/// Puts text on the clipboard; false when the browser forbids it.
pub(super) async fn copy_text(text: &str) -> bool {
    text_of(copy(text)).await.is_ok()
}

pub(super) fn window() -> Window {
    web_sys::window().expect("a page has a window")
}

pub(super) fn element(id: &str) -> Option<Element> {
    window().document()?.get_element_by_id(id)
}

pub(super) fn now_ms() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

fn storage() -> Option<Storage> {
    // Reading the property alone may throw, where storage is closed to pages.
    window().local_storage().ok().flatten()
}

/// A remembered setting; storage that is closed remembers nothing.
pub(super) fn recall(name: &str) -> Option<String> {
    storage()?.get_item(&format!("mclive.{name}")).ok().flatten()
}

pub(super) fn remember(name: &str, value: &str) {
    if let Some(storage) = storage() {
        // A full storage loses the copy, not the work.
        let _ = storage.set_item(&format!("mclive.{name}"), value);
    }
}

pub(super) fn forget(name: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(&format!("mclive.{name}"));
    }
}

/// The whole address with this fragment.
pub(super) fn address(fragment: &str) -> String {
    let href = window().location().href().unwrap_or_default();
    let base = href.split('#').next().unwrap_or_default();
    format!("{base}{fragment}")
}
