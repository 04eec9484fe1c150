//! The project's own scenarios, `tests/scenarios/*.txtar`, on simulated hosts: the same that `mclive test tests/scenarios`
//! plays through the sandbox, and `mclive test --real` on a real host.

#![allow(clippy::disallowed_methods, reason = "a test reads its cases")]

use mclive_base::archive::Archive;
use mclive_base::shapes::scenario::Covered;
use mclive_scenario::{Program, test};
use std::path::Path;

/// Their programs, or later graphs of them, never come to be.
const REFUSED: [&str; 4] = ["a-bad-static-resource", "a-duplicate-later", "a-type-error", "panic-at-the-start"];

#[test]
fn all_pass_and_every_statement_is_seen() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/scenarios");
    let entries = std::fs::read_dir(&folder).expect("the folder of scenarios");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(files.len() >= 170, "{} archives", files.len());
    let mut failures = Vec::new();
    for file in files {
        let archive = Archive::parse(&std::fs::read(&file).expect("an archive"));
        let (scenarios, files): (Vec<_>, Vec<_>) =
            archive.files.into_iter().partition(|(name, _)| name.ends_with(".scenario"));
        assert!(!scenarios.is_empty(), "{} has no scenario", file.display());
        // Models are played where their language is known: `compiler/tests/scenarios.rs`.
        if files.iter().any(|(name, _)| name == "main.cf") {
            continue;
        }
        let files = files.into_iter().map(|(name, content)| (format!("/{name}"), content)).collect();
        let program = Program::mcl(files);
        let mut unseen: Option<Vec<Covered>> = None;
        for (name, text) in scenarios {
            let tested = test(&name, &program, std::str::from_utf8(&text).expect("UTF-8"));
            if tested.failed() {
                let (faults, failure) = (&tested.faults, &tested.failure);
                failures.push(format!("{}/{name}: {faults:?} {failure:#?}", file.display()));
            }
            let these: Vec<_> = tested.covered.into_iter().filter(|place| !place.seen).collect();
            unseen = Some(match unseen {
                None => these,
                Some(before) => these.into_iter().filter(|place| before.contains(place)).collect(),
            });
        }
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        if !REFUSED.contains(&&*name) && unseen.as_ref().is_some_and(|unseen| !unseen.is_empty()) {
            failures.push(format!("{}: nobody saw {unseen:?}", file.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
