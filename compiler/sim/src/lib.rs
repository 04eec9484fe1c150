//! The simulated host: an in-memory body for the brain, with a virtual clock.
//!
//! It implements every fact, probe, step and watch of a real host, or says why it cannot; it presents the result as
//! plain data; and everything can be changed by hand without the brain. [`Sim`] joins it to a brain. The same calls at
//! the same moments give the same outputs: nothing here reads a clock, and what is random follows from a seed.
//!
//! - `tree` is the file system, `path` its names; `shell` and `process` run commands; `facts` answers what functions
//!   read; `watches` finds the watches affected by a change; `seals` hides secrets in the store that hosts share.
//! - [`SimHost`] is the host as the brain sees it, `world` the manual changes, and [`Snapshot`] its visible state.

use mclive_base::{gather, hash, protocol, sort, vocab};
#[cfg(test)]
use {
    mclive_base::source,
    mclive_engine::{brain, compile, react, rgraph},
    mclive_library::corelib,
};

mod cluster;
mod command;
mod happen;
mod host;
mod job;
mod looks;
mod order;
mod path;
mod process;
mod ran;
mod replay;
mod run;
mod seals;
mod session;
mod shell;
mod snapshot;
mod subject;
#[cfg(test)]
mod tests;
mod tree;
mod watches;
mod web;
mod world;

pub use cluster::{Cluster, Happened, MAX_HOSTS, Member, News};
pub use command::{Command, CommandTable, Scripted};
pub use host::SimHost;
pub use order::Order;
pub use replay::Replay;
pub use run::Sim;
pub use snapshot::{FileView, LogLine, ProcessView, Snapshot};
pub use subject::{
    Answers, Boot, Clock, Clouds, Consuls, Containers, Controllers, Firewall, Firmwares, Guests, Hardware, Interface,
    Leases, Links, Messages, Packages, Passwords, Reached, Release, Simulated, Started, SubjectState, Subjects, Units,
    Virts,
};
pub use tree::Tree;
pub use web::Web;
pub use world::{Remote, World};
