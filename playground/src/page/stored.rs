//! The form in which servers and links hold a program or a recorded run, and how the page stores and loads it.

use super::browser::{parse_json, says, text_of, to_json, window};
use crate::state::{Look, Offered, Program, Recording, share};
use js_sys::Promise;
use mclive_base::files::RECORDED;
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = mclive, js_name = storeProgram)]
    fn store(json: &str) -> Promise;
    #[wasm_bindgen(js_namespace = mclive, js_name = loadProgram)]
    fn load(id: &str) -> Promise;
}

/// A program or a recorded run in the form that servers store, also used in links with several files.
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    #[serde(default)]
    mclive: u8,
    #[serde(default)]
    version: String,
    entry: String,
    files: BTreeMap<String, Content>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    view: Option<View>,
}

/// How it is shown, if not as usual.
#[derive(serde::Serialize, serde::Deserialize)]
struct View {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    theme: Option<String>,
    #[serde(default)]
    read_only: bool,
}

/// The content of a link.
pub(super) enum Loaded {
    Program(Program),
    /// The bytes of a recorded run.
    Recording(Vec<u8>),
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    /// Not UTF-8.
    Binary {
        base64: String,
    },
}

/// The JSON of a program or a recorded run. Errors: a sentence.
pub(super) fn json_of(what: &Offered, look: Look) -> Result<String, String> {
    let (entry, files) = match what {
        Offered::Program(program) => (program.entry().to_string(), texts_of(program)?),
        Offered::Recording(recording) => {
            mclive_base::files::check([(RECORDED, recording.trace.len())])
                .map_err(|_| "this run is too large for a link; download it instead")?;
            (RECORDED.to_owned(), BTreeMap::from([(RECORDED.to_owned(), binary(recording)?)]))
        }
    };
    let theme = look.theme.map(|theme| theme.name().to_owned());
    let view = (look != Look::default()).then_some(View { theme, read_only: look.read_only });
    let stored = Stored { mclive: 1, version: share::VERSION.into(), entry, files, view };
    to_json(&stored).ok_or_else(|| "cannot convert this to JSON".into())
}

fn texts_of(program: &Program) -> Result<BTreeMap<String, Content>, String> {
    let files = program.files().iter();
    mclive_base::files::check(files.clone().map(|file| (&*file.name, file.text.len())))?;
    Ok(files.map(|file| (file.name.to_string(), Content::Text(file.text.to_string()))).collect())
}

/// The browser's own base64 takes each character as a byte.
fn binary(recording: &Recording) -> Result<Content, String> {
    let bytes: String = recording.trace.iter().copied().map(char::from).collect();
    let base64 = window().btoa(&bytes).map_err(|_| "cannot encode this run")?;
    Ok(Content::Binary { base64 })
}

/// The content of a JSON text. Errors: a sentence.
pub(super) fn read(json: &str) -> Result<Loaded, String> {
    loaded(parse_json(json))
}

fn loaded(stored: JsValue) -> Result<Loaded, String> {
    let read: Result<Stored, _> = serde_wasm_bindgen::from_value(stored);
    let mut stored = read.map_err(|_| "this link is damaged: it contains no program")?;
    if stored.mclive > 1 {
        return Err("this link was made by a newer version of mclive".into());
    }
    if stored.entry == RECORDED {
        let bytes = match stored.files.remove(RECORDED) {
            Some(Content::Binary { base64 }) => window().atob(&base64).ok(),
            Some(Content::Text(_)) | None => None,
        };
        // Each character is a byte.
        let bytes = bytes.and_then(|text| text.chars().map(|byte| u8::try_from(u32::from(byte)).ok()).collect());
        return bytes.map(Loaded::Recording).ok_or_else(|| "this link is damaged: it contains no recorded run".into());
    }
    let text = |(name, content): (String, Content)| match content {
        Content::Text(text) => Ok((name, text)),
        Content::Binary { .. } => Err(format!(
            "{name:?} is not text, and the playground only supports text files; open the link with `mclive plan`"
        )),
    };
    Program::new(&stored.entry, stored.files.into_iter().map(text).collect::<Result<_, _>>()?).map(Loaded::Program)
}

/// Stores something on the page's server and returns its short link. Errors: a sentence.
pub(super) async fn save(what: &Offered, look: Look) -> Result<String, String> {
    text_of(store(&json_of(what, look)?)).await
}

/// Loads what is stored on the page's server. Errors: a sentence.
pub(super) async fn open(id: &str) -> Result<Loaded, String> {
    loaded(wasm_bindgen_futures::JsFuture::from(load(id)).await.map_err(says)?)
}
