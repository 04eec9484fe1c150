//! [`Limits`]: the limits of an instance, and whether it exceeded them.

use wasmtime::{ResourceLimiter, StoreLimits, StoreLimitsBuilder};

pub(super) struct Limits {
    of_store: StoreLimits,
    /// The memory limit. Units: bytes.
    pub(super) memory: usize,
    /// It asked for more. The trap that follows does not say so.
    pub(super) ran_out: bool,
}

impl Limits {
    pub(super) fn new(memory: usize) -> Limits {
        let of_store = StoreLimitsBuilder::new().memory_size(memory).instances(8).tables(8).memories(4).build();
        Limits { of_store, memory, ran_out: false }
    }
}

impl ResourceLimiter for Limits {
    fn memory_growing(&mut self, current: usize, desired: usize, most: Option<usize>) -> wasmtime::Result<bool> {
        let is_granted = self.of_store.memory_growing(current, desired, most)?;
        self.ran_out |= !is_granted;
        Ok(is_granted)
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        self.ran_out = true;
        self.of_store.memory_grow_failed(error)
    }

    fn table_growing(&mut self, current: usize, desired: usize, most: Option<usize>) -> wasmtime::Result<bool> {
        self.of_store.table_growing(current, desired, most)
    }

    fn table_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        self.of_store.table_grow_failed(error)
    }

    fn instances(&self) -> usize {
        self.of_store.instances()
    }

    fn tables(&self) -> usize {
        self.of_store.tables()
    }

    fn memories(&self) -> usize {
        self.of_store.memories()
    }
}
