//! The worker's wasm module for MCL, with the scenarios of lessons: they add 31 kB to what they share with it. The page
//! plays them in a second worker of the same module, so that the host beside the editor continues.

use mclive_compiler::language::Mcl;
use mclive_playground::worker::protocol::Request;
use mclive_playground::worker::session::Session;
use mclive_playground::worker::{judge, now_ms, open};

fn main() {
    let mut session = Session::new(&[&Mcl], now_ms);
    open(move |request| match request {
        request @ (Request::Judge { .. } | Request::Rehearse { .. }) => judge::answer(request),
        request => session.answer(request),
    });
}
