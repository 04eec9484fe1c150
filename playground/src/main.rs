//! The page's wasm module: mounts the app in the shell.

use wasm_bindgen::prelude::wasm_bindgen;

fn main() {}

/// Starts the page. It is called once the module has loaded, not while it loads: it may need functions that come with
/// the rest (`www/src/split`).
#[wasm_bindgen]
pub fn start() {
    mclive_playground::page::start();
}
