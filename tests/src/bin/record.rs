//! `record PROGRAM SECONDS`: runs a program on a simulated host for that long and writes the run to standard output, as
//! `mclive run --record` does on a real one. The browser tests open such a run in the page.

use mclive_compiler::brain::Brain;
use mclive_compiler::protocol::trace::{Header, Trace};
use mclive_compiler::protocol::{Deploy, Input, Options};
use mclive_compiler::sim::{Sim, SimHost};
use std::io::Write;
use std::process::ExitCode;

const HOSTNAME: &str = "recorded1";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.as_slice() {
        [path, seconds] => {
            seconds.parse().map_err(|_| format!("`{seconds}` is not a number")).and_then(|s| record(path, s))
        }
        _ => Err("usage: record PROGRAM SECONDS".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn record(path: &str, seconds: u64) -> Result<(), String> {
    let program = std::fs::read(path).map_err(|error| format!("cannot read {path}: {error}"))?;
    let mut sim = Sim::new(Brain::new(), SimHost::new(HOSTNAME));
    sim.record();
    let files = vec![("/main.mcl".to_owned(), program)];
    let options = Options { hostname: HOSTNAME.into(), ..Options::default() };
    sim.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options }));
    sim.advance(sim.now().plus_ms(seconds * 1000), usize::MAX);
    let (inputs, _) = sim.take_trace();
    let bytes = Trace { header: Header::new(HOSTNAME), inputs, n_lost: 0 }.to_bytes();
    std::io::stdout().write_all(&bytes).map_err(|error| error.to_string())
}
