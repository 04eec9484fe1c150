//! The embedded component, ready to run where it lies: the machine code is part of this program's
//! read-only data, and its pages are made executable in place.
//!
//! Nothing is copied: only the pages that are used are ever read, and all agents on a host share
//! them. That is most of what a start costs.

use super::memory::Populating;
use super::settings::settings;
use crate::lock::Mutex;
use std::ptr::NonNull;
use std::sync::Arc;
use wasmtime::component::Component;
use wasmtime::{CustomCodeMemory, Engine};

/// Bytes of a page, on every target that we build for.
const PAGE: usize = 4096;

/// Starts at a page's boundary, so that its pages hold nothing else.
#[repr(C, align(4096))]
struct Aligned<Bytes: ?Sized>(Bytes);

/// The component, compiled for this machine by `build.rs`.
static COMPILED: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/brain.cwasm")));

/// Makes the pages of machine code executable; they were never writable, and are not now.
struct InPlace;

impl CustomCodeMemory for InPlace {
    fn required_alignment(&self) -> usize {
        PAGE
    }

    fn publish_executable(&self, at: *const u8, len: usize) -> wasmtime::Result<()> {
        protect(at, len, rustix::mm::MprotectFlags::READ | rustix::mm::MprotectFlags::EXEC)
    }

    fn unpublish_executable(&self, at: *const u8, len: usize) -> wasmtime::Result<()> {
        protect(at, len, rustix::mm::MprotectFlags::READ)
    }
}

fn protect(at: *const u8, len: usize, flags: rustix::mm::MprotectFlags) -> wasmtime::Result<()> {
    // SAFETY: wasmtime hands in whole pages of `COMPILED`, which are read-only data of this program
    // and stay readable.
    #[allow(unsafe_code)]
    let protected = unsafe { rustix::mm::mprotect(at.cast_mut().cast(), len, flags) };
    Ok(protected?)
}

/// What lies ready is claimed once: wasmtime keeps one entry for each place of machine code.
static LOADED: Mutex<Option<(Engine, Component)>> = Mutex::new(None);

/// The engine, and the component in it, the same ones on every call; `None` when this build has none.
pub(super) fn load() -> wasmtime::Result<Option<(Engine, Component)>> {
    if COMPILED.0.is_empty() {
        return Ok(None);
    }
    let mut loaded = LOADED.lock();
    if loaded.is_none() {
        *loaded = Some(claim()?);
    }
    Ok(loaded.clone())
}

fn claim() -> wasmtime::Result<(Engine, Component)> {
    let mut settings = settings();
    settings.with_custom_code_memory(Some(Arc::new(InPlace)));
    settings.with_host_memory(Arc::new(Populating));
    let engine = Engine::new(&settings)?;
    // SAFETY: the bytes are what `Engine::precompile_component` gave in our own build, with the same
    // settings (checked by wasmtime); they are part of this program's read-only data, so they live
    // as long as it does and nobody changes them.
    #[allow(unsafe_code)]
    let component = unsafe { Component::deserialize_raw(&engine, NonNull::from(&COMPILED.0)) }?;
    Ok((engine, component))
}
