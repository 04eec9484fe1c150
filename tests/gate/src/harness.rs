//! A program with Rust's test harness, or a compatible one: its lines are read as they come. A test that hangs or ends
//! the whole program is killed and named, and the others are still run.

use crate::build::Tests;
use crate::command::{End, Run, run};
use crate::report::{Failure, Outcome};
use crate::stage::Stage;
use std::collections::BTreeMap;

/// The maximum number of tests that hang or end the program; after that the rest is not run.
const MOST_CULPRITS: usize = 8;

/// The reports of a run about its tests.
#[derive(Default)]
struct Told {
    /// Each finished test: whether it passed.
    ended: BTreeMap<String, bool>,
    /// The output of each failed test.
    outputs: BTreeMap<String, String>,
    /// The last started test, if it has not finished. Known only if one runs at a time.
    begun: Option<String>,
    /// Tests reported as slow that have not finished.
    long: Vec<String>,
    is_whole: bool,
}

/// Runs all tests of a program.
pub(crate) fn play(stage: &Stage, tests: &Tests) -> Outcome {
    let mut ended: BTreeMap<String, bool> = BTreeMap::new();
    let mut outcome = Outcome::default();
    let (mut culprits, mut one_at_a_time) = (0, false);
    loop {
        let Run { end, said, left } = run(stage, &tests.name, &tests.dir, &call(tests, &ended, one_at_a_time));
        let mut told = Told::read(&said);
        let is_whole = told.is_whole && !matches!(end, End::Silent(_));
        if !is_whole {
            // The output of a failed test comes at the end, so it is run again.
            told.ended.retain(|_, passed| *passed);
        }
        for (name, passed) in &told.ended {
            if !passed {
                let output = told.outputs.remove(name).unwrap_or_default();
                outcome.failures.push(Failure { name: name.clone(), output });
            }
        }
        ended.append(&mut told.ended);
        outcome.leaves(&left);
        if is_whole {
            if end != End::Good && ended.values().all(|passed| *passed) {
                outcome.failures.push(Failure { name: "the program".into(), output: end.words() });
            }
            break;
        }
        // A test hung, or ended the program. If it is unknown which, the rest is run one by one. With parallel tests
        // the last line may be mixed with another one.
        let begun = told.begun.filter(|_| one_at_a_time);
        let unended = begun.into_iter().chain(if matches!(end, End::Silent(_)) { told.long } else { Vec::new() });
        let names: Vec<String> = unended.filter(|name| !ended.contains_key(name)).collect();
        if names.is_empty() && one_at_a_time {
            outcome.failures.push(Failure { name: "the program".into(), output: format!("{}\n{said}", end.words()) });
            break;
        }
        one_at_a_time = names.is_empty();
        culprits += names.len();
        for name in names {
            outcome.failures.push(Failure { name: name.clone(), output: format!("{}\n{}", end.words(), last(&said)) });
            ended.insert(name, false);
        }
        if culprits >= MOST_CULPRITS {
            let output = format!("{culprits} tests hung or terminated it; the remaining tests were not run");
            outcome.failures.push(Failure { name: "the program".into(), output });
            break;
        }
    }
    outcome.n_passed = ended.values().filter(|passed| **passed).count();
    outcome
}

/// Calls the program for the tests that have not finished.
fn call(tests: &Tests, ended: &BTreeMap<String, bool>, one_at_a_time: bool) -> Vec<String> {
    let mut argv = vec![tests.program.display().to_string()];
    if !ended.is_empty() {
        argv.push("--exact".into());
        argv.extend(ended.keys().flat_map(|name| ["--skip".to_owned(), name.clone()]));
    }
    if one_at_a_time {
        argv.push("--test-threads=1".into());
    }
    argv
}

fn last(said: &str) -> String {
    let lines: Vec<&str> = said.lines().collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}

impl Told {
    fn read(said: &str) -> Told {
        let mut told = Told::default();
        // The outputs of failed tests are between two lines `failures:`.
        let (mut is_in_outputs, mut output_of) = (false, None);
        for line in said.lines() {
            if line == "failures:" {
                (is_in_outputs, output_of) = (!is_in_outputs, None);
            } else if line.starts_with("test result: ") {
                (told.is_whole, is_in_outputs) = (true, false);
            } else if is_in_outputs {
                if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" ----")) {
                    output_of = Some(name.trim_end_matches(" stdout").to_owned());
                } else if let Some(name) = &output_of {
                    let output: &mut String = told.outputs.entry(name.clone()).or_default();
                    output.push_str(line);
                    output.push('\n');
                }
            } else if let Some(rest) = line.strip_prefix("test ") {
                told.line(rest);
            }
        }
        told
    }

    /// `NAME ... ok`, `NAME ... FAILED`, `NAME has been running for over 60 seconds`, or `NAME ... ` without an end.
    fn line(&mut self, rest: &str) {
        if let Some((name, _)) = rest.split_once(" has been running for over ") {
            self.long.push(name.to_owned());
            return;
        }
        let Some((name, verdict)) = rest.rsplit_once(" ... ").or(rest.strip_suffix(" ...").map(|name| (name, "")))
        else {
            return;
        };
        let name = name.trim_end().trim_end_matches(" - should panic").to_owned();
        let passed = match verdict {
            "ok" => true,
            "ignored" => true,
            _ if verdict.starts_with("FAILED") => false,
            _ => {
                self.begun = Some(name);
                return;
            }
        };
        self.begun = self.begun.take().filter(|begun| *begun != name);
        self.long.retain(|long| *long != name);
        self.ended.insert(name, passed);
    }
}
