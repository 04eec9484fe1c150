//! [`Populating`]: the linear memory of sandboxes, which populates pages when it grows.
//!
//! The brain's allocator asks for memory right before it writes to it. Page faults took a seventh of the time to check
//! a large program; populating the pages of a step at once takes a fifth of that.

use rustix::io::Errno;
use std::ptr::NonNull;
use wasmtime::{LinearMemory, MemoryCreator, MemoryType};

/// How a refusal of the system begins: wasmtime takes words alone, and [`refusal`] reads the error number off them again.
const REFUSED: &str = "the system cannot allocate memory: error ";

/// The system's error in a message of this allocator.
pub(super) fn refusal(message: &str) -> Option<Errno> {
    message.strip_prefix(REFUSED)?.parse().ok().map(Errno::from_raw_os_error)
}

/// Larger steps are not populated: they are tables that may stay empty.
const LARGE: usize = 4 << 20;

pub(super) struct Populating;

// SAFETY: the memory is zero-filled, reserved with its guards for its lifetime, and used by nothing else.
#[allow(unsafe_code)]
unsafe impl MemoryCreator for Populating {
    fn new_memory(
        &self,
        _: MemoryType,
        minimum: usize,
        maximum: Option<usize>,
        reserved: Option<usize>,
        guard: usize,
    ) -> Result<Box<dyn LinearMemory>, String> {
        let capacity = reserved.or(maximum).unwrap_or(minimum).max(minimum);
        let memory = Mapped::reserve(capacity, guard).and_then(|mut memory| {
            memory.allow(minimum)?;
            Ok(memory)
        });
        memory
            .map(|memory| Box::new(memory) as Box<dyn LinearMemory>)
            .map_err(|errno| format!("{REFUSED}{}", errno.raw_os_error()))
    }
}

/// A reserved range of addresses, whose first part is usable. Guards lie before and after it.
struct Mapped {
    base: NonNull<u8>,
    len: usize,
    /// The size of each guard.
    guard: usize,
    size: usize,
}

// SAFETY: it owns a range of addresses; wasmtime orders the accesses.
#[allow(unsafe_code)]
unsafe impl Send for Mapped {}
// SAFETY: as above; nothing is changed through a shared reference.
#[allow(unsafe_code)]
unsafe impl Sync for Mapped {}

impl Mapped {
    fn reserve(capacity: usize, guard: usize) -> rustix::io::Result<Mapped> {
        use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
        let len = guard.checked_mul(2).and_then(|guards| guards.checked_add(capacity)).ok_or(Errno::NOMEM)?;
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: a new mapping at an address of the kernel's choice affects no other.
        #[allow(unsafe_code)]
        let base = unsafe { mmap_anonymous(std::ptr::null_mut(), len, ProtFlags::empty(), flags) }?;
        let base = NonNull::new(base.cast()).ok_or(Errno::NOMEM)?;
        Ok(Mapped { base, len, guard, size: 0 })
    }

    /// Makes the first `size` bytes usable, in whole pages.
    fn allow(&mut self, size: usize) -> rustix::io::Result<()> {
        use rustix::mm::{MprotectFlags, mprotect};
        assert!(self.size <= size && size <= self.byte_capacity(), "wasmtime grows a memory within its limits");
        let step = size - self.size;
        if step > 0 {
            // SAFETY: the range is within what this value has reserved.
            #[allow(unsafe_code)]
            unsafe { mprotect(self.as_ptr().add(self.size).cast(), step, MprotectFlags::READ | MprotectFlags::WRITE) }?;
        }
        self.size = size;
        Ok(())
    }

    /// Populates a range; where the kernel cannot, its pages appear at first touch.
    fn populate(&self, from: usize, len: usize) {
        // SAFETY: the range is within what this value has reserved, and usable.
        #[allow(unsafe_code)]
        let _ =
            unsafe { rustix::mm::madvise(self.as_ptr().add(from).cast(), len, rustix::mm::Advice::LinuxPopulateWrite) };
    }
}

// SAFETY: the base never moves, and the `byte_size` bytes after it are usable.
#[allow(unsafe_code)]
unsafe impl LinearMemory for Mapped {
    fn byte_size(&self) -> usize {
        self.size
    }

    fn byte_capacity(&self) -> usize {
        self.len - 2 * self.guard
    }

    fn grow_to(&mut self, size: usize) -> wasmtime::Result<()> {
        let from = self.size;
        self.allow(size)?;
        let step = size - from;
        if (1..=LARGE).contains(&step) {
            self.populate(from, step);
        }
        Ok(())
    }

    fn as_ptr(&self) -> *mut u8 {
        // SAFETY: the guard lies within the reservation.
        #[allow(unsafe_code)]
        unsafe {
            self.base.as_ptr().add(self.guard)
        }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: this value owns the mapping, and there are no references into it any more.
        #[allow(unsafe_code)]
        let _ = unsafe { rustix::mm::munmap(self.base.as_ptr().cast(), self.len) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of resident pages of a range.
    fn n_resident(memory: &Mapped, from: usize, len: usize) -> usize {
        let (start, end) = (memory.as_ptr() as usize + from, memory.as_ptr() as usize + from + len);
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut is_inside = false;
        let mut n_kib = 0;
        for line in maps.lines() {
            let range = line.split(' ').next().and_then(|range| range.split_once('-'));
            let number = |text: &str| usize::from_str_radix(text, 16);
            match range.map(|(a, b)| (number(a), number(b))) {
                Some((Ok(a), Ok(b))) => is_inside = a < end && start < b,
                _ if is_inside && line.starts_with("Rss:") => {
                    n_kib += line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap();
                }
                _ => {}
            }
        }
        n_kib / 4
    }

    #[test]
    fn what_it_grows_by_is_there_and_zero() {
        let mut memory = Mapped::reserve(64 << 20, 1 << 20).unwrap();
        memory.allow(1 << 20).unwrap();
        assert_eq!(n_resident(&memory, 0, 1 << 20), 0, "the beginning is left to be touched");
        memory.grow_to(2 << 20).unwrap();
        assert_eq!((memory.byte_size(), memory.byte_capacity()), (2 << 20, 64 << 20));
        assert!(n_resident(&memory, 0, 2 << 20) >= 256);
        let before = n_resident(&memory, 0, 32 << 20);
        memory.grow_to(32 << 20).unwrap();
        assert_eq!(n_resident(&memory, 0, 32 << 20), before, "a large step is left to be touched");
        // SAFETY: these bytes are usable, and nothing else refers to them.
        #[allow(unsafe_code)]
        let bytes = unsafe { std::slice::from_raw_parts(memory.as_ptr(), memory.byte_size()) };
        assert!(bytes.iter().all(|byte| *byte == 0));
    }
}
