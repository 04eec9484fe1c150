//! Runs the golden cases of the language, where they are there: each case is compiled and its
//! output compared line by line. `passing.txt` lists the cases that pass; none of them may fail.
//! `MCLIVE_CASE=index-03` shows one case, `MCLIVE_FAILURES=1` all differences.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "a test reads its cases and tells what it left out"
)]

mod case;
mod compare;
mod layout;
mod output;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// `../shared/inmanta` beside the project, or what `MCLIVE_INMANTA_CASES` names.
fn folder() -> Option<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = std::env::var("MCLIVE_INMANTA_CASES").ok().map(PathBuf::from);
    let beside = ["../shared/inmanta", "../../shared/inmanta"].map(|path| project.join(path));
    named.into_iter().chain(beside).find(|folder| folder.is_dir())
}

/// The text archives in a folder, with their names.
fn archives(folder: &Path) -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "txtar"))
        .collect();
    files.sort();
    let named = files.iter().map(|file| {
        let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        (name, std::fs::read_to_string(file).expect("the case can be read"))
    });
    named.collect()
}

/// The cases with their names. They are no part of the project: where they are not, there is nothing to compare with.
fn cases() -> Vec<(String, String)> {
    let Some(folder) = folder() else {
        mclive_kit::left_out("the golden cases of Inmanta models, which are not beside this clone");
        return Vec::new();
    };
    archives(&folder)
}

#[test]
fn golden_cases() {
    let passing = include_str!("passing.txt");
    let passing: BTreeSet<&str> = passing.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    let wanted = std::env::var("MCLIVE_CASE").ok();
    let shows_all = std::env::var("MCLIVE_FAILURES").is_ok();
    let (mut passed, mut broken) = (Vec::new(), Vec::new());
    for (name, text) in cases() {
        if wanted.as_ref().is_some_and(|wanted| !name.starts_with(&**wanted)) {
            continue;
        }
        let case = case::Case::parse(&text);
        let found = output::run(&case);
        let difference = compare::difference(&case.output, &found);
        match difference {
            None => passed.push(name),
            Some(difference) => {
                if shows_all || wanted.is_some() {
                    println!("=== {name}\n{difference}");
                }
                broken.push(name);
            }
        }
    }
    println!("{} of {} cases pass", passed.len(), passed.len() + broken.len());
    if let Ok(path) = std::env::var("MCLIVE_WRITE_PASSING") {
        std::fs::write(path, passed.join("\n") + "\n").expect("the list can be written");
    }
    let regressed: Vec<&String> = broken.iter().filter(|name| passing.contains(name.as_str())).collect();
    assert!(regressed.is_empty(), "these cases passed before: {regressed:?}");
}

/// The cases of our own, each of which stands for a difference that was mended.
#[test]
fn own_cases() {
    let cases = archives(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/cases"));
    assert!(cases.len() > 20);
    let differences = cases.into_iter().filter_map(|(name, text)| {
        let case = case::Case::parse(&text);
        compare::difference(&case.output, &output::run(&case)).map(|difference| format!("{name}\n{difference}"))
    });
    let differences: Vec<String> = differences.collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
