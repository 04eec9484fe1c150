//! The entry point of a worker's wasm module: a request in, its answer out.

use super::protocol::{Answer, Request};
use serde::Serialize;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

type Answers = Box<dyn FnMut(Request) -> Answer>;

thread_local! {
    /// The handler of this worker; it may keep state between requests.
    static ANSWERS: RefCell<Option<Answers>> = const { RefCell::new(None) };
}

/// Sets the handler of this worker. The linker drops everything it does not use.
pub fn open(answers: impl FnMut(Request) -> Answer + 'static) {
    // A panic ends in a trap, which has no message.
    std::panic::set_hook(Box::new(|panic| panicked(&panic.to_string())));
    ANSWERS.set(Some(Box::new(answers)));
}

/// Answers one request ([`Request`]) with the bytes of an [`Answer`], or an editor query with an object for the editor.
///
/// Errors: the object is not a request, or the module has no handler.
#[wasm_bindgen]
pub fn answer(request: JsValue) -> Result<JsValue, JsError> {
    let request = serde_wasm_bindgen::from_value(request)?;
    let answer = ANSWERS.with_borrow_mut(|answers| answers.as_mut().map(|answers| answers(request)));
    match answer.ok_or_else(|| JsError::new("this worker has no request handler"))? {
        Answer::Told(told) => Ok(told.serialize(&serde_wasm_bindgen::Serializer::json_compatible())?),
        answer => Ok(answer.to_bytes().into()),
    }
}

#[wasm_bindgen]
extern "C" {
    /// The worker's clock. Units: milliseconds.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    pub fn now_ms() -> f64;

    /// Keeps the message of a panic.
    #[wasm_bindgen(js_name = mclivePanicked)]
    fn panicked(text: &str);
}
