//! What a worker's wasm module is: a request in, its answer out, both as plain objects.

use super::protocol::{Answer, Request};
use serde::Serialize;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

type Answers = Box<dyn FnMut(Request) -> Answer>;

thread_local! {
    /// Who answers in this worker; it may keep something from one request to the next.
    static ANSWERS: RefCell<Option<Answers>> = const { RefCell::new(None) };
}

/// Says who answers in this worker. What nobody names here is left out by the linker.
pub fn open(answers: impl FnMut(Request) -> Answer + 'static) {
    ANSWERS.set(Some(Box::new(answers)));
}

/// Answers one request ([`Request`]) with an [`Answer`].
///
/// Errors: the object is no request, or the module was not opened.
#[wasm_bindgen]
pub fn answer(request: JsValue) -> Result<JsValue, JsError> {
    let request = serde_wasm_bindgen::from_value(request)?;
    let answer = ANSWERS.with_borrow_mut(|answers| answers.as_mut().map(|answers| answers(request)));
    let answer = answer.ok_or_else(|| JsError::new("this worker has no request handler"))?;
    Ok(answer.serialize(&serde_wasm_bindgen::Serializer::json_compatible())?)
}
