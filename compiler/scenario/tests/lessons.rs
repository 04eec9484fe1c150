//! The lessons of the page: every good program passes, and every near miss fails with the hint that it names.

#![allow(clippy::disallowed_methods, reason = "a test reads its cases")]

use mclive_scenario::lesson::Lesson;
use std::path::{Path, PathBuf};

fn archives() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../playground/lessons");
    let listed = |folder: &Path| {
        let entries = std::fs::read_dir(folder).expect("a folder of lessons");
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        paths
    };
    listed(&folder).iter().filter(|path| path.is_dir()).flat_map(|chapter| listed(chapter)).collect()
}

/// What is wrong with a lesson, a line each.
fn faults(lesson: &Lesson) -> Vec<String> {
    let mut faults = Vec::new();
    let mut check = |holds: bool, what: String| {
        if !holds {
            faults.push(what);
        }
    };
    check(lesson.text.contains("\n**Task.**"), "its text names no task".into());
    check(lesson.text.len() < 2_400, format!("its text is {} bytes long, more than a screen", lesson.text.len()));
    check(lesson.good.len() >= 2, format!("{} programs that do it; two or more are needed", lesson.good.len()));
    check(lesson.misses.len() >= 3, format!("{} near misses; three or more are needed", lesson.misses.len()));
    let start = lesson.test(&lesson.start);
    check(start.faults.is_empty(), format!("check.scenario: {:?}", start.faults));
    check(start.failure.is_some(), "the task is done at the start".into());
    check(start.failure.is_none_or(|failure| !failure.hint.is_empty()), "who starts gets no hint".into());
    for program in &lesson.good {
        if let Some(failure) = lesson.test(program).failure {
            check(false, format!("a good program fails at `{}`: {}\n{program}", failure.step, failure.why));
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

#[test]
fn each_lesson_checks_by_meaning() {
    let wanted = std::env::var("MCLIVE_LESSON").unwrap_or_default();
    let mut told = Vec::new();
    let archives: Vec<PathBuf> =
        archives().into_iter().filter(|path| path.to_string_lossy().contains(&wanted)).collect();
    assert!(!archives.is_empty(), "no lesson has `{wanted}` in its name");
    for path in archives {
        let name = path.display();
        match Lesson::read(&std::fs::read(&path).expect("a lesson")) {
            Ok(lesson) => told.extend(faults(&lesson).into_iter().map(|fault| format!("{name}: {fault}"))),
            Err(why) => told.push(format!("{name}: {why}")),
        }
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
}
