//! The component gives byte for byte the same results as the native compiler crate: graphs as JSON and diagnostics, for
//! every program of the corpus, in both languages. `MCLIVE_CORPUS` names further folders.

use super::Sandbox;
use super::contract::{GraphFormat, GraphKind, Program, Shown, SourceFile, Undrawn as NoGraph};
use mclive_base::diag::render_text;
use mclive_base::shapes;
use mclive_base::source::MemoryWorld;
use mclive_compiler::language::{self, Asked, Format, Picture, Undrawn};
use mclive_tests::txtar::Archive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const HOST: &str = "host1";

/// Every text archive below the folders.
fn archives(mut ahead: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    while let Some(dir) = ahead.pop() {
        for path in std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                ahead.push(path);
            } else if path.extension().is_some_and(|end| end == "txtar") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The pictures that are compared, on both sides of the border.
const PICTURES: [(GraphKind, Picture); 4] = [
    (GraphKind::Functions, Picture::Functions),
    (GraphKind::Words, Picture::Words),
    (GraphKind::Model, Picture::Model),
    (GraphKind::Resources, Picture::Resources),
];

/// The native result: a picture, the errors, or that there is no such picture.
fn natively(world: &Arc<MemoryWorld>, picture: Picture) -> String {
    let asked = Asked { world, entry: "/", host: Some(HOST), environment: &[] };
    match language::of(&asked).graph(&asked, Some(picture), Format::Json, None, render_text::Shown::PLAIN) {
        Ok(json) => json,
        Err(Undrawn::Refused(said)) => shapes::to_json(&shapes::Diagnostics::of(&said.sources, &said.diags)),
        Err(Undrawn::Missing(has)) => has.to_owned(),
        Err(Undrawn::Unknown(facts)) => format!("{facts:?}"),
    }
}

#[test]
fn the_component_says_what_the_crate_says() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let others = std::env::var("MCLIVE_CORPUS").unwrap_or_default();
    let folders = std::iter::once(own).chain(std::env::split_paths(&others).filter(|path| path.is_dir()));
    let shown = Shown { colour: false, root: String::new(), elsewhere: Vec::new() };
    let (mut n_programs, mut differ) = (0, Vec::new());
    let mut sandbox = Sandbox::start().unwrap();
    for path in archives(folders.collect()) {
        let bytes = std::fs::read(&path).unwrap();
        let mut world = MemoryWorld::default();
        let mut files = Vec::new();
        for (name, content) in Archive::parse(&bytes).files {
            let path = format!("/{}", name.trim_start_matches('/'));
            world.insert(&path, content.clone());
            files.push(SourceFile { path, content });
        }
        let program = Program { files, entry: "/".into(), environment: Vec::new() };
        let world = Arc::new(world);
        for (which, picture) in PICTURES {
            let said = match sandbox.graph(&program, Some(which), GraphFormat::Json, Some(HOST), None, &shown).unwrap()
            {
                Ok(json) => json,
                Err(NoGraph::Refused(report)) => report.json,
                Err(NoGraph::Missing(has)) => has,
                Err(NoGraph::Unknown(_)) => "facts of a real host".to_owned(),
            };
            if said != natively(&world, picture) {
                differ.push(format!("{} {which:?}", path.display()));
            }
        }
        n_programs += 1;
    }
    println!("{n_programs} programs");
    assert!(n_programs > 5 && differ.is_empty(), "{differ:#?}");
}
