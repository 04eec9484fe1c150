//! The golden cases that the front of the compiler decides: those that expect an error of the
//! stages parse, init or interpolate get it, at its place, and no other case gets one.
//!
//! The folder is `MCLIVE_CONFORMANCE`, else `../shared/conformance` beside the repository; without
//! either there is nothing to compare with.

#![allow(clippy::disallowed_methods, reason = "a test reads its cases")]

use mclive_compiler::diag::{Diags, Stage};
use mclive_compiler::front::read_module;
use mclive_compiler::source::{LineCol, Source};
use mclive_compiler::span::FileId;
use std::path::{Path, PathBuf};

/// Where the golden cases are, if they are here.
fn conformance() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/conformance");
    let given = std::env::var_os("MCLIVE_CONFORMANCE").map(PathBuf::from);
    [given, Some(beside)].into_iter().flatten().find(|path| path.is_dir())
}

/// The files of a text archive, by name.
fn sections(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut sections: Vec<(String, Vec<u8>)> = Vec::new();
    for line in archive.split_inclusive(|b| *b == b'\n') {
        let text = String::from_utf8_lossy(line);
        let name = text.trim_end().strip_prefix("-- ").and_then(|rest| rest.strip_suffix(" --"));
        match (name, sections.last_mut()) {
            (Some(name), _) => sections.push((name.to_owned(), Vec::new())),
            (None, Some((_, content))) => content.extend_from_slice(line),
            (None, None) => {}
        }
    }
    sections
}

/// The `r1:c1` and `r2:c2` of a position in an expected message.
fn position(message: &str) -> Option<(LineCol, LineCol)> {
    let (_, place) = message.rsplit_once(".mcl @ ")?;
    let (from, to) = place.trim_end().split_once('-')?;
    let point = |text: &str| {
        let (line, col) = text.split_once(':')?;
        Some(LineCol { line: line.parse().ok()?, col: col.parse().ok()? })
    };
    Some((point(from)?, point(to)?))
}

/// What is wrong with our answer to a case, if anything.
fn complaint(main: &[u8], expected: &str) -> Option<String> {
    let source = Source::new("/main.mcl", main);
    let mut diags = Diags::default();
    read_module(&source, FileId(0), &mut diags);
    let first = diags.first_error();
    let shown = first.map(|error| {
        let place = error.primary.as_ref().map(|label| source.line_col(label.span.start));
        (error.stage, place, error.message.clone())
    });
    let tagged = [Stage::Parse, Stage::Init, Stage::Interpolate]
        .into_iter()
        .find(|stage| expected.starts_with(&format!("# err: {}:", stage.tag())));
    let Some(stage) = tagged else {
        return shown.map(|shown| format!("no error is expected here, but there is {shown:?}"));
    };
    let Some((ours, place, message)) = shown else { return Some(format!("accepted, expected {expected}")) };
    if ours != stage {
        return Some(format!("{ours:?} {message:?}, expected {expected}"));
    }
    let Some(place) = place else { return Some(format!("no place: {message}")) };
    let (from, to) = position(expected)?;
    let is_right = if stage == Stage::Parse { place == from } else { from <= place && place < to };
    (!is_right).then(|| format!("at {place:?} {message:?}, expected {expected}"))
}

#[test]
fn every_case_has_the_first_error_that_it_expects() {
    let Some(root) = conformance() else { return };
    let mut n_cases = 0;
    let mut complaints = Vec::new();
    for folder in ["function-graph", "resource-graph", "validate", "functions"] {
        let Ok(files) = std::fs::read_dir(root.join(folder)) else { continue };
        for path in files.filter_map(|file| Some(file.ok()?.path())) {
            let Ok(archive) = std::fs::read(&path) else { continue };
            let sections = sections(&archive);
            let find = |name: &str| sections.iter().find(|(known, _)| known == name).map(|(_, text)| text);
            let (Some(main), Some(output)) = (find("main.mcl"), find("OUTPUT")) else { continue };
            // With a metadata file another one may be the main file.
            if find("metadata.yaml").is_some() {
                continue;
            }
            n_cases += 1;
            let expected = String::from_utf8_lossy(output);
            let expected = expected.lines().next().unwrap_or_default();
            complaints.extend(complaint(main, expected).map(|text| format!("{}: {text}", path.display())));
        }
    }
    assert!(n_cases > 0, "no case was found in {}", root.display());
    assert!(complaints.is_empty(), "{} of {n_cases} cases:\n{}", complaints.len(), complaints.join("\n"));
}
