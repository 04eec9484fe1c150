//! The switches of an agent in a scenario.

use crate::protocol::Options;
use serde::{Deserialize, Serialize};

/// A switch of `mclive run`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Flag {
    /// `--noop`.
    Noop,
    /// `--once`.
    Once,
    /// `--hostname NAME`.
    Hostname(String),
    /// `--sema N`.
    Sema(u32),
    /// `--max-runtime SECONDS`.
    MaxRuntime(u64),
    /// `--converger-timeout SECONDS`.
    ConvergerTimeout(i64),
    /// `--converged-exit`.
    ConvergedExit,
    /// `--no-autoedges`.
    NoAutoedges,
    /// `--no-autogroup`.
    NoAutogroup,
    /// `--no-watch`.
    NoWatch,
    /// `--converger-status-file PATH`.
    ConvergerStatusFile(String),
}

impl Flag {
    /// The engine options of an agent started with these flags on this host.
    pub fn options(hostname: &str, flags: &[Flag]) -> Options {
        let mut options = Options { hostname: hostname.to_owned(), ..Options::default() };
        for flag in flags {
            match flag {
                Flag::Noop => options.noop = true,
                Flag::Once => options.once = true,
                Flag::Hostname(name) => options.hostname.clone_from(name),
                Flag::Sema(most) => options.sema = *most,
                Flag::MaxRuntime(seconds) => options.max_runtime = *seconds,
                Flag::ConvergerTimeout(seconds) => options.converger_timeout = *seconds,
                Flag::ConvergedExit => options.converged_exit = true,
                Flag::NoAutoedges => options.no_autoedges = true,
                Flag::NoAutogroup => options.no_autogroup = true,
                Flag::NoWatch => options.no_stream_watch = true,
                // For the agent, not the brain.
                Flag::ConvergerStatusFile(_) => {}
            }
        }
        options
    }
}
