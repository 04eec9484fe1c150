//! `guard snapshot FILE` records the state of this machine, `guard compare FILE` reports what has changed since. Ended
//! processes take a moment to disappear: a difference counts if it persists for ten seconds, or the number of seconds
//! given after FILE. `guard snapshot FILE without processes` skips a kind of state that the caller checks itself.
//!
//! The exit status is 0 without changes, 1 with changes (each on a line of standard output), and 2 if the state could
//! not be read.

use mclive_kit::guard::{Snapshot, compare};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let looked = match words[..] {
        ["snapshot", file] => Snapshot::take().and_then(|now| now.write(Path::new(file))).map(|()| Vec::new()),
        ["snapshot", file, "without", sort] => {
            Snapshot::take().and_then(|now| now.without(sort)?.write(Path::new(file))).map(|()| Vec::new())
        }
        ["compare", file] => compared(file, "10"),
        ["compare", file, seconds] => compared(file, seconds),
        _ => {
            Err("usage: guard snapshot FILE [without SORT] before a test run, guard compare FILE [SECONDS] after it"
                .into())
        }
    };
    match looked {
        Ok(differences) if differences.is_empty() => ExitCode::SUCCESS,
        Ok(differences) => {
            println!("the run changed this machine:");
            differences.iter().for_each(|line| println!("  {line}"));
            ExitCode::from(1)
        }
        Err(why) => {
            eprintln!("guard: {why}");
            ExitCode::from(2)
        }
    }
}

fn compared(file: &str, seconds: &str) -> Result<Vec<String>, String> {
    let patience = seconds.parse().map_err(|_| format!("{seconds} is not a number of seconds"))?;
    compare(&Snapshot::read(Path::new(file))?, Duration::from_secs(patience))
}
