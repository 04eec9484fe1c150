//! The options a program is run with.

use serde::{Deserialize, Serialize};

/// A program with its options.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Deploy {
    /// Program files by absolute path in the program's own tree.
    pub files: Vec<(String, Vec<u8>)>,
    /// The input as on a command line, but as a path of the program's own tree: `/`, `/main.mcl` (language spec, 7.7).
    pub entry: String,
    /// The engine's options.
    pub options: Options,
}

/// The engine's switches. Engine spec, 24.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// The name of this host in the program.
    pub hostname: String,
    /// Report changes without applying them.
    pub noop: bool,
    /// The maximum number of resources that run at once, enforced by a semaphore added to each of them; 0: no limit.
    pub sema: u32,
    /// The maximum number of checks in flight; 0: no limit. Unlike `sema` it is not visible in the resources.
    pub parallel: u32,
    /// Seconds of quiet until the host counts as converged; negative: disabled.
    pub converger_timeout: i64,
    /// Exit when converged.
    pub converged_exit: bool,
    /// Seconds until the program is stopped with an error; 0: never.
    pub max_runtime: u64,
    /// Exit after every resource has been applied once or has failed.
    pub once: bool,
    /// Ignore changes after the first graph.
    pub no_stream_watch: bool,
    /// Disable automatic edges.
    pub no_autoedges: bool,
    /// Disable automatic grouping.
    pub no_autogroup: bool,
    /// Plan: the body carries out no step and predicts its outcome instead.
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
    /// It converged or was asked to stop.
    pub const GOOD: i32 = 0;
    /// The program was refused or never produced a graph, the time limit was reached, or the engine could not continue.
    pub const ERROR: i32 = 1;
    /// It ended as requested, but a resource had failed; or it ended on its own (`once`, `converged_exit`) after the
    /// program had ended with an error.
    pub const FAILED: i32 = 3;
}

/// How forcefully to stop (engine spec, 19).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum StopMode {
    /// Running checks finish.
    Graceful,
    /// Running commands get their signal.
    Soft,
    /// Running commands are killed.
    Hard,
}
