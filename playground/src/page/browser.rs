//! The browser: functions of `boot.js`, storage, the address.

use crate::state::{File, Progress};
use gloo_events::EventListener;
use js_sys::{Array, Promise, Uint8Array};
use mclive_base::link::{self, Fault};
use wasm_bindgen::prelude::*;
use web_sys::{CssStyleDeclaration, Element, Storage, StorageEvent, Window, Worker};

/// Longer texts are not coloured for a picture. Units: bytes.
const MAX_COLOURED: usize = 64 << 10;

#[wasm_bindgen]
extern "C" {
    /// Starts a worker; a `whole` one is ready when all of its module is there.
    #[wasm_bindgen(js_namespace = mclive, js_name = startWorker)]
    pub(super) fn start_worker(suffix: &str, whole: bool) -> Worker;
    /// Loads what the first view did not need, then keeps the site for use without its server.
    #[wasm_bindgen(js_namespace = mclive, js_name = keepSite)]
    pub(super) fn keep_site();
    #[wasm_bindgen(js_namespace = mclive, js_name = editorMount)]
    pub(super) fn editor_mount(element: &Element, name: &str, text: &str, hands: &JsValue);
    /// Shows a file with this text; with `fresh` the undo history starts here.
    #[wasm_bindgen(js_namespace = mclive, js_name = editorFile)]
    pub(super) fn editor_file(name: &str, text: &str, fresh: bool);
    /// A file has another name: its undo history stays.
    #[wasm_bindgen(js_namespace = mclive, js_name = editorRename)]
    pub(super) fn editor_rename(before: &str, after: &str);
    #[wasm_bindgen(js_namespace = mclive, js_name = editorHands)]
    pub(super) fn hands(
        changed: &Closure<dyn FnMut(String, String)>,
        explain: &Closure<dyn FnMut(String)>,
        ask: &Closure<dyn FnMut(String, JsValue) -> Promise>,
        visit: &Closure<dyn FnMut(String)>,
        read: &Closure<dyn FnMut(String) -> Option<String>>,
        write: &Closure<dyn FnMut(String, String)>,
        archive: &Closure<dyn FnMut(String) -> bool>,
    ) -> JsValue;
    #[wasm_bindgen(js_namespace = mclive, js_name = editorSetProblems)]
    pub(super) fn editor_set_problems(problems: &JsValue);
    #[wasm_bindgen(js_namespace = mclive, js_name = editorShow)]
    pub(super) fn editor_show(from: usize, to: usize, focus: bool);
    /// Marks ranges of the shown file, given as pairs; none to remove the marks.
    #[wasm_bindgen(js_namespace = mclive, js_name = editorTrace)]
    pub(super) fn editor_trace(ranges: &[u32]);
    #[wasm_bindgen(js_namespace = mclive, js_name = editorHide)]
    pub(super) fn editor_hide();
    #[wasm_bindgen(js_namespace = mclive, js_name = deflateText)]
    fn deflate(text: &str) -> Promise;
    #[wasm_bindgen(js_namespace = mclive, js_name = inflateText)]
    fn inflate(deflated: Uint8Array, most: usize) -> Promise;
    #[wasm_bindgen(js_namespace = mclive, js_name = pickFiles)]
    fn pick(folder: bool) -> Promise;
    #[wasm_bindgen(js_namespace = mclive, js_name = fetchFile)]
    fn fetch(address: &str) -> Promise;
    #[wasm_bindgen(js_namespace = mclive, js_name = fetchOrigins)]
    fn fetch_origins() -> Vec<String>;
    #[wasm_bindgen(js_namespace = mclive, js_name = watchDrops)]
    pub(super) fn watch_drops(dropped: &Closure<dyn FnMut(Array)>, refused: &Closure<dyn FnMut(String)>);
    #[wasm_bindgen(js_namespace = mclive, js_name = readZip)]
    fn read_zip(bytes: Uint8Array, most: usize, largest: usize) -> Promise;
    /// Downloads a text as a file.
    #[wasm_bindgen(js_namespace = mclive, js_name = saveText)]
    pub(super) fn save_text(name: &str, text: &str);
    /// Downloads bytes as a file.
    #[wasm_bindgen(js_namespace = mclive, js_name = saveBytes)]
    pub(super) fn save_bytes(name: &str, bytes: &[u8]);
    #[wasm_bindgen(js_namespace = mclive, js_name = savePicture)]
    fn picture(name: &str, svg: &str, width: f32, height: f32) -> Promise;
    #[wasm_bindgen(js_namespace = mclive, js_name = saveZip)]
    fn save_as_zip(name: &str, files: Array);
    #[wasm_bindgen(js_namespace = mclive, js_name = copyText)]
    fn copy(text: &str) -> Promise;
    #[wasm_bindgen(js_namespace = mclive, js_name = embedded)]
    pub(super) fn is_embedded() -> bool;
    #[wasm_bindgen(js_namespace = mclive, js_name = olderVersion)]
    pub(super) fn older_version() -> Option<String>;
    #[wasm_bindgen(js_namespace = mclive, js_name = siteOfVersion)]
    fn site_of(version: &str) -> Promise;
    #[wasm_bindgen(js_namespace = mclive, js_name = openTab)]
    pub(super) fn open_tab(address: &str);
    #[wasm_bindgen(js_namespace = mclive, js_name = serverShares)]
    fn shares() -> Promise;
    #[wasm_bindgen(js_namespace = mclive, js_name = loadLessons)]
    fn lessons() -> Promise;
    #[wasm_bindgen(js_namespace = mclive, js_name = saveFile)]
    fn save_file(name: &str, content: &JsValue);
    #[wasm_bindgen(js_namespace = mclive, js_name = parseJson)]
    pub(super) fn parse_json(text: &str) -> JsValue;
    #[wasm_bindgen(js_namespace = mclive, js_name = colourText)]
    fn colour(text: &str) -> JsValue;
    #[wasm_bindgen(js_namespace = mclive, js_name = editorPieces)]
    fn pieces(name: &str, text: &str) -> JsValue;
}

