//! The worker's wasm module for MCL.

use mclive_compiler::language::Mcl;
use mclive_playground::worker::desk::Desk;

fn main() {
    let mut desk = Desk::new(&[&Mcl]);
    mclive_playground::worker::open(move |request| desk.answer(request));
}
