//! Scenarios of models: the archives of `tests/scenarios` with a `main.cf`, as `mclive test` plays them.

#![allow(clippy::disallowed_methods, reason = "a test reads its cases")]

use mclive_base::archive::Archive;
use mclive_compiler::language::TESTABLE;
use mclive_scenario::{Program, test};
use std::path::Path;

fn program(text: &str) -> Program {
    Program { files: vec![("/main.cf".into(), text.into())], languages: &TESTABLE }
}

#[test]
fn scenarios_of_models_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenarios");
    let mut n_played = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder of scenarios") {
        let path = entry.expect("an entry").path();
        let archive = Archive::parse(&std::fs::read(&path).expect("an archive"));
        if !archive.files.iter().any(|(name, _)| name == "main.cf") {
            continue;
        }
        let (scenarios, files): (Vec<_>, Vec<_>) =
            archive.files.into_iter().partition(|(name, _)| name.ends_with(".scenario"));
        let files = files.into_iter().map(|(name, content)| (format!("/{name}"), content)).collect();
        let program = Program { files, languages: &TESTABLE };
        for (name, text) in scenarios {
            let tested = test(&name, &program, std::str::from_utf8(&text).expect("UTF-8"));
            assert!(tested.passed(), "{} {name}: {:?} {:#?}", path.display(), tested.faults, tested.failure);
            n_played += 1;
        }
    }
    assert!(n_played >= 2, "{n_played}");
}

const MODEL: &str = "import fs
host = std::Host(name=\"host1\", os=std::linux, ip=\"10.0.0.1\")
if std::get_env(\"ROLE\") == \"web\":
    fs::File(host=host, path=\"/srv/web\", content=\"web\", mode=644)
else:
    fs::File(host=host, path=\"/srv/other\", content=\"other\", mode=644)
end
";

#[test]
fn coverage_of_a_model_is_its_constructors() {
    let tested = test("one", &program(MODEL), "environment ROLE web\nrun\nexpect file /srv/web holds \"web\"\n");
    assert!(tested.passed(), "{tested:#?}");
    let seen: Vec<_> = tested.covered.iter().map(|place| (place.line, &*place.what, place.seen)).collect();
    assert_eq!(seen, [(2, "std::Host", true), (4, "fs::File", true), (6, "fs::File", false)]);
    assert!(tested.covered.iter().all(|place| place.file == "/main.cf"));
}

#[test]
fn a_model_that_fails_says_why() {
    let failure = |model: &str, scenario: &str| {
        let tested = test("one", &program(model), scenario);
        tested.failure.unwrap_or_else(|| panic!("{:?}", tested.faults)).why
    };
    let why = failure(MODEL, "run\nexpect file /srv/web");
    assert_eq!(why, "/srv/web is not there");
    let why = failure(MODEL, "run\nexpect value $host is 1");
    assert!(why.contains("a model has none"), "{why}");
    let why = failure("x = y\n", "run\nexpect no error");
    assert!(why.contains('y'), "{why}");
    let wrong = test("one", &program("x = y\n"), "run\nexpect error\nexpect ended with failure\n");
    assert!(wrong.passed(), "{wrong:#?}");
}
