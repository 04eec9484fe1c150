//! The project's own scenarios, `tests/scenarios/*.txtar`, on simulated hosts, each archive a test: the same that
//! `mclive test tests/scenarios` plays through the sandbox, and `mclive test --real` on a real host.
//! `cargo test -p mclive-scenario --test scenarios purge` plays those with that word in their names.

use mclive_base::archive::Archive;
use mclive_base::shapes::scenario::Covered;
use mclive_cases::{Case, below, run};
use mclive_scenario::{Program, test};
use std::path::Path;
use std::process::ExitCode;

/// Their programs, or later graphs of them, never come to be.
const REFUSED: [&str; 4] = ["a-bad-static-resource", "a-duplicate-later", "a-type-error", "panic-at-the-start"];

/// Models are played where their language is known: `compiler/tests/scenarios.rs`.
fn is_model(case: &Case) -> bool {
    Archive::parse(&case.bytes()).get("main.cf").is_some()
}

/// Each scenario of the archive passes, and every statement of the program is seen at work in one of them.
fn play(case: &Case) -> Result<(), String> {
    let archive = Archive::parse(&case.bytes());
    let (scenarios, files): (Vec<_>, Vec<_>) =
        archive.files.into_iter().partition(|(name, _)| name.ends_with(".scenario"));
    if scenarios.is_empty() {
        return Err("it has no scenario".into());
    }
    let files = files.into_iter().map(|(name, content)| (format!("/{name}"), content)).collect();
    let program = Program::mcl(files);
    let mut unseen: Option<Vec<Covered>> = None;
    for (name, text) in scenarios {
        let tested = test(&name, &program, std::str::from_utf8(&text).map_err(|error| format!("{name}: {error}"))?);
        if tested.failed() {
            return Err(format!("{name}: {:?} {:#?}", tested.faults, tested.failure));
        }
        let these: Vec<_> = tested.covered.into_iter().filter(|place| !place.seen).collect();
        unseen = Some(match unseen {
            None => these,
            Some(before) => these.into_iter().filter(|place| before.contains(place)).collect(),
        });
    }
    let unseen = unseen.unwrap_or_default();
    let is_seen = unseen.is_empty() || REFUSED.contains(&case.stem());
    if is_seen { Ok(()) } else { Err(format!("nobody saw {unseen:?}")) }
}

fn main() -> ExitCode {
    let cases = below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/scenarios"), "txtar");
    run(cases.into_iter().filter(|case| !is_model(case)).map(|case| case.trial(play)).collect())
}
