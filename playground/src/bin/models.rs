//! The worker's wasm module for models, which is loaded with the first of them: a request in, its answer out, both as plain objects. All it does is in
//! [`desk`](mclive_playground::worker::desk).

use mclive_compiler::language::Inmanta;
use mclive_playground::worker::desk::Desk;
use serde::Serialize;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

thread_local! {
    /// The desk of this worker; it keeps the simulated host from one request to the next.
    static DESK: RefCell<Desk> = RefCell::new(Desk::new(&[&Inmanta]));
}

/// Answers one request ([`Request`](mclive_playground::worker::protocol::Request)) with an
/// [`Answer`](mclive_playground::worker::protocol::Answer).
///
/// Errors: the object is no request.
#[wasm_bindgen]
pub fn answer(request: JsValue) -> Result<JsValue, JsError> {
    let request = serde_wasm_bindgen::from_value(request)?;
    let answer = DESK.with_borrow_mut(|desk| desk.answer(request));
    Ok(answer.serialize(&serde_wasm_bindgen::Serializer::json_compatible())?)
}

fn main() {}
