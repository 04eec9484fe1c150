//! [`without`]: runs something without certain system calls, as on file systems and kernels that lack them.
//!
//! A seccomp filter answers them with the error of such a file system. It belongs to a thread, and to the processes that
//! the thread starts.

#![allow(unsafe_code, reason = "filters are installed with `prctl`")]

use std::io;

/// A call that is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// Leases of files: missing on network file systems, and for files of other users.
    Lease,
    /// The exchange of two files.
    Exchange,
    /// Files without a name.
    Unnamed,
    /// Hard links.
    Link,
}

/// `RENAME_EXCHANGE` of renameat2(2).
const EXCHANGE: u32 = 2;

impl Call {
    fn rule(self) -> Rule {
        match self {
            Call::Lease => Rule {
                call: libc::SYS_fcntl,
                argument: 1,
                holds: Holds::Is(libc::F_SETLEASE as u32),
                error: libc::EINVAL,
            },
            Call::Exchange => {
                Rule { call: libc::SYS_renameat2, argument: 4, holds: Holds::Any(EXCHANGE), error: libc::EINVAL }
            }
            Call::Unnamed => {
                let flag = (libc::O_TMPFILE & !libc::O_DIRECTORY) as u32;
                Rule { call: libc::SYS_openat, argument: 2, holds: Holds::Any(flag), error: libc::EOPNOTSUPP }
            }
            Call::Link => Rule { call: libc::SYS_linkat, argument: 0, holds: Holds::Always, error: libc::EPERM },
        }
    }
}

/// Calls a function on a thread without these calls. Errors: this machine has no such filters.
pub fn without<R: Send>(calls: &[Call], run: impl FnOnce() -> R + Send) -> io::Result<R> {
    std::thread::scope(|scope| {
        let filtered = scope.spawn(|| {
            if !calls.is_empty() {
                install(calls)?;
            }
            Ok(run())
        });
        filtered.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// A call that fails if its argument, counted from 0, satisfies a condition.
struct Rule {
    call: libc::c_long,
    argument: u32,
    holds: Holds,
    error: i32,
}

enum Holds {
    Is(u32),
    /// One of these bits is set.
    Any(u32),
    Always,
}

fn install(calls: &[Call]) -> io::Result<()> {
    let mut filter: Vec<libc::sock_filter> = calls.iter().flat_map(|call| call.rule().instructions()).collect();
    filter.push(statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW));
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    const NO: libc::c_ulong = 0;
    const YES: libc::c_ulong = 1;
    let mode = libc::c_ulong::from(libc::SECCOMP_MODE_FILTER);
    // SAFETY: the program outlives both calls, which copy it and affect only this thread.
    let installed = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, YES, NO, NO, NO) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program) == 0
    };
    if installed { Ok(()) } else { Err(io::Error::last_os_error()) }
}

impl Rule {
    /// Reads the number of the call and the low half of the argument from the kernel's `seccomp_data`.
    fn instructions(self) -> [libc::sock_filter; 5] {
        const ARGUMENTS: u32 = 16;
        let half = if cfg!(target_endian = "big") { 4 } else { 0 };
        let (test, value) = match self.holds {
            Holds::Is(value) => (libc::BPF_JEQ, value),
            Holds::Any(bits) => (libc::BPF_JSET, bits),
            Holds::Always => (libc::BPF_JGE, 0),
        };
        let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
        let jump = |test: u32, value: u32, otherwise: u8| libc::sock_filter {
            jf: otherwise,
            ..statement(libc::BPF_JMP | test | libc::BPF_K, value)
        };
        [
            statement(load, 0),
            jump(libc::BPF_JEQ, self.call as u32, 3),
            statement(load, ARGUMENTS + 8 * self.argument + half),
            jump(test, value, 1),
            statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | self.error as u32),
        ]
    }
}

fn statement(code: u32, k: u32) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: 0, jf: 0, k }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags, linkat, openat, renameat_with};
    use rustix::io::Errno;

    #[test]
    fn the_calls_are_missing_there_and_nowhere_else() {
        let dir = std::env::temp_dir().join("lacking");
        std::fs::create_dir_all(&dir).unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| dir.join(name));
        let look = || {
            for path in [&a, &b] {
                std::fs::write(path, "").unwrap();
            }
            let _ = std::fs::remove_file(&c);
            let flags = OFlags::TMPFILE | OFlags::WRONLY;
            [
                renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).err(),
                openat(CWD, &dir, flags, Mode::RUSR).err(),
                linkat(CWD, &a, CWD, &c, AtFlags::empty()).err(),
            ]
        };
        let here = look();
        if let Err(error) = without(&[Call::Exchange, Call::Unnamed, Call::Link], || {
            assert_eq!(look(), [Some(Errno::INVAL), Some(Errno::OPNOTSUPP), Some(Errno::PERM)]);
            std::fs::rename(&a, &b).unwrap();
        }) {
            return crate::left_out(&format!("system calls cannot be filtered here: {error}"));
        }
        assert_eq!(look(), here);
        without(&[Call::Link], || assert_eq!(look(), [here[0], here[1], Some(Errno::PERM)])).unwrap();
    }
}
