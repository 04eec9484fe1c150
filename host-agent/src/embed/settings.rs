//! The engine's settings, shared by the build tool that precompiles the brain and the agent that loads it: a
//! precompiled component loads only into an engine with equal settings.
//!
//! This file is compiled into both crates, so it uses only wasmtime.

/// The common settings.
///
/// - Epochs, not fuel: an interrupt costs a load and a compare per loop and is set by a watchdog, while fuel counts
///   every block (a fifth slower), for an exactness that is not needed. The brain limits its own work
///   deterministically; the watchdog is the second line of defence.
/// - No proposal beyond what rustc emits for this target.
/// - Nothing that only a debugger or a back trace with byte offsets needs: it is a seventh of the image, and has to be
///   registered at each start.
pub(crate) fn settings() -> wasmtime::Config {
    let mut config = wasmtime::Config::new();
    config.wasm_component_model(true);
    config.epoch_interruption(true);
    config.max_wasm_stack(WASM_STACK);
    // Nothing is asynchronous, but the engine requires this order of the two.
    config.async_stack_size(WASM_STACK);
    // The agent allocates linear memories itself (`memory.rs`), and precompiled code must not expect others.
    config.memory_init_cow(false);
    config.generate_address_map(false);
    config.native_unwind_info(false);
    config.wasm_backtrace_max_frames(core::num::NonZeroUsize::new(24));
    config
}

/// The brain's stack limit in bytes; a deeper recursion is a trap.
pub(crate) const WASM_STACK: usize = 8 << 20;
