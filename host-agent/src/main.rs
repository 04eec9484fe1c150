//! `mclive`: the agent. It runs the compiler crate as a sandboxed component and carries out what that
//! asks for: arguments, exit code, and nothing else in this file.
//!
//! ```text
//! cli > program (files) > embed (the brain, in a sandbox) <-> driver <-> host (this machine)
//! ```

mod ask;
mod cli;
mod command;
mod driver;
mod embed;
mod home;
mod host;
mod network;
mod policy;
mod program;
mod prometheus;
mod record;
mod show;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A reader that goes away (`| head`) ends a listing quietly; a run handles it by itself.
    let cli = cli::Cli::parse();
    ExitCode::from(command::run(cli.command))
}
