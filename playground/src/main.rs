//! The page's wasm module: puts the app into the shell.

fn main() {
    mclive_playground::page::start();
}
