//! The form in which servers and links hold a program or a recorded run, and how the page stores and loads it.

use super::browser::{self, parse_json, says, text_of, to_json};
use crate::state::{File, Look, Offered, Program, share};
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
    /// The displayed scenario among the files; empty: none. Unset: the first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scenario: Option<String>,
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
    let (entry, files, scenario) = match what {
        Offered::Program(program) => {
            (program.entry().to_string(), texts_of(program)?, program.displays().map(str::to_owned))
        }
        Offered::Recording(recording) => {
            mclive_base::files::check([(RECORDED, recording.trace.len())])
                .map_err(|_| "this run is too large for a link; download it instead")?;
            (
                RECORDED.to_owned(),
                BTreeMap::from([(
                    RECORDED.to_owned(),
                    Content::Binary { base64: browser::to_base64(&recording.trace)? },
                )]),
                None,
            )
        }
    };
    let theme = look.theme.map(|theme| theme.name().to_owned());
    let is_plain = look == Look::default() && scenario.is_none();
    let view = (!is_plain).then_some(View { theme, read_only: look.read_only, scenario });
    let stored = Stored { mclive: 1, version: share::VERSION.into(), entry, files, view };
    to_json(&stored).ok_or_else(|| "cannot convert this to JSON".into())
}

fn texts_of(program: &Program) -> Result<BTreeMap<String, Content>, String> {
    let files = program.files().iter();
    mclive_base::files::check(files.clone().map(|file| (&*file.name, file.bytes().len())))?;
    files.map(|file| Ok((file.name.to_string(), Content::of(file.bytes())?))).collect()
}

impl Content {
    /// The form that servers use: text if possible.
    fn of(bytes: &[u8]) -> Result<Content, String> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Content::Text(text.to_owned())),
            Err(_) => Ok(Content::Binary { base64: browser::to_base64(bytes)? }),
        }
    }

    /// `None`: it is damaged.
    fn bytes(self) -> Option<Vec<u8>> {
        match self {
            Content::Text(text) => Some(text.into_bytes()),
            Content::Binary { base64 } => browser::from_base64(&base64),
        }
    }
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
        let recorded = stored.files.remove(RECORDED).filter(|content| matches!(content, Content::Binary { .. }));
        let bytes = recorded.and_then(Content::bytes);
        return bytes.map(Loaded::Recording).ok_or_else(|| "this link is damaged: it contains no recorded run".into());
    }
    let file = |(name, content): (String, Content)| match content.bytes() {
        Some(bytes) => Ok(File::new(&name, &bytes)),
        None => Err(format!("this link is damaged: it contains no valid content of {name:?}")),
    };
    let mut program = Program::new(&stored.entry, stored.files.into_iter().map(file).collect::<Result<_, _>>()?)?;
    program.set_displays(stored.view.and_then(|view| view.scenario).as_deref());
    Ok(Loaded::Program(program))
}

/// Stores something on the page's server and returns its short link. Errors: a sentence.
pub(super) async fn save(what: &Offered, look: Look) -> Result<String, String> {
    text_of(store(&json_of(what, look)?)).await
}

/// Loads what is stored on the page's server. Errors: a sentence.
pub(super) async fn open(id: &str) -> Result<Loaded, String> {
    loaded(wasm_bindgen_futures::JsFuture::from(load(id)).await.map_err(says)?)
}
