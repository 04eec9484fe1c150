//! The page's wasm module: mounts the app in the shell.

fn main() {
    mclive_playground::page::start();
}
