//! Editor services over the whole corpus: no prefix of a program and no place in it breaks them, each use
//! has its definition, and renaming leaves the meaning alone.

#![allow(clippy::disallowed_macros, reason = "tells what a longer run has done")]
#![allow(clippy::disallowed_methods, reason = "a long run is asked for from outside")]

use mclive_compiler::editor::{Analysis, Position, Services};
use mclive_compiler::source::MemoryWorld;
use mclive_compiler::span::{FileId, Span};
use std::path::Path;

/// The programs of the corpus, the examples, and those of the pages that explain codes. Of the golden cases, whose
/// families hold hundreds of like programs, every `MCLIVE_EDITOR_STRIDE`th.
fn programs() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["tests/corpus", "playground/examples", "host-agent/examples", "compiler/base/src/diag/explain"];
    let mut folders: Vec<_> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let block = |from: &str, to: &str| Some(text.split_once(from)?.1.split_once(to)?.0.to_owned());
            let main = match path.extension().and_then(|ending| ending.to_str()) {
                Some("md") => block("```mcl\n", "```"),
                Some("mcl") => Some(text.clone()),
                _ => block("-- main.mcl --\n", "-- "),
            };
            found.extend(main.filter(|main| main.len() < 4_000).map(|main| (path.display().to_string(), main)));
        }
    }
    let stride = std::env::var("MCLIVE_EDITOR_STRIDE").ok().and_then(|stride| stride.parse().ok()).unwrap_or(12);
    let (golden, all): (Vec<_>, Vec<_>) = found.into_iter().partition(|(name, _)| name.contains("tests/corpus"));
    let found: Vec<_> = all.into_iter().chain(golden.into_iter().step_by(stride)).collect();
    assert!(found.len() > 80, "only {} programs", found.len());
    found
}

fn analyse(text: &str) -> Analysis {
    Analysis::new(MemoryWorld::single(text), "/main.mcl", "host1")
}

/// Small and the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// Asks everything at one place.
fn ask_all(analysis: &Analysis, at: Position) {
    let inside = |span: Span| {
        let len = analysis.sources().get(span.file).text.len() as u32;
        assert!(span.start <= span.end && span.end <= len, "{span:?} of {len}");
    };
    if let Some(hover) = analysis.hover(at) {
        inside(hover.span);
    }
    inside(analysis.complete(at).replace);
    analysis.signature(at);
    analysis.definition(at).into_iter().for_each(inside);
    analysis.uses(at).into_iter().for_each(inside);
    analysis.renamable(at).into_iter().for_each(|(span, _)| inside(span));
}

/// `MCLIVE_EDITOR_ROUNDS` prefixes of each program, with a place in each.
#[test]
fn no_prefix_and_no_place_breaks_a_service() {
    let rounds = std::env::var("MCLIVE_EDITOR_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(2);
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for (name, text) in programs() {
        for _ in 0..rounds {
            let len = dice.below(text.len() + 1);
            let mut world = MemoryWorld::default();
            world.insert("/main.mcl", &text.as_bytes()[..len]);
            let analysis = Analysis::new(world, "/main.mcl", "host1");
            println!("{name}: {len} bytes");
            for offset in [len, dice.below(len + 1), dice.below(len + 1), len + 100] {
                ask_all(&analysis, Position { file: FileId(0), offset: offset as u32 });
            }
            analysis.tokens(Span::new(FileId(0), 0, len));
            analysis.symbols(FileId(0));
        }
    }
}

#[test]
fn tokens_do_not_overlap() {
    for (name, text) in programs() {
        let analysis = analyse(&text);
        if analysis.sources().iter().next().is_none() {
            continue;
        }
        let mut end = 0;
        for token in analysis.tokens(Span::new(FileId(0), 0, text.len())) {
            assert!(token.span.start >= end && token.span.start < token.span.end, "{name}: {token:?} behind {end}");
            end = token.span.end;
        }
    }
}

/// Renames something in each program that compiles: the graph stays, its names aside.
#[test]
fn renaming_leaves_the_graph_alone() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let mut n_renamed = 0;
    for (name, text) in programs() {
        let analysis = analyse(&text);
        let Some(plan) = analysis.plan() else { continue };
        let definitions: Vec<Position> = (0..8)
            .map(|_| Position { file: FileId(0), offset: dice.below(text.len()) as u32 })
            .filter(|at| analysis.renamable(*at).is_some())
            .collect();
        for at in definitions.into_iter().take(1) {
            let Ok(edits) = analysis.rename(at, "quite_another_name") else { continue };
            let mut changed = text.clone().into_bytes();
            for edit in edits.iter().rev().filter(|edit| edit.span.file == FileId(0)) {
                changed.splice(edit.span.start as usize..edit.span.end as usize, edit.text.bytes());
            }
            let changed = String::from_utf8(changed).unwrap();
            let after = analyse(&changed);
            let after = after.plan().unwrap_or_else(|| panic!("{name} is refused after a renaming:\n{changed}"));
            let size = |plan: &std::sync::Arc<mclive_compiler::fgraph::Plan>| {
                // One that is too large stays so.
                mclive_compiler::fgraph::build(plan).ok().map(|graph| graph.ids().count())
            };
            assert_eq!(size(plan), size(after), "{name}\n{changed}");
            n_renamed += 1;
        }
    }
    assert!(n_renamed > 10, "only {n_renamed} programs had something to rename");
}

/// The definition of a use is a place whose own definition is itself, and among its uses is that use.
#[test]
fn every_use_leads_to_its_binding_and_back() {
    let mut n_uses = 0;
    for (name, text) in programs() {
        let analysis = analyse(&text);
        for offset in (0..text.len()).step_by(17) {
            let at = Position { file: FileId(0), offset: offset as u32 };
            let Some((span, _)) = analysis.renamable(at) else { continue };
            let Some(definition) = analysis.definition(at) else { continue };
            let there = Position { file: definition.file, offset: definition.start };
            let uses = analysis.uses(at);
            assert!(
                uses.iter().any(|used| used.file == span.file && used.start <= span.start && span.end <= used.end),
                "{name} at {offset}"
            );
            if analysis.renamable(there).is_some() && analysis.definition(there) == Some(definition) {
                assert_eq!(analysis.uses(there), uses, "{name} at {offset}");
            }
            n_uses += 1;
        }
    }
    assert!(n_uses > 100);
}
