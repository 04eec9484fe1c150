//! The embedded brain: the compiler crate as a component, in a sandbox without imports.
//!
//! ```text
//! Engine (settings) > Component (embedded, precompiled) > Instance (limits) > compiler functions, resources (brain, seeker)
//! ```
//!
//! The rest of the agent does not know wasmtime. A trap, an exceeded limit or a malformed answer is a [`Trap`]: a
//! value. The instance is not used again after one, and the host is not changed.

mod brain;
mod image;
mod keeper;
mod limits;
mod memory;
#[cfg(test)]
mod same;
mod sandbox;
mod seeker;
mod settings;
mod tickets;
mod trap;
mod watchdog;

pub(crate) use brain::Brain;
pub(crate) use keeper::Keeper;
pub(crate) use sandbox::Sandbox;
pub(crate) use seeker::Seeker;
pub(crate) use trap::Trap;

/// The stack of a thread that calls the brain, in bytes: what the brain may use, and as much for the functions below it.
pub(crate) const STACK: usize = 2 * settings::WASM_STACK;

// Generated code is not linted.
#[allow(unreachable_pub, dead_code)]
pub(crate) mod contract {
    wasmtime::component::bindgen!({ path: "../compiler/wit", world: "brain-world" });

    pub(crate) use exports::mclive::brain::compiler::*;
}
