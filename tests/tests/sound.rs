//! No lint fires on sound programs: the examples of the page and the solutions of its lessons.

use mclive_compiler::compile::{Setup, check};
use mclive_compiler::diag::{Diagnostic, Diags};
use mclive_compiler::source::MemoryWorld;
use mclive_tests::txtar::Archive;
use std::path::{Path, PathBuf};

type Files = [(String, Vec<u8>)];

fn said(files: &Files) -> Vec<Diagnostic> {
    let mut world = MemoryWorld::default();
    files.iter().for_each(|(path, bytes)| world.insert(path, bytes.as_slice()));
    Diags::into_vec(check(&world, "/main.mcl", Setup { hostname: "host1" }).diags)
}

fn below(folder: &str, end: &str) -> Vec<PathBuf> {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the repository") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|is| is == end) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn archive(path: &Path) -> Archive {
    Archive::parse(&std::fs::read(path).expect("a file of the repository"))
}

/// A program by its name: its files with their contents.
type Sound = (String, Vec<(String, Vec<u8>)>);

#[test]
fn sound_programs_are_without_lints() {
    let mut programs: Vec<Sound> = Vec::new();
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    for path in below("../playground/examples", "mcl") {
        let text = std::fs::read(&path).expect("an example");
        programs.push((name(&path), vec![("main.mcl".to_owned(), text)]));
    }
    for path in below("../playground/lessons", "txtar") {
        let files = archive(&path).files;
        let others: Vec<_> = files.iter().filter(|(file, _)| !file.contains("good/")).cloned().collect();
        let good = files.iter().filter(|(file, _)| file.starts_with("good/") && file.ends_with(".mcl"));
        for (file, text) in good {
            let mut files = vec![("main.mcl".to_owned(), text.clone())];
            files.extend(others.iter().filter(|(other, _)| other != "main.mcl").cloned());
            programs.push((format!("{} {file}", name(&path)), files));
        }
    }
    let mut wrong = Vec::new();
    assert!(programs.len() > 80, "{}", programs.len());
    for (name, files) in &programs {
        wrong.extend(said(files).iter().filter(|one| one.code.is_lint()).map(|one| format!("{name}: {}", one.message)));
    }
    assert!(wrong.is_empty(), "{} programs:\n{}", programs.len(), wrong.join("\n"));
}
