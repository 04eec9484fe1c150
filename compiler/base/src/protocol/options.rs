//! What a program is run with.

use serde::{Deserialize, Serialize};

/// A program with its options.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Deploy {
    /// Program files by absolute path in the program's own tree.
    pub files: Vec<(String, Vec<u8>)>,
    /// The input, as on a command line but in that tree: `/`, `/main.mcl` (language spec, 7.7).
    pub entry: String,
    pub options: Options,
}

/// The engine's switches. Engine spec, 24.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    pub hostname: String,
    /// Look only.
    pub noop: bool,
    /// Process at most so many resources at once, by a semaphore that each of them takes; 0: no
    /// limit.
    pub sema: u32,
    /// Have at most so many checks in flight; 0: no limit. Unlike `sema` this is no part of the
    /// resources.
    pub parallel: u32,
    /// Seconds of quiet after which the host counts as converged; negative: never asked.
    pub converger_timeout: i64,
    /// End when converged.
    pub converged_exit: bool,
    /// Seconds after which the program ends with an error; 0: never.
    pub max_runtime: u64,
    /// End after each resource was brought into its state once, or has failed.
    pub once: bool,
    /// Make only the first graph.
    pub no_stream_watch: bool,
    pub no_autoedges: bool,
    pub no_autogroup: bool,
    /// The body carries out no step and tells how it would go: this is a plan.
    pub rehearse: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            hostname: String::new(),
            noop: false,
            sema: 0,
            parallel: 0,
            converger_timeout: -1,
            converged_exit: false,
            max_runtime: 0,
            once: false,
            no_stream_watch: false,
            no_autoedges: false,
            no_autogroup: false,
            rehearse: false,
        }
    }
}

/// How a program ended. Engine spec, 19 and 28.
pub mod status {
    /// It converged or was asked to end.
    pub const GOOD: i32 = 0;
    /// The program was refused or never gave a graph, the time was up, or the engine could not go on.
    pub const ERROR: i32 = 1;
    /// It ended as asked, but a resource stood as failed; or it ended by itself (`once`, `converged_exit`) and the
    /// program had ended with an error.
    pub const FAILED: i32 = 3;
}

/// The rungs of the ladder (engine spec, 19).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum StopMode {
    /// Running checks finish.
    Graceful,
    /// Running commands get their signal.
    Soft,
    /// Running commands are killed.
    Hard,
}
