//! `guard snapshot FILE` writes down how this machine is, `guard compare FILE` says what has changed since. What was ended
//! takes a moment to be gone: a difference counts once it has stayed for ten seconds, or as many as stand behind FILE. A sort
//! of state that the caller looks after itself is left out with `guard snapshot FILE without processes`.
//!
//! It ends with 0 if nothing has, with 1 if something has (each on a line of standard output), and with 2 if it could not
//! look.

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
