//! The limits of the process that matter for many watched files.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises this process's limit of open files as far as permitted; ignores failures.
pub(crate) fn raise() {
    let files = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: files.maximum, maximum: files.maximum });
}

/// The mode bits that new files do not get. It can only be read by setting it, so this happens before other threads
/// create files.
pub(super) fn umask() -> u32 {
    let bits = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    rustix::process::umask(bits);
    bits.as_raw_mode()
}

/// Returns free memory to the system; the allocator by itself only trims its end.
pub(crate) fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        #[allow(unsafe_code)]
        unsafe extern "C" {
            /// See `malloc_trim(3)`.
            safe fn malloc_trim(pad: usize) -> std::ffi::c_int;
        }
        malloc_trim(0);
    }
}
