//! `gate`: the checks that a change must pass. It builds everything once, runs every suite regardless of earlier
//! failures, kills and names hanging tests, and reports all failures at the end, each with its own output.
//!
//! ```text
//! suites (the list) > build (cargo, once) > lanes > harness, command (one suite each) > report
//! ```
//!
//! It knows only the commands of the project's suites, so it is built in seconds.

mod browser;
mod build;
mod command;
mod harness;
mod lanes;
mod left;
mod report;
mod stage;
mod suites;
mod within;

use std::process::ExitCode;

const USAGE: &str = "\
usage: gate test [WORD...]     build everything and run all tests
       gate ready [WORD...]    also check formatting, lints, documentation and licences
       gate list               list the suites
       gate program PATH...    run test programs that are already built

With words, run the suites whose names contain one of them. Variables: MCLIVE_SILENCE: seconds without a finished
test after which a suite is considered hanging (600; builds: four times as long); MCLIVE_NOT_ALONE=1: do not compare
the state of this machine before and after the run, because others use it too; MCLIVE_LANES: number of suites to run in
parallel (2).";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (first, words) = args.split_first().map_or(("", &[][..]), |(first, words)| (first.as_str(), words));
    if first == "list" {
        suites::ALL.iter().for_each(|suite| println!("{:<10} {}", suite.name, suite.what));
        return ExitCode::SUCCESS;
    }
    if let (within::NAME, [gate, file, nice, argv @ ..]) = (first, words) {
        return within::play(gate, file.as_ref(), nice, argv);
    }
    let stage = match stage::Stage::new() {
        Ok(stage) => stage,
        Err(why) => {
            eprintln!("gate: {why}");
            return ExitCode::from(2);
        }
    };
    match first {
        "test" => suites::run_all(&stage, suites::Scope::Test, words),
        "ready" => suites::run_all(&stage, suites::Scope::Ready, words),
        "program" => suites::run_programs(&stage, words),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
