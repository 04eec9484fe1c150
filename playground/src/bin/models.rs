//! The worker's wasm module for Inmanta models; loaded with the first model.

use mclive_compiler::language::Inmanta;
use mclive_playground::worker::desk::Desk;
use mclive_playground::worker::now_ms;

fn main() {
    let mut desk = Desk::new(&[&Inmanta], now_ms);
    mclive_playground::worker::open(move |request| desk.answer(request));
}
