//! [`Trap`]: why the sandbox did not answer.

use crate::host::words;
use rustix::io::Errno;

/// Why the sandbox did not answer. The host is unchanged.
#[derive(Debug)]
pub(crate) enum Trap {
    /// The brain failed or exceeded a limit.
    Fault(String),
    /// The program needs more than this many bytes of memory.
    Memory(usize),
    /// The system grants this process less than the agent needs.
    Lacks(Errno),
}

impl Trap {
    /// The description, without advice.
    pub(super) fn what(&self) -> String {
        match self {
            Trap::Fault(what) => what.clone(),
            Trap::Memory(bytes) => needs(*bytes),
            Trap::Lacks(errno) => words(*errno),
        }
    }
}

impl std::fmt::Display for Trap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Trap::Fault(what) => {
                write!(f, "the compiler crashed: {what}; nothing was changed by this (please report it)")
            }
            Trap::Memory(bytes) => {
                write!(f, "{}; nothing was changed by this. Reduce the size of its strings and lists", needs(*bytes))
            }
            Trap::Lacks(errno) => {
                write!(f, "the agent cannot start here: {}", words(*errno))?;
                remedy(*errno).map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
            }
        }
    }
}

fn needs(bytes: usize) -> String {
    format!("the program needs more than {} MiB of memory", bytes >> 20)
}

/// Which limit of the process is too low, and how to raise it in a shell and in a systemd unit.
fn remedy(errno: Errno) -> Option<&'static str> {
    Some(match errno {
        Errno::NOMEM => "allow 5 GiB of address space (`ulimit -v`, LimitAS=); only a small part of it is used",
        Errno::MFILE | Errno::NFILE => "allow more open files (`ulimit -n 1024`, LimitNOFILE=)",
        Errno::AGAIN => "allow this user more processes and threads (`ulimit -u`, LimitNPROC=, TasksMax=)",
        _ => return None,
    })
}

impl From<std::io::Error> for Trap {
    fn from(error: std::io::Error) -> Trap {
        Errno::from_io_error(&error).map_or_else(|| Trap::Fault(error.to_string()), Trap::Lacks)
    }
}

impl From<wasmtime::Error> for Trap {
    fn from(error: wasmtime::Error) -> Trap {
        // The first cause that is a trap is the best description; the back trace follows it.
        match error.downcast_ref::<wasmtime::Trap>() {
            Some(wasmtime::Trap::Interrupt) => Trap::Fault("a single step exceeded the time limit".into()),
            Some(trap) => Trap::Fault(format!("{trap}{}", panic_place(&error))),
            None => match error.chain().find_map(errno_of) {
                Some(errno) => Trap::Lacks(errno),
                None => Trap::Fault(format!("{error:#}")),
            },
        }
    }
}

/// The system's own error among the causes of a failure.
fn errno_of(cause: &(dyn std::error::Error + 'static)) -> Option<Errno> {
    let of_std = cause.downcast_ref::<std::io::Error>().and_then(Errno::from_io_error);
    of_std.or_else(|| cause.downcast_ref::<Errno>().copied()).or_else(|| super::memory::refusal(&cause.to_string()))
}

/// The functions on the brain's stack, innermost first, where names are kept.
fn panic_place(error: &wasmtime::Error) -> String {
    let Some(trace) = error.downcast_ref::<wasmtime::WasmBacktrace>() else { return String::new() };
    let names =
        trace.frames().iter().filter_map(|frame| frame.func_name()).filter(|name| name.contains("mclive")).take(4);
    let names: Vec<&str> = names.collect();
    if names.is_empty() { String::new() } else { format!(" in {}", names.join(" < ")) }
}
