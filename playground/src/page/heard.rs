//! [`Heard`]: a message of the worker that answers a request.

use crate::worker::protocol::Answer;
use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, JsValue};

/// An answer as it arrives.
pub(super) enum Heard {
    /// The answer.
    Answer(Answer),
    /// The answer to an editor query, which the editor gets as it is.
    Told(JsValue),
}

impl Heard {
    /// Errors: it is not an answer.
    pub(super) fn of(answer: JsValue) -> Result<Heard, String> {
        match answer.dyn_ref::<Uint8Array>() {
            Some(bytes) => Answer::of_bytes(&bytes.to_vec()).map(Heard::Answer),
            None => Ok(Heard::Told(answer)),
        }
    }

    /// The answer; `None`: it is one for the editor.
    pub(super) fn answer(self) -> Option<Answer> {
        match self {
            Heard::Answer(answer) => Some(answer),
            Heard::Told(_) => None,
        }
    }
}
