//! The limits of the process and the system that matter for many watched files.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// If this variable is set, the limits of the whole system stay as they are: tests do not change the machine they run on.
const KEEP: &str = "MCLIVE_KEEP_SYSTEM_LIMITS";

/// Raises the limits that may be raised; ignores failures.
pub(crate) fn raise() {
    let files = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: files.maximum, maximum: files.maximum });
    if std::env::var_os(KEEP).is_some() {
        return;
    }
    for (name, least) in [("max_user_instances", 512u64), ("max_user_watches", 242_940)] {
        let path = format!("/proc/sys/fs/inotify/{name}");
        let now = std::fs::read_to_string(&path).ok().and_then(|text| text.trim().parse::<u64>().ok());
        if now.is_some_and(|now| now < least) {
            let _ = std::fs::write(&path, least.to_string());
        }
    }
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