/// Plain data as an object for JavaScript and the worker.
pub(super) fn to_object<T: serde::Serialize>(value: &T) -> Option<JsValue> {
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).ok()
}

/// Waits for a text. Errors: a sentence.
pub(super) async fn text_of(promise: Promise) -> Result<String, String> {
    wasm_bindgen_futures::JsFuture::from(promise).await.map(says).map_err(says)
}

/// The part after `c=` of a link to this text.
pub(super) async fn pack_link(text: &str) -> Result<String, String> {
    let deflated = wasm_bindgen_futures::JsFuture::from(deflate(text)).await;
    let deflated = deflated.and_then(JsCast::dyn_into::<Uint8Array>);
    deflated.map(|bytes| link::pack(&bytes.to_vec())).map_err(|why| format!("{why:?}"))
}

/// The text of a link. Errors: a sentence.
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

/// Whether the page's server stores programs. `None`: it did not answer in time.
pub(super) async fn server_shares() -> Option<bool> {
    match wasm_bindgen_futures::JsFuture::from(shares()).await {
        Ok(shares) => shares.as_bool(),
        Err(_) => Some(false),
    }
}

/// The address of another version of the page on this server.
pub(super) async fn site_of_version(version: &str) -> Option<String> {
    wasm_bindgen_futures::JsFuture::from(site_of(version)).await.ok()?.as_string()
}

/// A file from outside the page: its path, below its folder if it has one, and its bytes.
pub(super) type Outside = (String, Vec<u8>);

pub(super) fn outside(files: &Array) -> Vec<Outside> {
    let file = |pair: JsValue| {
        let pair: Array = pair.dyn_into().ok()?;
        Some((pair.get(0).as_string()?, pair.get(1).dyn_into::<Uint8Array>().ok()?.to_vec()))
    };
    files.iter().filter_map(file).collect()
}

/// Files or a folder chosen by the user; empty if cancelled. Errors: a sentence.
pub(super) async fn pick_files(folder: bool) -> Result<Vec<Outside>, String> {
    let picked = wasm_bindgen_futures::JsFuture::from(pick(folder)).await.map_err(says)?;
    Ok(outside(&picked.unchecked_into()))
}

/// The servers from which the page may fetch files, as in its policy.
pub(super) fn origins() -> Vec<String> {
    fetch_origins()
}

/// Fetches a file from another server. Errors: a sentence.
pub(super) async fn fetch_file(address: &str) -> Result<Vec<u8>, String> {
    let bytes = wasm_bindgen_futures::JsFuture::from(fetch(address)).await.map_err(says)?;
    Ok(Uint8Array::from(bytes).to_vec())
}

