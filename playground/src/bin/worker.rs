//! The worker's wasm module for MCL.

use mclive_compiler::language::Mcl;
use mclive_playground::worker::desk::Desk;
use mclive_playground::worker::now_ms;

fn main() {
    let mut desk = Desk::new(&[&Mcl], now_ms);
    mclive_playground::worker::open(move |request| desk.answer(request));
}
