//! The compiler's own face for JavaScript as a wasm module, without a page: what tests compare with the native compiler.

pub use mclive_compiler::face::browser::*;

fn main() {}
