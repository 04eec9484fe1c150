//! The list of suites. Each is run regardless of the others; only those that need a failed build are skipped, and count
//! as failed.

use crate::build::{Tests, build, cargo};
use crate::command::{End, run, run_for};
use crate::harness;
use crate::lanes::{self, After, Job};
use crate::report::{Outcome, Report};
use crate::stage::{FEATURES, Stage};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The requested scope.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    Test,
    Ready,
}

/// One command that passes or fails as a whole, or that reports its tests itself.
pub(crate) struct Suite {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    scope: Scope,
    after: After,
    /// Returns `None` if its subject is not available on this machine.
    play: fn(&Stage) -> Option<Outcome>,
}

/// All except the programs with tests, which `rust` stands for.
pub(crate) static ALL: &[Suite] = &[
    Suite { name: "format", what: "all code is formatted", scope: Scope::Ready, after: After::Nothing, play: format },
    Suite { name: "site", what: "build the page into www/dist", scope: Scope::Test, after: After::Nothing, play: site },
    Suite {
        name: "browser",
        what: "test the page in a real browser",
        scope: Scope::Test,
        after: After::Suite("site"),
        play: browser,
    },
    Suite {
        name: RUST,
        what: "unit, snapshot and property tests, the agent, real machines",
        scope: Scope::Test,
        after: After::Nothing,
        play: |_| None,
    },
    Suite {
        name: "clippy",
        what: "lints, including those that keep the core pure",
        scope: Scope::Ready,
        after: After::Nothing,
        play: clippy,
    },
    Suite {
        name: "docs",
        what: "the Rust documentation has no broken links",
        scope: Scope::Ready,
        // Cargo lets one of these build at a time; the other one would only wait, in a lane that others can use.
        after: After::Suite("clippy"),
        play: docs,
    },
    Suite {
        name: "examples",
        what: "the examples in the documentation run",
        scope: Scope::Test,
        after: After::Suite("docs"),
        play: examples,
    },
    Suite {
        name: "licences",
        what: "the licences of all dependencies are allowed",
        scope: Scope::Ready,
        after: After::Nothing,
        play: licences,
    },
    Suite {
        name: "guard",
        what: "the run did not change this machine",
        scope: Scope::Test,
        after: After::All,
        play: guard,
    },
];

const RUST: &str = "rust";

/// Runs the suites of a scope, or those whose names contain one of these words.
pub(crate) fn run_all(stage: &Stage, scope: Scope, words: &[String]) -> ExitCode {
    let began = Instant::now();
    let report = Mutex::new(Report::default());
    let is_wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let mut tests = Vec::new();
    let make = || match build(stage) {
        Ok(built) => {
            tests = built;
            Some(Outcome::passed(1))
        }
        Err(why) => Some(Outcome::failed("everything compiles", why)),
    };
    lanes::play(stage, &report, vec![Job { name: "build", after: After::Nothing, play: Box::new(make) }]);
    if is_wanted("guard") && is_alone() {
        // If it cannot be recorded it is missing at the end, which is reported then. Leftover processes are reported
        // with their suite (`left.rs`): other new ones belong to the operator of this machine.
        let argv = built(stage, "guard", &["snapshot", &snapshot(stage), "without", "processes"]);
        let _ = run(stage, "guard", &stage.root, &argv);
    }
    let mut jobs: Vec<Job> = Vec::new();
    for suite in ALL.iter().filter(|suite| suite.scope <= scope) {
        if suite.name == RUST {
            let wanted = tests.iter().filter(|it| is_wanted(RUST) || is_wanted(&it.name));
            jobs.extend(wanted.map(|it| program(stage, it)));
        } else if is_wanted(suite.name) {
            jobs.push(Job { name: suite.name, after: suite.after, play: Box::new(|| (suite.play)(stage)) });
        }
    }
    lanes::play(stage, &report, jobs);
    end(stage, report, began)
}

/// Runs programs with tests that are already built.
pub(crate) fn run_programs(stage: &Stage, programs: &[String]) -> ExitCode {
    let began = Instant::now();
    let report = Mutex::new(Report::default());
    let tests = |program: &String| {
        let path = Path::new(program);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Tests { name, program: path.to_owned(), dir: stage.root.clone() }
    };
    let tests: Vec<Tests> = programs.iter().map(tests).collect();
    lanes::play(stage, &report, tests.iter().map(|tests| program(stage, tests)).collect());
    end(stage, report, began)
}

