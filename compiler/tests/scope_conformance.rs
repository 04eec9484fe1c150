//! Golden cases, as far as name resolution goes: each that expects an error of this stage gets one
//! at a place inside of the expected one, and no other gets any.

#![allow(clippy::disallowed_methods, reason = "a test reads its cases")]

use mclive_compiler::diag::{Diags, Stage};
use mclive_compiler::front::read_module;
use mclive_compiler::scope::{self, Limits, MODULES_DIR, Setup};
use mclive_compiler::source::{MemoryWorld, Source, Sources};
use std::path::{Path, PathBuf};

/// The folder of golden cases, if there is one on this machine.
fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/conformance");
    let folder = std::env::var_os("MCLIVE_CONFORMANCE").map_or(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// The sections of a text archive.
fn sections(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut sections: Vec<(String, Vec<u8>)> = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        match text.trim_end().strip_prefix("-- ").and_then(|rest| rest.strip_suffix(" --")) {
            Some(name) => sections.push((name.to_owned(), Vec::new())),
            None => {
                if let Some((_, body)) = sections.last_mut() {
                    body.extend(line);
                }
            }
        }
    }
    sections
}

/// `FILE`, start and end, of each `FILE @ r:c-r:c` in a line.
fn bylines(line: &str) -> Vec<(String, (u32, u32), (u32, u32))> {
    let parts: Vec<&str> = line.split(" @ ").collect();
    let mut found = Vec::new();
    for pair in parts.windows(2) {
        let file = pair[0].rsplit([' ', ',']).next().unwrap_or("");
        let numbers: String = pair[1].chars().take_while(|c| c.is_ascii_digit() || ":-".contains(*c)).collect();
        let numbers: Vec<u32> = numbers.split([':', '-']).filter_map(|number| number.parse().ok()).collect();
        if let [r1, c1, r2, c2] = numbers[..] {
            let file = if file.starts_with('/') { file.to_owned() } else { format!("/{file}") };
            found.push((file, (r1, c1), (r2, c2)));
        }
    }
    found
}

/// What is wrong with our answer to a case, if anything.
fn judge(bytes: &[u8]) -> Result<(), String> {
    let mut world = MemoryWorld::default();
    let mut output = String::new();
    for (name, body) in sections(bytes) {
        match name.as_str() {
            "OUTPUT" => output = String::from_utf8_lossy(&body).into_owned(),
            "CONFIG" => {}
            _ => world.insert(&name, body),
        }
    }
    let mut sources = Sources::default();
    let mut diags = Diags::default();
    let input = scope::input::locate(&world, "/").map_err(|why| why.to_string())?;
    let source = Source::new(input.path.clone(), input.text.clone());
    let file = sources.add(source);
    let entry = read_module(sources.get(file), file, &mut diags);
    let setup =
        Setup { world: &world, hostname: "", modules_dir: MODULES_DIR, limits: Limits::default(), aside: false };
    let linked = scope::resolve(setup, &mut sources, entry, &input, &mut diags);
    scope::dump(&linked);

    let first = diags.first_error();
    let ours = first.filter(|first| first.stage == Stage::Scope);
    let shown = |diagnostic: &mclive_compiler::diag::Diagnostic| {
        let place = diagnostic.primary.as_ref().map(|label| sources.byline(label.span)).unwrap_or_default();
        format!("{} {}: {place}", diagnostic.code, diagnostic.message)
    };
    let expects = output.starts_with("# err: errSetScope");
    let Some(ours) = ours else {
        return if expects { Err(format!("no error of this stage, want: {output}")) } else { Ok(()) };
    };
    if !expects {
        return Err(format!("an error that is none: {}", shown(ours)));
    }
    let places: Vec<_> = output.lines().filter(|line| line.starts_with("# err: ")).flat_map(bylines).collect();
    if places.is_empty() {
        return Ok(());
    }
    let Some(label) = &ours.primary else { return Err(format!("no place: {}", shown(ours))) };
    let source = sources.get(label.span.file);
    let start = source.line_col(label.span.start);
    let start = (start.line, start.col);
    let inside = places.iter().any(|(file, from, to)| *file == source.path && *from <= start && start < *to);
    if inside { Ok(()) } else { Err(format!("another place: {}, want: {output}", shown(ours))) }
}

#[test]
fn golden_cases() {
    let Some(folder) = folder() else { return };
    let mut failures = String::new();
    let mut n_cases = 0;
    for part in ["function-graph", "resource-graph", "functions"] {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(folder.join(part))
            .expect("the folder can be read")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|ext| ext == "txtar")) {
            n_cases += 1;
            let bytes = std::fs::read(path).expect("the case can be read");
            if let Err(why) = judge(&bytes) {
                failures += &format!("{part}/{}: {why}\n", path.file_stem().unwrap_or_default().to_string_lossy());
            }
        }
    }
    assert!(failures.is_empty() && n_cases > 0, "{n_cases} cases, {} failures\n{failures}", failures.lines().count());
}