/// Decodes an address with escapes such as `%3A`.
pub(super) fn decoded(address: &str) -> String {
    match address.contains("://") {
        true => address.to_owned(),
        false => js_sys::decode_uri_component(address).map_or_else(|_| address.to_owned(), String::from),
    }
}

/// The files of a zip archive. Errors: a sentence.
pub(super) async fn unzip(bytes: &[u8]) -> Result<Vec<Outside>, String> {
    let read = read_zip(Uint8Array::from(bytes), mclive_base::files::MOST, mclive_base::files::LARGEST);
    Ok(outside(&wasm_bindgen_futures::JsFuture::from(read).await.map_err(says)?.unchecked_into()))
}

/// The browser's own base64 takes each character as a byte. Errors: a sentence.
pub(super) fn to_base64(bytes: &[u8]) -> Result<String, String> {
    let characters: String = bytes.iter().copied().map(char::from).collect();
    window().btoa(&characters).map_err(|_| "cannot encode this file".into())
}

/// `None`: it is not base64.
pub(super) fn from_base64(base64: &str) -> Option<Vec<u8>> {
    window().atob(base64).ok()?.chars().map(|byte| u8::try_from(u32::from(byte)).ok()).collect()
}

/// Downloads a program as a zip archive.
pub(super) fn save_zip(name: &str, files: &[File]) {
    let pair = |file: &File| Array::of2(&JsValue::from_str(&file.name), &Uint8Array::from(file.bytes()).into());
    save_as_zip(name, files.iter().map(pair).collect());
}

/// Downloads an SVG as a PNG; returns the scale used. Errors: a sentence.
pub(super) async fn save_picture(name: &str, svg: &str, (width, height): (f32, f32)) -> Result<f64, String> {
    let saved = wasm_bindgen_futures::JsFuture::from(picture(name, svg, width, height)).await.map_err(says)?;
    Ok(saved.as_f64().unwrap_or(1.0))
}

/// The computed style of the page, with the colours of its theme.
pub(super) fn root_style() -> Option<CssStyleDeclaration> {
    window().get_computed_style(&window().document()?.document_element()?).ok().flatten()
}

pub(super) fn says(value: JsValue) -> String {
    value.as_string().unwrap_or_else(|| format!("{value:?}"))
}

/// The course of lessons. Errors: a sentence without a full stop.
pub(super) async fn load_lessons<T: serde::de::DeserializeOwned>() -> Result<T, String> {
    let loaded = wasm_bindgen_futures::JsFuture::from(lessons()).await;
    let loaded = loaded.map_err(|why| why.as_string().unwrap_or_else(|| format!("{why:?}")))?;
    serde_wasm_bindgen::from_value(loaded).map_err(|error| format!("cannot read the lessons: {error}"))
}

/// The content of a file with a user's progress.
#[derive(serde::Serialize, serde::Deserialize)]
struct Saved {
    #[serde(rename = "mclive-progress")]
    version: u32,
    #[serde(flatten)]
    progress: Progress,
}

/// Downloads the learner's progress as a file.
pub(super) fn save_progress(progress: &Progress) {
    if let Some(content) = to_object(&Saved { version: 1, progress: progress.clone() }) {
        save_file("mclive-progress.json", &content);
    }
}

/// The progress in a file; `None`: it contains something else.
pub(super) fn read_progress(text: &str) -> Option<Progress> {
    let saved: Saved = serde_wasm_bindgen::from_value(parse_json(text)).ok()?;
    (saved.version == 1).then_some(saved.progress)
}

/// A program split into pieces, each with its highlighting class, if any.
pub(super) fn coloured(text: &str) -> Vec<(String, String)> {
    serde_wasm_bindgen::from_value(colour(text)).unwrap_or_else(|_| vec![(String::new(), text.to_owned())])
}

/// The text of a file in the same form, by its language. A long one has no colours, since the page would freeze.
pub(super) fn coloured_file(name: &str, text: &str) -> Vec<(String, String)> {
    let plain = || vec![(String::new(), text.to_owned())];
    if text.len() > MAX_COLOURED {
        return plain();
    }
    serde_wasm_bindgen::from_value(pieces(name, text)).unwrap_or_else(|_| plain())
}

