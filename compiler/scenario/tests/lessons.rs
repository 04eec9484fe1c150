//! The lessons of the page, each a test: every good program passes, and every near miss fails with the hint that it names.
//! `cargo test -p mclive-scenario --test lessons a-file` looks at one.

#![allow(clippy::disallowed_methods, reason = "a test reads its cases")]

use mclive_base::source::MemoryWorld;
use mclive_cases::{Case, plain, run, trials};
use mclive_engine::compile::{self, Setup};
use mclive_scenario::lesson::Lesson;
use mclive_syntax::fmt::format;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of lessons");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../playground/lessons")
}

fn chapters() -> Vec<PathBuf> {
    listed(&folder()).into_iter().filter(|path| path.is_dir()).collect()
}

/// The folder is its own index: numbers in a row, and a page with a title for each chapter.
fn each_chapter_has_a_title_and_lessons_in_a_row() {
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    for (number, chapter) in (1..).zip(chapters()) {
        assert!(name(&chapter).starts_with(&format!("{number}-")), "{} is not number {number}", chapter.display());
        let page = std::fs::read_to_string(chapter.join("chapter.md")).expect("a chapter.md");
        let (title, text) = page.split_once('\n').unwrap_or((&page, ""));
        assert!(title.strip_prefix("# ").is_some_and(|title| !title.is_empty()), "{}: no title", chapter.display());
        let n_sentences = text.trim().split_inclusive(['.', '?', '!']).count();
        assert!((1..=3).contains(&n_sentences) && !text.trim().is_empty(), "{}: {text:?}", chapter.display());
        let lessons = listed(&chapter).into_iter().filter(|path| path.extension().is_some_and(|end| end == "txtar"));
        for (number, lesson) in (1..).zip(lessons) {
            let begins = format!("{number:02}-");
            assert!(name(&lesson).starts_with(&begins), "{} does not begin with {begins}", lesson.display());
        }
    }
}

/// Whether a check sees more than one world: once the program runs, something changes around it, or it runs again in
/// another way.
fn sees_two_worlds(check: &str) -> bool {
    let step = |line: &str| {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        (if first == "on" { words.nth(1).unwrap_or_default() } else { first }).to_owned()
    };
    let quiet = ["", "#", "run", "expect", "hint", "wait", "kill", "stop"];
    let mut steps = check.lines().map(step).skip_while(|step| step != "run");
    let runs: BTreeSet<&str> = check.lines().filter(|line| step(line) == "run").collect();
    steps.any(|step| !quiet.contains(&&*step)) || runs.len() > 1
}

/// What is wrong with a lesson, a line each.
fn faults(lesson: &Lesson) -> Vec<String> {
    let mut faults = Vec::new();
    let mut check = |holds: bool, what: String| {
        if !holds {
            faults.push(what);
        }
    };
    let last = lesson.text.rsplit("\n\n").next().unwrap_or_default();
    check(last.starts_with("**Task.**"), "its last paragraph is not the task".into());
    check(lesson.text.len() < 2_400, format!("its text is {} bytes long, more than a screen", lesson.text.len()));
    check(lesson.good.len() >= 4, format!("{} programs that do it; four or more are needed", lesson.good.len()));
    check(lesson.misses.len() >= 6, format!("{} near misses; six or more are needed", lesson.misses.len()));
    check(sees_two_worlds(&lesson.check), "after the first `run`, its check changes nothing".into());
    for (what, program) in [("main.mcl", Some(&lesson.start)), ("the solution", lesson.good.first())] {
        let Some(program) = program else { continue };
        // A lesson may begin with a mistake of syntax.
        let formatted = format(program.as_bytes());
        check(formatted.is_err() || formatted == Ok(program.clone().into()), format!("{what} is not formatted"));
    }
    if let Some(solution) = lesson.good.first() {
        let files = lesson.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
        let world = MemoryWorld::of(files.chain([("/main.mcl", solution.as_bytes())]));
        let compiled = compile::check(&world, "/main.mcl", Setup { hostname: "host1" });
        let told: Vec<String> = compiled.diags.iter().map(|diag| format!("{}: {}", diag.code, diag.message)).collect();
        check(told.is_empty(), format!("the solution: {}", told.join("; ")));
    }
    let start = lesson.test(&lesson.start);
    check(start.faults.is_empty(), format!("check.scenario: {:?}", start.faults));
    check(start.failure.is_some(), "the task is done at the start".into());
    check(start.failure.is_none_or(|failure| !failure.hint.is_empty()), "who starts gets no hint".into());
    for program in &lesson.good {
        if let Some(failure) = lesson.test(program).failure {
            check(
                false,
                format!(
                    "a good program fails at `{}`: {}\n{program}\n{}",
                    failure.step,
                    failure.why,
                    failure.log.join("\n")
                ),
            );
        }
    }
    for (hint, program) in &lesson.misses {
        match lesson.test(program).failure {
            None => check(false, format!("a near miss passes:\n{program}")),
            Some(failure) => check(
                failure.hint.contains(hint),
                format!(
                    "not the hint `{hint}` but `{}` (at `{}`: {}) for\n{program}",
                    failure.hint, failure.step, failure.why
                ),
            ),
        }
    }
    faults
}

fn checks_by_meaning(case: &Case) -> Result<(), String> {
    let faults = faults(&Lesson::read(&case.bytes())?);
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

fn main() -> ExitCode {
    let mut all = trials(&folder(), "txtar", checks_by_meaning);
    all.extend(plain![each_chapter_has_a_title_and_lessons_in_a_row]);
    run(all)
}
