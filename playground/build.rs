//! The memory that a module of the page may take. A program that asks for more ends its worker, not the browser.

/// Units: bytes.
const MOST: u32 = 1 << 30;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("wasm32") {
        println!("cargo::rustc-link-arg-bins=--max-memory={MOST}");
    }
}