/// Whether the screen is small, with room for one view at a time.
pub(super) fn is_small() -> bool {
    window().match_media("(max-width: 760px)").ok().flatten().is_some_and(|query| query.matches())
}

/// Moves the focus to the first element of the page that matches.
pub(super) fn focus_on(selector: &str) {
    let found = window().document().and_then(|document| document.query_selector(selector).ok().flatten());
    let Some(found) = found else { return };
    let _ = match (found.dyn_ref::<web_sys::SvgElement>(), found.dyn_ref::<web_sys::HtmlElement>()) {
        (Some(drawn), _) => drawn.focus(),
        (None, Some(element)) => element.focus(),
        (None, None) => Ok(()),
    };
}

/// Whether an element has the focus.
pub(super) fn has_focus(element: &Element) -> bool {
    window().document().and_then(|document| document.active_element()).as_ref() == Some(element)
}

/// Whether nothing has the focus, so that it may be moved.
pub(super) fn focus_is_idle() -> bool {
    let active = window().document().and_then(|document| document.active_element());
    active.is_none_or(|element| element.tag_name() == "BODY")
}

/// Copies text to the clipboard; false if the browser forbids it.
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

/// The time by the visitor's clock, which all pages of a tab share. Units: milliseconds since 1970.
pub(super) fn wall_ms() -> f64 {
    js_sys::Date::now()
}

/// Plain data as JSON.
pub(super) fn to_json<T: serde::Serialize>(value: &T) -> Option<String> {
    js_sys::JSON::stringify(&to_object(value)?).ok().map(String::from)
}

/// Parses JSON; `None` if it contains something else.
pub(super) fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Option<T> {
    serde_wasm_bindgen::from_value(js_sys::JSON::parse(text).ok()?).ok()
}

fn storage() -> Option<Storage> {
    // A page embedded elsewhere does not show the visitor's own program.
    if is_embedded() {
        return None;
    }
    // Reading the property may throw if storage is disabled.
    window().local_storage().ok().flatten()
}

/// Storage of the tab that survives a reload.
fn tab_storage() -> Option<Storage> {
    // Frames of one page share it, but have different programs.
    if is_embedded() {
        return None;
    }
    window().session_storage().ok().flatten()
}

pub(super) fn recall_in_tab(name: &str) -> Option<String> {
    tab_storage()?.get_item(&format!("mclive.{name}")).ok().flatten()
}

/// `false`: it is not stored, because the storage is full or disabled. A frame stores nothing, and loses nothing.
pub(super) fn remember_in_tab(name: &str, value: &str) -> bool {
    is_embedded() || set(tab_storage(), name, value)
}

pub(super) fn forget_in_tab(name: &str) {
    if let Some(storage) = tab_storage() {
        let _ = storage.remove_item(&format!("mclive.{name}"));
    }
}

/// A stored setting; `None` if storage is disabled.
pub(super) fn recall(name: &str) -> Option<String> {
    storage()?.get_item(&format!("mclive.{name}")).ok().flatten()
}

/// Like [`remember_in_tab`].
pub(super) fn remember(name: &str, value: &str) -> bool {
    is_embedded() || set(storage(), name, value)
}

fn set(storage: Option<Storage>, name: &str, value: &str) -> bool {
    storage.is_some_and(|storage| storage.set_item(&format!("mclive.{name}"), value).is_ok())
}

pub(super) fn forget(name: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(&format!("mclive.{name}"));
    }
}

/// Calls `changed` with the name of each setting that another tab stores or forgets, as long as the listener exists.
pub(super) fn watch_storage(changed: impl Fn(&str) + 'static) -> EventListener {
    EventListener::new(&window(), "storage", move |event| {
        let key = event.dyn_ref::<StorageEvent>().and_then(StorageEvent::key);
        if let Some(name) = key.as_deref().and_then(|key| key.strip_prefix("mclive."))
            && !is_embedded()
        {
            changed(name);
        }
    })
}

/// The full address of something on the site, such as `#c=…`: relative to the page itself, also in a frame.
pub(super) fn address(below: &str) -> String {
    let href = window().location().href().unwrap_or_default();
    // A query may contain slashes.
    let base = href.split(['#', '?']).next().unwrap_or_default();
    let folder = &base[..base.rfind('/').map_or(0, |at| at + 1)];
    let root = if is_embedded() { folder.trim_end_matches("embed/") } else { folder };
    format!("{root}{below}")
}
