//! [`Run`]: one run of a test binary. Everything it makes on the machine (folders, control groups) has its name, so
//! that leftovers of a dead run can be told from the things of a living one.

use crate::processes::Process;
use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt;

/// A run is identified by the first process of its test binary, and its start time. Each pid namespace has its own
/// numbers: the same numbers elsewhere mean another, invisible process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    numbering: u64,
    pid: u32,
    start: u64,
}

/// The prefix of every run's name.
const PREFIX: &str = "mckit-";

impl Run {
    /// The environment variable with the run's name, set in everything that belongs to it.
    pub const VARIABLE: &str = "MCLIVE_KIT_RUN";

    /// The run of this process; outside a run, the process itself.
    pub fn current() -> Run {
        let told = std::env::var(Run::VARIABLE).ok().and_then(|name| Run::parse(&name));
        told.unwrap_or_else(Run::own)
    }

    /// The run that has this process as its first.
    pub fn own() -> Run {
        let pid = std::process::id();
        let start = Process::of(pid).expect("this process is in /proc").start;
        Run { numbering: numbering(), pid, start }
    }

    /// Parses a run from a name; more may follow, after a `-`.
    pub fn parse(name: &str) -> Option<Run> {
        let mut parts = name.strip_prefix(PREFIX)?.splitn(4, '-');
        let (numbering, pid) = (u64::from_str_radix(parts.next()?, 36).ok()?, parts.next()?.parse().ok()?);
        Some(Run { numbering, pid, start: u64::from_str_radix(parts.next()?, 36).ok()? })
    }

    /// Whether it is over. A run in another PID namespace cannot be checked, so it counts as alive.
    pub fn is_dead(self) -> bool {
        self.numbering == numbering() && Process::of(self.pid).is_none_or(|process| process.start != self.start)
    }
}

/// The name is short: it is part of socket paths, which have a limit, and of thousands of files.
impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{PREFIX}{}-{}-{}", short(self.numbering), self.pid, short(self.start))
    }
}

/// The pid namespace, as a number: 0 is the initial one.
fn numbering() -> u64 {
    const FIRST: u64 = 0xefff_fffc;
    fs::metadata("/proc/self/ns/pid").map_or(0, |namespace| namespace.ino().wrapping_sub(FIRST))
}

/// A number in digits and letters.
fn short(number: u64) -> String {
    let digit = char::from_digit((number % 36) as u32, 36).expect("it is a digit of base 36");
    match number / 36 {
        0 => digit.to_string(),
        more => short(more) + digit.encode_utf8(&mut [0; 4]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_comes_back_whatever_follows_it() {
        let run = Run::own();
        assert_eq!(Run::parse(&run.to_string()), Some(run));
        assert_eq!(Run::parse(&format!("{run}-machine-3")), Some(run));
        let far = Run { numbering: u64::MAX, pid: u32::MAX, start: u64::MAX };
        assert_eq!(Run::parse(&far.to_string()), Some(far));
        for other in ["mclive-1-2-3", "mckit-zero", "mckit-1f-2", "mckit-1-x-3", "tmp"] {
            assert_eq!(Run::parse(other), None, "{other}");
        }
    }

    #[test]
    fn only_who_is_known_to_be_gone_is_dead() {
        let run = Run::own();
        assert!(!run.is_dead());
        assert!(Run { start: run.start + 1, ..run }.is_dead(), "the number was given to another process");
        assert!(Run { pid: u32::MAX >> 2, ..run }.is_dead());
        assert!(!Run { numbering: 1, ..run }.is_dead(), "a namespace that is not seen from here");
    }
}
