//! The engine's settings, shared by the build tool that compiles the brain ahead of time and the
//! agent that loads it: a precompiled component loads only into an engine with equal settings.
//!
//! This file is compiled into both crates, so it names nothing but wasmtime.

/// What both sides agree on.
///
/// - Epochs, not fuel: an interrupt costs a load and a compare per loop and is set by a watchdog,
///   while fuel counts every block (a fifth slower) to give an exactness that nobody needs here.
///   The brain bounds its own work deterministically; this is the fence behind that.
/// - No proposal beyond what rustc emits for this target.
/// - Nothing that only a debugger or a back trace with byte offsets would read: it is a seventh of
///   the image, and has to be registered at each start.
pub(crate) fn settings() -> wasmtime::Config {
    let mut config = wasmtime::Config::new();
    config.wasm_component_model(true);
    config.epoch_interruption(true);
    config.max_wasm_stack(WASM_STACK);
    // Nothing is asynchronous, but the engine insists on an order of the two.
    config.async_stack_size(WASM_STACK);
    // The agent's linear memories are its own (`memory.rs`), and what is made ahead may not expect others.
    config.memory_init_cow(false);
    config.generate_address_map(false);
    config.native_unwind_info(false);
    config.wasm_backtrace_max_frames(core::num::NonZeroUsize::new(24));
    config
}

/// Bytes of the machine's stack that the brain may use; a deeper recursion is a trap.
pub(crate) const WASM_STACK: usize = 8 << 20;
