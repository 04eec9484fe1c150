//! Wrong programs with all that is said about them, as a user reads it, and the explain pages.
//!
//! Each archive of `tests/gallery` holds a program and, last, `said`: the rendered diagnostics.
//! `MCLIVE_BLESS=1` (`make bless`) writes what is said now, to be read in the diff. Every code of
//! the register is in the gallery, and the example of each code's page triggers exactly that code.

use mclive_compiler::compile::{Setup, check};
use mclive_compiler::corelib;
use mclive_compiler::diag::codes::{NO_INPUT, REGISTER};
use mclive_compiler::diag::{Code, Diags, render_text};
use mclive_compiler::protocol::Moment;
use mclive_compiler::rgraph::{Passes, first_graph};
use mclive_compiler::sim::SimHost;
use mclive_compiler::source::{MemoryWorld, Sources};
use mclive_compiler::vocab::{FactSpec, command};
use mclive_tests::txtar::Archive;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Compiles a program and makes its first resource graph on a simulated host.
fn said(files: &[(String, Vec<u8>)]) -> (Sources, Diags) {
    let mut world = MemoryWorld::default();
    files.iter().for_each(|(path, bytes)| world.insert(path, bytes.as_slice()));
    let compiled = check(&world, "/main.mcl", Setup { hostname: "host1" });
    let mut diags = compiled.diags;
    if let Some(program) = compiled.program.filter(|_| !diags.has_errors()) {
        let mut host = SimHost::new("host1");
        let mut answer = |spec: &FactSpec, now: u64| match spec {
            // A command that prints nothing.
            FactSpec::Command(command::Fact::Lines { .. }) => None,
            spec => Some(host.read_fact(Moment(now), spec)),
        };
        let passes = Passes { autoedge: true, autogroup: true, ask_host: false };
        if let Err(more) = first_graph(program.plan, Arc::new(world), &mut answer, passes) {
            diags.extend(more);
        }
    }
    (compiled.sources, diags)
}

fn codes(diags: &Diags) -> BTreeSet<Code> {
    diags.iter().map(|diagnostic| diagnostic.code).collect()
}

fn gallery() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("gallery");
    let entries = std::fs::read_dir(folder).expect("the gallery is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.sort();
    paths
}

#[test]
fn wrong_programs_are_told_what_is_wrong() {
    let bless = std::env::var_os("MCLIVE_BLESS").is_some();
    let (mut seen, mut changed) = (BTreeSet::new(), Vec::new());
    let paths = gallery();
    for path in &paths {
        let bytes = std::fs::read(path).expect("it can be read");
        let mut archive = Archive::parse(&bytes);
        let expected = archive.files.iter().position(|(name, _)| name == "said").map(|at| archive.files.remove(at).1);
        let (sources, diags) = said(&archive.files);
        seen.extend(codes(&diags));
        let rendered = render_text::render_all(&diags, &sources, render_text::Shown::PLAIN);
        if expected.as_deref() == Some(rendered.as_bytes()) {
            continue;
        }
        changed.push(format!("{}:\n{rendered}", path.display()));
        if bless {
            let mut text: Vec<u8> = Vec::new();
            for (name, content) in &archive.files {
                text.extend_from_slice(&[format!("-- {name} --\n").as_bytes(), content].concat());
            }
            text.extend_from_slice(&[b"-- said --\n", rendered.as_bytes()].concat());
            std::fs::write(path, text).expect("it can be written");
        }
    }
    assert!(bless || changed.is_empty(), "said otherwise now (make bless accepts it):\n{}", changed.concat());
    assert!(paths.len() >= 200, "{} programs", paths.len());
    let all = REGISTER.iter().map(|entry| entry.code);
    let missing: Vec<String> = all.filter(|code| !seen.contains(code)).map(|code| code.to_string()).collect();
    assert!(missing.is_empty(), "not in the gallery: {missing:?}");
}

/// The program of a page: its first block is the main file, a second one `lib.mcl`.
fn example(page: &str) -> Vec<(String, Vec<u8>)> {
    let blocks = page.split("```mcl\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let names = ["main.mcl", "lib.mcl"].into_iter();
    names.zip(blocks).map(|(name, (block, _))| (name.to_owned(), block.as_bytes().to_vec())).collect()
}

#[test]
fn the_example_of_each_page_triggers_exactly_its_code() {
    for entry in REGISTER {
        let files = example(entry.page);
        // The one page whose example is that there is no program.
        assert_eq!(files.is_empty(), entry.code == NO_INPUT, "{}", entry.code);
        let mut found = codes(&said(&files).1);
        // The examples of errors and warnings are as short as can be, and use nothing.
        found.retain(|code| *code == entry.code || !code.is_lint());
        assert_eq!(found, BTreeSet::from([entry.code]), "{}: {found:?}", entry.code);
        assert!(
            !entry.code.is_lint() || entry.page.contains(&format!("`{}`", entry.name.to_lowercase())),
            "{}",
            entry.page
        );
        assert!(entry.page.starts_with(&format!("# {}: {}\n", entry.code, entry.title)), "{}", entry.page);
    }
}

/// The functions that hints name are there.
#[test]
fn hints_name_functions_that_exist() {
    let short = |module: &str| module.rsplit('/').next().unwrap_or(module).to_owned();
    let defs: Vec<(String, &str)> = corelib::all().filter_map(|def| Some((short(def.module()?), def.name()))).collect();
    let mut n_named = 0;
    for path in gallery() {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        for line in text.lines().filter(|line| line.trim_start().starts_with("= help: ")) {
            for quoted in line.split('`').skip(1).step_by(2) {
                let len = quoted.find(|char: char| !char.is_ascii_lowercase() && !matches!(char, '_' | '.'));
                let (name, rest) = quoted.split_at(len.unwrap_or(quoted.len()));
                let Some((module, function)) =
                    name.split_once('.').filter(|_| rest.is_empty() || rest.starts_with('('))
                else {
                    continue;
                };
                // `fmt.name` stands for any of them.
                if matches!(function, "" | "name") || !defs.iter().any(|(known, _)| known == module) {
                    continue;
                }
                n_named += 1;
                let exists = defs.iter().any(|(known, name)| known == module && *name == function);
                assert!(exists, "{}: {module}.{function}", path.display());
            }
        }
    }
    assert!(n_named > 20, "{n_named}");
}
