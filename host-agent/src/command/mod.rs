//! The subcommands: each takes its arguments and returns an exit code.

mod compile;
mod deploy;
mod editor;
mod fmt;
mod graph;
mod init;
mod key;
mod prefix;
mod reload;
mod replace;
mod run;
mod serve;
mod share;
mod signals;
mod take;
mod test;
mod why;
mod world;

use crate::cli::{Colour, Command, Output};
use crate::embed::Trap;
use crate::output;
use crate::program::{Failure, Unusable};
use mclive_base::unicode::visible;
use std::io::IsTerminal;

/// `cli` documents the exit codes.
pub(crate) use test::real::NAME as PLAY;

pub(crate) const GOOD: u8 = 0;
const REFUSED: u8 = 1;
const WRONG_USE: u8 = 2;
/// Output was lost, and it is unknown how much.
pub(crate) const UNWRITTEN: u8 = 1;
const TRAPPED: u8 = 70;

pub(crate) fn run(command: Command) -> u8 {
    let done = match command {
        Command::Check(args) => compile::check(&args),
        Command::Graph(args) => graph::graph(&args),
        Command::Fmt(args) => fmt::fmt(&args),
        Command::Init(args) => init::init(&args),
        Command::Explain(args) => compile::explain(&args),
        Command::Docs(args) => compile::docs(&args),
        Command::Editor(args) => editor::editor(&args),
        Command::Plan(args) => run::plan(&args),
        Command::Run(args) => run::run(&args),
        Command::Serve(args) => serve::serve(&args),
        Command::Share(args) => share::share(&args),
        Command::Open(args) => serve::open(&args),
        Command::Test(args) => test::test(&args),
        Command::Why(args) => why::why(&args),
        Command::Deploy(args) => deploy::deploy(&args),
        Command::Key(args) => key::key(&args),
        Command::World(args) => world::world(&args),
        Command::Replay(args) => why::replay(&args),
        Command::Play => test::real::inside().map(|()| GOOD).map_err(unusable),
        Command::Reap => {
            crate::process::reap();
            Ok(GOOD)
        }
    };
    done.unwrap_or_else(|failure| {
        let (code, text) = match failure {
            Failure::Unusable(why) => (WRONG_USE, why.to_string()),
            // The program's fault, not the compiler's.
            Failure::Trap(trap @ Trap::Memory(_)) => (REFUSED, trap.to_string()),
            Failure::Trap(trap) => (TRAPPED, trap.to_string()),
        };
        output::tell(&format!("mclive: error: {text}"));
        code
    })
}

type Done = Result<u8, Failure>;

fn unusable(text: String) -> Failure {
    Failure::Unusable(Unusable(text))
}

/// Reports why something could not be done, a sentence without a full stop, which may contain texts of others. Returns the
/// exit code.
fn failed(why: &str) -> u8 {
    output::tell(&format!("mclive: error: {}", visible(why)));
    REFUSED
}

/// Whether to colour text on this stream.
fn coloured(wanted: Colour, stream: &impl IsTerminal) -> bool {
    match wanted {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => {
            let is_asked_not_to = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            stream.is_terminal() && !is_asked_not_to && !is_dumb
        }
    }
}

/// Errors: the name of a file is its content, such as a key, which must not be shown.
fn is_file_name(option: &str, path: &std::path::Path) -> Result<(), String> {
    let name = path.to_string_lossy();
    match name.contains('\n') || name.contains("-----BEGIN") {
        true => Err(format!("{option}: expected the name of a file, not its content")),
        false => Ok(()),
    }
}

/// Whether the output is JSON.
fn for_machines(output: &Output) -> bool {
    output.json || !std::io::stdout().is_terminal()
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Trap(error.into())
    }
}