fn program<'a>(stage: &'a Stage, tests: &'a Tests) -> Job<'a> {
    Job { name: &tests.name, after: After::Nothing, play: Box::new(|| Some(harness::play(stage, tests))) }
}

fn end(stage: &Stage, report: Mutex<Report>, began: Instant) -> ExitCode {
    let report = report.into_inner().unwrap_or_else(PoisonError::into_inner);
    if report.end(began.elapsed(), &stage.left_out()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A command that passes if it exits successfully.
fn whole(stage: &Stage, suite: &str, dir: &Path, argv: &[String], variables: &[(&str, String)]) -> Outcome {
    let ran = run_for(stage, suite, dir, argv, variables, stage.silence_of_builds());
    let mut outcome = match ran.end {
        End::Good => Outcome::passed(1),
        end => Outcome::failed(suite, format!("`{}` {}\n{}", argv.join(" "), end.words(), ran.said)),
    };
    outcome.leaves(&ran.left);
    outcome
}

/// The same for several, until one fails.
fn all(stage: &Stage, suite: &str, calls: &[Vec<String>]) -> Outcome {
    let mut outcome = Outcome::default();
    for argv in calls {
        outcome.add(whole(stage, suite, &stage.root, argv, &[]));
        if !outcome.failures.is_empty() {
            break;
        }
    }
    outcome
}

/// A program of the workspace with its arguments.
fn built(stage: &Stage, name: &str, args: &[&str]) -> Vec<String> {
    let program = stage.built(name).display().to_string();
    std::iter::once(program).chain(args.iter().map(|arg| (*arg).to_owned())).collect()
}

fn format(stage: &Stage) -> Option<Outcome> {
    let precompile = ["fmt", "--manifest-path", "host-agent/precompile/Cargo.toml", "--check"];
    Some(all(stage, "format", &[cargo(&["fmt", "--all", "--check"]), cargo(&precompile)]))
}

/// The page, and the compiler that its tests compare with: a build takes longer than a test may.
fn site(stage: &Stage) -> Option<Outcome> {
    let face = stage.target.join("www/face").display().to_string();
    let mut outcome = Outcome::default();
    for call in [&["build"][..], &["face", &face]] {
        outcome.add(whole(stage, "site", &stage.root.join("www"), &built(stage, "mclive-www", call), &[]));
        if !outcome.failures.is_empty() {
            break;
        }
    }
    Some(outcome)
}

fn examples(stage: &Stage) -> Option<Outcome> {
    let argv = cargo(&["test", "--quiet", "--doc", "--workspace", "--features", FEATURES]);
    Some(whole(stage, "examples", &stage.root, &argv, &[]))
}

fn browser(stage: &Stage) -> Option<Outcome> {
    Some(crate::browser::play(stage))
}

/// The file with the state of the machine before the suites.
fn snapshot(stage: &Stage) -> String {
    stage.logs.join("guard.json").display().to_string()
}

/// On a shared machine, changes by others cannot be told from those of the suites.
fn is_alone() -> bool {
    std::env::var_os("MCLIVE_NOT_ALONE").is_none()
}

fn guard(stage: &Stage) -> Option<Outcome> {
    if !is_alone() {
        return None;
    }
    Some(whole(stage, "guard", &stage.root, &built(stage, "guard", &["compare", &snapshot(stage)]), &[]))
}

fn clippy(stage: &Stage) -> Option<Outcome> {
    let argv = [
        "clippy",
        "--workspace",
        "--features",
        FEATURES,
        "--all-targets",
        "--quiet",
        "--keep-going",
        "--",
        "-D",
        "warnings",
    ];
    Some(whole(stage, "clippy", &stage.root, &cargo(&argv), &[]))
}

fn docs(stage: &Stage) -> Option<Outcome> {
    let argv = cargo(&[
        "doc",
        "--workspace",
        "--features",
        FEATURES,
        "--no-deps",
        "--document-private-items",
        "--quiet",
        "--keep-going",
    ]);
    let flags = "-D warnings -A rustdoc::private_intra_doc_links".to_owned();
    Some(whole(stage, "docs", &stage.root, &argv, &[("RUSTDOCFLAGS", flags)]))
}

fn licences(stage: &Stage) -> Option<Outcome> {
    Some(whole(stage, "licences", &stage.root, &built(stage, "licences", &[]), &[]))
}
