//! The worker's wasm module: a message in, its answer out. All it does is in
//! [`desk`](mclive_playground::worker::desk).

use mclive_playground::worker::desk::Desk;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

thread_local! {
    /// The desk of this worker; it keeps the simulated host from one message to the next.
    static DESK: RefCell<Desk> = RefCell::new(Desk::default());
}

/// Answers one message; both are JSON text.
#[wasm_bindgen]
pub fn answer(message: &str) -> String {
    DESK.with_borrow_mut(|desk| desk.answer(message))
}

fn main() {}
