//! Splits a module of the page, its own or a worker's, in two: the code that the first view executes, and the rest, which is
//! loaded when the first view is complete, or when some of it is called.
//!
//! ```text
//!   module ─ marks ─▶ marking module ─ first view, in Node.js ─▶ the places that were reached
//!      │                                                                 │           │
//!      └─ outline: what called functions did not execute ────────────────┘           │
//!            │     becomes functions of its own                                      │
//!            └────────── plan ─────── the functions that were called ────────────────┘
//!                     ┌────┴────┐
//!   first: all data, what        rest: the other functions,
//!   was executed, and stubs      over the memory, tables and
//!   for the other functions      globals of the first part
//! ```
//!
//! A stub, or what is in place of a call of an outlined function, loads the rest, unless it is there, and calls the
//! function in its slot of the table, into which the rest puts it when it is loaded (`web/rest.js`). So the parts may be
//! cut anywhere: a cut decides what is loaded when, and never what happens.

mod first;
mod marks;
mod outline;
mod plan;
mod rest;
mod shape;
#[cfg(test)]
mod tests;
mod view;

use crate::steps::say;
use plan::Plan;
use shape::Shape;
use std::collections::BTreeSet;
use std::path::Path;

/// Splits a module of the page, `NAME_bg.wasm` in this folder: it becomes the first part, and `NAME_rest.wasm` the rest.
pub(crate) fn split(www: &Path, name: &str, parts: &Path) -> Result<(), String> {
    let file = |suffix: &str| parts.join(format!("{name}{suffix}"));
    let read = |path: &Path| std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()));
    let write = |path: &Path, bytes: &[u8]| {
        std::fs::write(path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
    };
    say(&format!("splitting the {name}"));
    let whole = read(&file("_bg.wasm"))?;
    let shape = Shape::of(&whole)?;
    let marked = marks::mark(&shape, &whole)?;
    write(&file("_marked.wasm"), &marked.module)?;
    let profile = view::profile(www, name, parts, &marked)?;
    let called = profile.called(&shape);
    let outlined = outline::outline(&shape, &whole, &profile)?;
    let own = u32::try_from(shape.typed.len()).unwrap_or(u32::MAX);
    let split = Shape::of(&outlined)?;
    let called = plan::with_small(&split, called, own)?;
    let (first, rest) = cut(split, &outlined, &called)?;
    write(&file("_rest.wasm"), &rest)?;
    write(&file("_bg.wasm"), &first)
}

/// The two parts of a module, the first with these functions.
fn cut(shape: Shape<'_>, module: &[u8], first: &BTreeSet<u32>) -> Result<(Vec<u8>, Vec<u8>), String> {
    let plan = Plan::new(shape, first)?;
    let parts = (first::make(&plan, module)?, rest::make(&plan, module)?);
    shape::validate(&parts.0).map_err(|error| format!("the first part: {error}"))?;
    shape::validate(&parts.1).map_err(|error| format!("the rest: {error}"))?;
    Ok(parts)
}
