//! The lessons of the page: every good program passes, and every near miss fails with the hint that it names.

#![allow(clippy::disallowed_methods, reason = "a test reads its cases")]

use mclive_base::source::MemoryWorld;
use mclive_engine::compile::{self, Setup};
use mclive_scenario::lesson::Lesson;
use mclive_syntax::fmt::format;
use std::path::{Path, PathBuf};

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of lessons");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn chapters() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../playground/lessons");
    listed(&folder).into_iter().filter(|path| path.is_dir()).collect()
}

fn archives() -> Vec<PathBuf> {
    let files = chapters().into_iter().flat_map(|chapter| listed(&chapter));
    files.filter(|path| path.file_name().is_none_or(|name| name != "chapter.md")).collect()
}

/// The folder is its own index: numbers in a row, and a page with a title for each chapter.
#[test]
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
    check(lesson.good.len() >= 2, format!("{} programs that do it; two or more are needed", lesson.good.len()));
    check(lesson.misses.len() >= 3, format!("{} near misses; three or more are needed", lesson.misses.len()));
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
