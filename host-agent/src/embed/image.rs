//! The embedded component, ready to run in place: the machine code is part of this program's read-only data, and its
//! pages are made executable in place.
//!
//! Nothing is copied: only used pages are ever read, and all agents on a host share them. That saves most of the
//! startup cost.

use super::memory::Populating;
use super::settings::settings;
use crate::lock::Mutex;
use std::ptr::NonNull;
use std::sync::Arc;
use wasmtime::component::Component;
use wasmtime::{CustomCodeMemory, Engine};

/// The page size, on every supported target. Units: bytes.
const PAGE: usize = 4096;

/// Starts at a page boundary, so that its pages contain nothing else.
#[repr(C, align(4096))]
struct Aligned<Bytes: ?Sized>(Bytes);

/// The component, compiled for this machine by `build.rs`.
static COMPILED: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/brain.cwasm")));

/// Makes the pages of machine code executable; they are never writable.
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
    // SAFETY: wasmtime passes whole pages of `COMPILED`, which are read-only data of this program and stay readable.
    #[allow(unsafe_code)]
    let protected = unsafe { rustix::mm::mprotect(at.cast_mut().cast(), len, flags) };
    Ok(protected?)
}

/// Loaded once: wasmtime keeps one entry for each place of machine code.
static LOADED: Mutex<Option<(Engine, Component)>> = Mutex::new(None);

/// The engine and the component in it, the same on every call; `None` if this build has none.
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
    // SAFETY: `Engine::precompile_component` made the bytes in this build, with the same settings (checked by
    // wasmtime); they are in this program's read-only data, so they live as long as the program and never change.
    #[allow(unsafe_code)]
    let component = unsafe { Component::deserialize_raw(&engine, NonNull::from(&COMPILED.0)) }?;
    Ok((engine, component))
}
