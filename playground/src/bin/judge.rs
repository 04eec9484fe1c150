//! The worker's wasm module that checks lessons; loaded with the first lesson.

use mclive_playground::worker::{judge, open};

fn main() {
    open(judge::answer);
}
