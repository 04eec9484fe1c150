//! Scenarios of models: the archives of `tests/scenarios` with a `main.cf`, each a test, as `mclive test` plays them.

use mclive_base::archive::Archive;
use mclive_cases::{Case, below, plain, run};
use mclive_compiler::language::TESTABLE;
use mclive_scenario::{Program, test};
use std::path::Path;
use std::process::ExitCode;

fn is_model(case: &Case) -> bool {
    Archive::parse(&case.bytes()).get("main.cf").is_some()
}

fn play(case: &Case) -> Result<(), String> {
    let archive = Archive::parse(&case.bytes());
    let (scenarios, files): (Vec<_>, Vec<_>) =
        archive.files.into_iter().partition(|(name, _)| name.ends_with(".scenario"));
    let files = files.into_iter().map(|(name, content)| (format!("/{name}"), content)).collect();
    let program = Program { files, languages: &TESTABLE };
    if scenarios.is_empty() {
        return Err("it has no scenario".into());
    }
    for (name, text) in scenarios {
        let tested = test(&name, &program, std::str::from_utf8(&text).map_err(|error| format!("{name}: {error}"))?);
        if !tested.passed() {
            return Err(format!("{name}: {:?} {:#?}", tested.faults, tested.failure));
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let cases = below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenarios"), "txtar");
    let mut trials: Vec<_> = cases.into_iter().filter(is_model).map(|case| case.trial(play)).collect();
    assert!(!trials.is_empty(), "there are scenarios of models");
    trials.extend(plain![
        coverage_of_a_model_is_its_constructors,
        coverage_of_a_model_includes_its_partial_exports,
        a_model_that_fails_says_why,
    ]);
    run(trials)
}

fn program(text: &str) -> Program {
    Program { files: vec![("/main.cf".into(), text.into())], languages: &TESTABLE }
}

const MODEL: &str = "import fs
host = std::Host(name=\"host1\", os=std::linux, ip=\"10.0.0.1\")
if std::get_env(\"ROLE\") == \"web\":
    fs::File(host=host, path=\"/srv/web\", content=\"web\", mode=644)
else:
    fs::File(host=host, path=\"/srv/other\", content=\"other\", mode=644)
end
";

fn coverage_of_a_model_is_its_constructors() {
    let tested = test("one", &program(MODEL), "environment ROLE web\nrun\nexpect file /srv/web holds \"web\"\n");
    assert!(tested.passed(), "{tested:#?}");
    let seen: Vec<_> = tested.covered.iter().map(|place| (place.line, &*place.what, place.seen)).collect();
    assert_eq!(seen, [(2, "std::Host", true), (4, "fs::File", true), (6, "fs::File", false)]);
    assert!(tested.covered.iter().all(|place| place.file == "/main.cf"));
}

/// What a partial export replaces is not what the host has, so no scenario covers it.
fn coverage_of_a_model_includes_its_partial_exports() {
    let whole = "import fs
host = std::Host(name=\"host1\", os=std::linux)
one = fs::File(host=host, path=\"/srv/one\", content=\"1\")
std::ResourceSet(name=\"one\", resources=[one])
";
    let rest = "if 1 > 2:\n    fs::File(host=host, path=\"/srv/no\", content=\"\")\nend\n";
    let part = whole.replace("content=\"1\"", "content=\"2\"") + rest;
    let list = "{\"parts\": [{\"main\": \"1/main.cf\"}]}";
    let files = [("/main.cf", whole), ("/partial/1/main.cf", &*part), ("/partial/parts.json", list)];
    let files = files.into_iter().map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).collect();
    let program = Program { files, languages: &TESTABLE };
    let tested = test("one", &program, "run\nexpect file /srv/one holds \"2\"\n");
    assert!(tested.passed(), "{tested:#?}");
    let seen: Vec<_> =
        tested.covered.iter().map(|place| (&*place.file, place.line, &*place.what, place.seen)).collect();
    let expected = [
        ("/main.cf", 2, "std::Host", true),
        ("/main.cf", 3, "fs::File", false),
        ("/main.cf", 4, "std::ResourceSet", false),
        ("/partial/1/main.cf", 2, "std::Host", true),
        ("/partial/1/main.cf", 3, "fs::File", true),
        ("/partial/1/main.cf", 4, "std::ResourceSet", true),
        ("/partial/1/main.cf", 6, "fs::File", false),
    ];
    assert_eq!(seen, expected);
}

fn a_model_that_fails_says_why() {
    let failure = |model: &str, scenario: &str| {
        let tested = test("one", &program(model), scenario);
        tested.failure.unwrap_or_else(|| panic!("{:?}", tested.faults)).why
    };
    let why = failure(MODEL, "run\nexpect file /srv/web");
    assert_eq!(why, "/srv/web does not exist");
    let why = failure(MODEL, "run\nexpect value $host is 1");
    assert!(why.contains("does not run an MCL program"), "{why}");
    let why = failure("x = y\n", "run\nexpect no error");
    assert!(why.contains('y'), "{why}");
    let wrong = test("one", &program("x = y\n"), "run\nexpect error\nexpect ended with failure\n");
    assert!(wrong.passed(), "{wrong:#?}");
}
