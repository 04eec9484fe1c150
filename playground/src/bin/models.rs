//! The worker's wasm module for Inmanta models; loaded with the first model.

use mclive_compiler::language::Inmanta;
use mclive_playground::worker::desk::Desk;

fn main() {
    let mut desk = Desk::new(&[&Inmanta]);
    mclive_playground::worker::open(move |request| desk.answer(request));
}
