//! The tests of the page, with Node.js' own runner: its report of each test goes to a file, one line of JSON each.

use crate::command::{End, run};
use crate::report::{Failure, Outcome};
use crate::stage::Stage;
use serde_json::Value;

pub(crate) fn play(stage: &Stage) -> Outcome {
    let folder = stage.root.join("tests/browser");
    let told = stage.logs.join("browser.jsonl");
    let mut files: Vec<String> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().display().to_string())
        .filter(|path| path.ends_with(".test.mjs"))
        .collect();
    files.sort();
    let reporter = folder.join("reporter.mjs").display().to_string();
    let told_to = format!("--test-reporter-destination={}", told.display());
    let mut argv: Vec<String> = ["node", "--test", "--test-concurrency=2"].map(str::to_owned).into();
    argv.extend(["--test-reporter=spec".into(), "--test-reporter-destination=stdout".into()]);
    argv.extend([format!("--test-reporter={reporter}"), told_to]);
    argv.extend(files);
    let ran = run(stage, "browser", &stage.root.join("www"), &argv);
    let mut outcome = Outcome::default();
    for line in std::fs::read_to_string(&told).unwrap_or_default().lines() {
        let Ok(test) = serde_json::from_str::<Value>(line) else { continue };
        if test["passed"] == true {
            outcome.n_passed += 1;
        } else {
            let name = format!("{} ({})", test["name"].as_str().unwrap_or("?"), test["file"].as_str().unwrap_or("?"));
            outcome.failures.push(Failure { name, output: test["why"].as_str().unwrap_or_default().to_owned() });
        }
    }
    // A hang or a crash is its own failure: the tests that come after it were not run.
    let is_told = match ran.end {
        End::Good => outcome.n_passed > 0 || !outcome.failures.is_empty(),
        End::Code(_) => !outcome.failures.is_empty(),
        End::Signal(_) | End::Silent(_) => false,
    };
    if !is_told {
        outcome.add(Outcome::failed("the runner", format!("{}\n{}", ran.end.words(), ran.said)));
    }
    outcome.leaves(&ran.left);
    outcome
}
