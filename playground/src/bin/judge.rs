//! The worker's wasm module that plays the checks of lessons; it is loaded with the first lesson.

use mclive_playground::worker::{judge, open};

fn main() {
    open(judge::answer);
}
