//! The worker's wasm module for Inmanta models; loaded with the first model.

use mclive_compiler::language::Inmanta;
use mclive_playground::worker::now_ms;
use mclive_playground::worker::session::Session;

fn main() {
    let mut session = Session::new(&[&Inmanta], now_ms);
    mclive_playground::worker::open(move |request| session.answer(request));
}
