//! Editor services over the whole corpus, each program a test: no prefix of it and no place in it breaks them, tokens do not
//! overlap, each use has its definition, and renaming leaves the meaning alone.

#![allow(clippy::disallowed_macros, reason = "tells what the programs have in all")]
#![allow(clippy::disallowed_methods, reason = "a test reads its cases, and a long run is asked for from outside")]

use mclive_cases::{run_at_once, trial};
use mclive_compiler::editor::{Analysis, Position, Services};
use mclive_compiler::source::MemoryWorld;
use mclive_compiler::span::{FileId, Span};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

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
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            found.extend(main.filter(|main| main.len() < 4_000).map(|main| (name, main)));
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
    /// A program has the same numbers whichever others are looked at.
    fn of(name: &str) -> Dice {
        Dice(
            name.bytes()
                .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
                | 1,
        )
    }

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

/// `MCLIVE_EDITOR_ROUNDS` prefixes, with a place in each.
fn no_prefix_and_no_place_breaks_a_service(name: &str, text: &str) {
    let rounds = std::env::var("MCLIVE_EDITOR_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(2);
    let mut dice = Dice::of(name);
    for _ in 0..rounds {
        let len = dice.below(text.len() + 1);
        let mut world = MemoryWorld::default();
        world.insert("/main.mcl", &text.as_bytes()[..len]);
        let analysis = Analysis::new(world, "/main.mcl", "host1");
        for offset in [len, dice.below(len + 1), dice.below(len + 1), len + 100] {
            ask_all(&analysis, Position { file: FileId(0), offset: offset as u32 });
        }
        analysis.tokens(Span::new(FileId(0), 0, len));
        analysis.symbols(FileId(0));
    }
}

fn tokens_do_not_overlap(analysis: &Analysis, text: &str) {
    if analysis.sources().iter().next().is_none() {
        return;
    }
    let mut end = 0;
    for token in analysis.tokens(Span::new(FileId(0), 0, text.len())) {
        assert!(token.span.start >= end && token.span.start < token.span.end, "{token:?} behind {end}");
        end = token.span.end;
    }
}

/// Renames something in a program that compiles: the graph stays, its names aside. How many times that was.
fn renaming_leaves_the_graph_alone(name: &str, analysis: &Analysis, text: &str) -> usize {
    let Some(ir) = analysis.ir() else { return 0 };
    let mut dice = Dice::of(name);
    let mut places = (0..8).map(|_| Position { file: FileId(0), offset: dice.below(text.len()) as u32 });
    let Some(at) = places.find(|at| analysis.renamable(*at).is_some()) else { return 0 };
    let Ok(edits) = analysis.rename(at, "quite_another_name") else { return 0 };
    let mut changed = text.as_bytes().to_vec();
    for edit in edits.iter().rev().filter(|edit| edit.span.file == FileId(0)) {
        changed.splice(edit.span.start as usize..edit.span.end as usize, edit.text.bytes());
    }
    let changed = String::from_utf8(changed).unwrap();
    let after = analyse(&changed);
    let after = after.ir().unwrap_or_else(|| panic!("it is refused after a renaming:\n{changed}"));
    let size = |ir: &std::sync::Arc<mclive_compiler::fgraph::Ir>| {
        // One that is too large stays so.
        mclive_compiler::fgraph::build(ir).ok().map(|graph| graph.ids().count())
    };
    assert_eq!(size(ir), size(after), "{changed}");
    1
}

/// The definition of a use is a place whose own definition is itself, and among its uses is that use. How many there were.
fn every_use_leads_to_its_binding_and_back(analysis: &Analysis, text: &str) -> usize {
    let mut n_uses = 0;
    for offset in (0..text.len()).step_by(17) {
        let at = Position { file: FileId(0), offset: offset as u32 };
        let Some((span, _)) = analysis.renamable(at) else { continue };
        let Some(definition) = analysis.definition(at) else { continue };
        let there = Position { file: definition.file, offset: definition.start };
        let uses = analysis.uses(at);
        assert!(
            uses.iter().any(|used| used.file == span.file && used.start <= span.start && span.end <= used.end),
            "at {offset}"
        );
        if analysis.renamable(there).is_some() && analysis.definition(there) == Some(definition) {
            assert_eq!(analysis.uses(there), uses, "at {offset}");
        }
        n_uses += 1;
    }
    n_uses
}

static N_RENAMED: AtomicUsize = AtomicUsize::new(0);
static N_USES: AtomicUsize = AtomicUsize::new(0);

fn look(name: &str, text: &str) {
    no_prefix_and_no_place_breaks_a_service(name, text);
    let analysis = analyse(text);
    tokens_do_not_overlap(&analysis, text);
    N_RENAMED.fetch_add(renaming_leaves_the_graph_alone(name, &analysis, text), Ordering::Relaxed);
    N_USES.fetch_add(every_use_leads_to_its_binding_and_back(&analysis, text), Ordering::Relaxed);
}

fn main() -> ExitCode {
    let trials = programs().into_iter().map(|(name, text)| {
        trial(format!("editor/{name}"), move || {
            look(&name, &text);
            Ok(())
        })
    });
    let end = run_at_once(None, trials.collect());
    let (n_renamed, n_uses) = (N_RENAMED.load(Ordering::Relaxed), N_USES.load(Ordering::Relaxed));
    // With a filter there are fewer.
    if end.num_passed > 80 && (n_renamed <= 10 || n_uses <= 100) {
        println!("only {n_renamed} things were renamed, and {n_uses} uses led to their bindings");
        return ExitCode::FAILURE;
    }
    end.exit_code()
}
