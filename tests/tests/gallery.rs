//! Wrong programs with all that is said about them, as a user reads it, and the explain pages.
//!
//! Each archive of `tests/gallery` is a test: it holds a program and, last, `said`: the rendered diagnostics.
//! `MCLIVE_BLESS=1` (`make bless`) writes what is said now, to be read in the diff. Every code of the register is in the
//! gallery, and the example of each code's page, a test as well, triggers exactly that code.

use mclive_cases::{Case, Trial, below, blesses, plain, run, trial};
use mclive_compiler::compile::{Setup, check};
use mclive_compiler::corelib;
use mclive_compiler::diag::codes::{NO_INPUT, REGISTER, Registered};
use mclive_compiler::diag::{Code, Diags, render_text};
use mclive_compiler::protocol::Moment;
use mclive_compiler::rgraph::{Passes, first_graph};
use mclive_compiler::sim::SimHost;
use mclive_compiler::source::{MemoryWorld, Sources};
use mclive_compiler::vocab::{FactSpec, command};
use mclive_tests::txtar::Archive;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Compiles a program and makes its first resource graph on a simulated host.
fn said(files: &[(String, Vec<u8>)]) -> (Sources, Diags) {
    let mut world = MemoryWorld::default();
    files.iter().for_each(|(path, bytes)| world.insert(path, bytes.as_slice()));
    let compiled = check(&world, "/main.mcl", Setup { hostname: "host1" });
    let mut diags = compiled.diags;
    if let Some(ir) = compiled.ir.filter(|_| !diags.has_errors()) {
        let mut host = SimHost::new("host1");
        let mut answer = |spec: &FactSpec, now: u64| match spec {
            // A command that prints nothing.
            FactSpec::Command(command::Fact::Lines { .. }) => None,
            spec => Some(host.read_fact(Moment(now), spec)),
        };
        let passes = Passes { autoedge: true, autogroup: true, ask_host: false };
        if let Err(more) = first_graph(ir, Arc::new(world), &mut answer, passes) {
            diags.extend(more);
        }
    }
    (compiled.sources, diags)
}

fn codes(diags: &Diags) -> BTreeSet<Code> {
    diags.iter().map(|diagnostic| diagnostic.code).collect()
}

fn gallery() -> Vec<Case> {
    below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("gallery"), "txtar")
}

/// A program is told what is wrong, to the letter.
fn is_told(case: &Case) -> Result<(), String> {
    let mut archive = Archive::parse(&case.bytes());
    let expected = archive.files.iter().position(|(name, _)| name == "said").map(|at| archive.files.remove(at).1);
    let (sources, diags) = said(&archive.files);
    let rendered = render_text::render_all(&diags, &sources, render_text::Shown::PLAIN);
    if expected.as_deref() == Some(rendered.as_bytes()) {
        return Ok(());
    }
    if !blesses() {
        return Err(format!("said otherwise now (make bless accepts it):\n{rendered}"));
    }
    let mut text: Vec<u8> = Vec::new();
    for (name, content) in &archive.files {
        text.extend_from_slice(&[format!("-- {name} --\n").as_bytes(), content].concat());
    }
    text.extend_from_slice(&[b"-- said --\n", rendered.as_bytes()].concat());
    std::fs::write(&case.path, text).map_err(|error| error.to_string())
}

/// By what the archives say, which the test of each holds.
fn every_code_is_in_the_gallery() {
    let cases = gallery();
    assert!(cases.len() >= 200, "{} programs", cases.len());
    let said = |case: &Case| Archive::parse(&case.bytes()).get("said").map(<[u8]>::to_vec).unwrap_or_default();
    let all: String = cases.iter().map(|case| String::from_utf8_lossy(&said(case)).into_owned()).collect();
    let codes = REGISTER.iter().map(|entry| entry.code.to_string());
    let missing: Vec<String> = codes.filter(|code| !all.contains(&format!("[{code}]"))).collect();
    assert!(missing.is_empty(), "not in the gallery: {missing:?}");
}

/// The program of a page: its first block is the main file, a second one `lib.mcl`.
fn example(page: &str) -> Vec<(String, Vec<u8>)> {
    let blocks = page.split("```mcl\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let names = ["main.mcl", "lib.mcl"].into_iter();
    names.zip(blocks).map(|(name, (block, _))| (name.to_owned(), block.as_bytes().to_vec())).collect()
}

/// The example of a page triggers exactly its code.
fn page(entry: &'static Registered) -> Trial {
    trial(format!("page/{}", entry.code), move || {
        let files = example(entry.page);
        // The one page whose example is that there is no program.
        assert_eq!(files.is_empty(), entry.code == NO_INPUT);
        let mut found = codes(&said(&files).1);
        // The examples of errors and warnings are as short as can be, and use nothing.
        found.retain(|code| *code == entry.code || !code.is_lint());
        assert_eq!(found, BTreeSet::from([entry.code]));
        let names_itself = entry.page.contains(&format!("`{}`", entry.name.to_lowercase()));
        assert!(!entry.code.is_lint() || names_itself, "{}", entry.page);
        assert!(entry.page.starts_with(&format!("# {}: {}\n", entry.code, entry.title)), "{}", entry.page);
        Ok(())
    })
}

/// The functions that hints name are there.
fn hints_name_functions_that_exist() {
    let short = |module: &str| module.rsplit('/').next().unwrap_or(module).to_owned();
    let defs: Vec<(String, &str)> = corelib::all().filter_map(|def| Some((short(def.module()?), def.name()))).collect();
    let mut n_named = 0;
    for case in gallery() {
        let text = String::from_utf8(case.bytes()).expect("UTF-8");
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
                assert!(exists, "{}: {module}.{function}", case.name);
            }
        }
    }
    assert!(n_named > 20, "{n_named}");
}

fn main() -> ExitCode {
    let mut trials: Vec<Trial> = gallery().into_iter().map(|case| case.trial(is_told)).collect();
    trials.extend(REGISTER.iter().map(page));
    trials.extend(plain![every_code_is_in_the_gallery, hints_name_functions_that_exist]);
    run(trials)
}
