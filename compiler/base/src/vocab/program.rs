//! The agent itself: its environment, arguments and process.

use super::Learn;
use super::subject::never;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Probe, Finding, Step, Watch }

/// All of them are sampled.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Fact {
    /// `Bytes`, or `NotFound`: an environment variable of the agent.
    Env { name: String },
    /// `Map` of `Bytes` to `Bytes`: the agent's whole environment.
    Environment,
    /// `List` of `Bytes`: the agent's arguments, its name first.
    Args,
    /// `Bytes`: the path of the agent's executable; `resolved`: with symbolic links resolved.
    Executable { resolved: bool },
    /// `Struct { pid Int, ppid Int, uid Int, gid Int, euid Int, egid Int, cwd Bytes, page_size Int, n_cpus Int }`: the
    /// agent's process.
    Process,
    /// Any datum, or `NotFound` if it is not set: a command line setting by name, such as `interface` of the
    /// provisioner (without `cli_`).
    Setting { name: String },
    /// `Bytes`: this many random bytes, seeded where a run must replay. `nonce` distinguishes calls: another nonce,
    /// other bytes.
    Random { n_bytes: u32, nonce: u64 },
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Fact::Env { name } => write!(f, "the variable {name}"),
            Fact::Environment => write!(f, "the environment"),
            Fact::Args => write!(f, "the arguments"),
            Fact::Executable { .. } => write!(f, "the executable"),
            Fact::Process => write!(f, "the process"),
            Fact::Setting { name } => write!(f, "the setting {name}"),
            Fact::Random { .. } => write!(f, "randomness"),
        }
    }
}
