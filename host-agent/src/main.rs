//! `mclive`: the agent. It runs the compiler crate as a sandboxed component and carries out its outputs; this file
//! handles only arguments and the exit code.
//!
//! ```text
//! cli > program (files) > embed (the brain, in a sandbox) <-> driver <-> host (this machine)
//! ```

mod ask;
mod cli;
mod command;
mod deploy;
mod driver;
mod embed;
mod fair;
mod home;
mod host;
mod key_line;
mod lock;
mod network;
mod origin;
mod output;
mod policy;
mod process;
mod program;
mod prometheus;
mod record;
mod rotate;
mod sealed;
mod server;
mod share;
mod show;
mod utc;

#[cfg(test)]
mclive_kit::supervised!();

use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    // The file size limit must cause a write error, like a full disk, and not end the agent; child processes are not
    // affected.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    // The first thread's stack is as large as the system says (`ulimit -s`), which can be less than the brain may use.
    // Overflowing it would end the agent instead of the call.
    match std::thread::Builder::new().name("agent".into()).stack_size(embed::STACK).spawn(run) {
        Ok(agent) => agent.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(_) => run(),
    }
}

fn run() -> ExitCode {
    let code = match cli::Cli::read() {
        Ok(cli) => command::run(cli.command),
        Err(said) => cli::said(&said),
    };
    process::finish();
    let is_whole = output::finish();
    ExitCode::from(if code == command::GOOD && !is_whole { command::UNWRITTEN } else { code })
}
