//! The component gives byte for byte what the compiler crate gives natively: both graphs as JSON, and every
//! diagnostic, of every program of the corpus. `MCLIVE_CORPUS` names further folders.

use super::Sandbox;
use super::contract::{GraphFormat, GraphKind, Program, Shown, SourceFile};
use mclive_base::protocol::Moment;
use mclive_base::shapes;
use mclive_base::source::MemoryWorld;
use mclive_compiler::compile::{Setup, compile};
use mclive_compiler::face::graphs;
use mclive_compiler::rgraph::{Passes, first_graph};
use mclive_compiler::sim::SimHost;
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

/// What the crate says natively: the function graph, the resource graph or what was wrong.
fn natively(world: &MemoryWorld) -> [String; 2] {
    let compiled = compile(world, "/", Setup { hostname: HOST });
    let wrong = |diags: &_| shapes::to_json(&shapes::Diagnostics::of(&compiled.sources, diags));
    let Some(sound) = compiled.program else { return [wrong(&compiled.diags), wrong(&compiled.diags)] };
    let functions = match sound.graph() {
        Ok(graph) => shapes::to_json(&graphs::functions(&graph, &compiled.sources)),
        Err(diags) => wrong(&diags),
    };
    let mut host = SimHost::new(HOST);
    let mut answer = |spec: &_, now: u64| Some(host.read_fact(Moment(now), spec));
    let passes = Passes { autoedge: true, autogroup: true, ask_host: false };
    let resources = match first_graph(sound.plan, Arc::new(world.clone()), &mut answer, passes) {
        Ok(graph) => shapes::to_json(&graphs::resources(&graph, &compiled.sources)),
        Err(diags) => wrong(&diags),
    };
    [functions, resources]
}

#[test]
fn the_component_says_what_the_crate_says() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let others = std::env::var("MCLIVE_CORPUS").unwrap_or_default();
    let folders = std::iter::once(own).chain(std::env::split_paths(&others).filter(|path| path.is_dir()));
    let shown = Shown { colour: false, root: String::new() };
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
        let program = Program { files, entry: "/".into() };
        let native = natively(&world);
        for (which, expected) in [GraphKind::Functions, GraphKind::Resources].into_iter().zip(native) {
            let said = match sandbox.graph(&program, which, GraphFormat::Json, HOST, &shown).unwrap() {
                Ok(json) => json,
                Err(report) => report.json,
            };
            if said != expected {
                differ.push(format!("{} {which:?}", path.display()));
            }
        }
        n_programs += 1;
    }
    println!("{n_programs} programs");
    assert!(n_programs > 5 && differ.is_empty(), "{differ:#?}");
}
