//! The simulated host: an in-memory body for the brain, with a virtual clock.
//!
//! It implements every fact, probe, step and watch of a real host, or says why it cannot; it presents the result as
//! plain data; and everything can be changed by hand without the brain. [`Sim`] joins it to a brain. The same calls at
//! the same moments give the same outputs: nothing here reads a clock or is random.
//!
//! - `tree` is the file system, `path` its names; `shell` and `process` run commands; `facts` answers what functions
//!   read; `watches` finds the watches affected by a change.
//! - [`SimHost`] is the host as the brain sees it, `world` the manual changes, and [`Snapshot`] its visible state.

use mclive_base::{gather, hash, protocol, sort, vocab};
#[cfg(test)]
use {
    mclive_base::source,
    mclive_engine::{brain, compile, react, rgraph},
    mclive_library::corelib,
};

mod boot;
mod clouds;
mod cluster;
mod command;
mod containers;
mod controllers;
mod firewall;
mod firmwares;
mod guests;
mod happen;
mod host;
mod job;
mod leases;
mod links;
mod looks;
mod packages;
mod path;
mod process;
mod ran;
mod remotes;
mod replay;
mod run;
mod session;
mod shell;
mod snapshot;
mod subject;
#[cfg(test)]
mod tests;
mod tree;
mod units;
mod virts;
mod watches;
mod web;
mod world;

pub use clouds::Clouds;
pub use cluster::{Cluster, Happened, MAX_HOSTS, Member, News};
pub use command::{Command, CommandTable, Scripted};
pub use containers::Containers;
pub use controllers::Controllers;
pub use firewall::Firewall;
pub use firmwares::Firmwares;
pub use guests::Guests;
pub use host::SimHost;
pub use links::Interface;
pub use packages::{Packages, Release};
pub use remotes::Reached;
pub use replay::Replay;
pub use run::Sim;
pub use snapshot::{FileView, LogLine, ProcessView, Snapshot};
pub use tree::Tree;
pub use units::Units;
pub use virts::Virts;
pub use web::Web;
pub use world::{Remote, World};
