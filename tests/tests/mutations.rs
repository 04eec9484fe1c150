//! Programs that were cut and changed at random, through the whole compiler and the first round.
//!
//! Seeds are the golden cases, the playground's examples and what was found before (`findings/`).
//! Nothing may panic, hang or leave its bounds; tokens tile the text; formatting keeps the program
//! and settles; the order of statements changes nothing. By default a few seconds with one seed;
//! `MCLIVE_FUZZ_SECONDS=3600` goes on for an hour, `MCLIVE_FUZZ_SEED` begins elsewhere. What fails
//! is written to `findings/`, where it stays as a test.

use mclive_compiler::ast::{Alias, StmtKind};
use mclive_compiler::compile::{Setup, compile};
use mclive_compiler::diag::{Diags, Severity, render_text};
use mclive_compiler::face::check::check;
use mclive_compiler::hash::sha256;
use mclive_compiler::lex::{TokenKind, lex};
use mclive_compiler::parse::parse;
use mclive_compiler::source::{MemoryWorld, Source};
use mclive_compiler::span::FileId;
use mclive_compiler::{fgraph, fmt};
use mclive_tests::txtar::Archive;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[path = "../../compiler/tests/pieces/mod.rs"]
mod pieces;

use pieces::PIECES;

/// A program's files; the first one is the entry.
type Files = Vec<(String, Vec<u8>)>;

/// Longer than any program may take, in a build without optimisation on a busy machine.
const TOO_LONG: Duration = Duration::from_secs(60);

/// A small generator of numbers: the same seed gives the same programs.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every file below a folder, sorted.
fn below(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() { below(&path, found) } else { found.push(path) }
    }
}

fn seeds() -> Vec<Files> {
    let mut paths = Vec::new();
    for folder in ["tests/corpus", "tests/gallery", "playground/examples", "tests/findings", "../shared/conformance"] {
        below(&root().join(folder), &mut paths);
    }
    paths.iter().filter_map(|path| read(path)).collect()
}

fn read(path: &Path) -> Option<Files> {
    let bytes = std::fs::read(path).ok()?;
    match path.extension()?.to_str()? {
        "mcl" | "badmcl" => Some(vec![("/main.mcl".into(), bytes)]),
        "txtar" => {
            let files = Archive::parse(&bytes).files.into_iter();
            let mut files: Files = files.filter(|(name, _)| !["OUTPUT", "CONFIG", "said"].contains(&&**name)).collect();
            files.sort_by_key(|(name, _)| !name.ends_with("main.mcl"));
            (!files.is_empty()).then_some(files)
        }
        _ => None,
    }
}

fn mutate(dice: &mut Dice, seeds: &[Files]) -> Files {
    let mut files = seeds[dice.below(seeds.len())].clone();
    let which = dice.below(files.len());
    for _ in 0..1 + dice.below(4) {
        let text = &mut files[which].1;
        let at = dice.below(text.len() + 1);
        let end = (at + dice.below(6)).min(text.len());
        match dice.below(9) {
            0 => text.truncate(at),
            1 if at < text.len() => text[at] = dice.below(256) as u8,
            2 => drop(text.drain(at..end)),
            // A line again, or a line of another program.
            3 | 4 => {
                let other = &seeds[dice.below(seeds.len())][0].1;
                let lines: Vec<&[u8]> = other.split_inclusive(|byte| *byte == b'\n').collect();
                let line = lines.get(dice.below(lines.len())).map_or(Vec::new(), |line| line.to_vec());
                let start = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
                text.splice(start..start, line);
            }
            5 => {
                let copy = text[at..(at + dice.below(80)).min(text.len())].to_vec();
                let to = dice.below(text.len() + 1);
                text.splice(to..to, copy);
            }
            _ => drop(text.splice(at..end, PIECES[dice.below(PIECES.len())].bytes())),
        }
    }
    files
}

fn world(files: &Files) -> MemoryWorld {
    let mut world = MemoryWorld::default();
    files.iter().for_each(|(path, bytes)| world.insert(path, bytes.as_slice()));
    world
}

fn assert_tiled(bytes: &[u8]) {
    let tokens = lex(&Source::new("/main.mcl", bytes), FileId(0), &mut Diags::default());
    let mut covered = vec![0u8; bytes.len()];
    let mut cover = |start: u32, end: u32| covered[start as usize..end as usize].iter_mut().for_each(|n| *n += 1);
    tokens.tokens.iter().for_each(|token| cover(token.start, token.end));
    tokens.comments.iter().for_each(|comment| cover(comment.start, comment.end));
    let without_token = tokens.problems.iter().filter(|problem| !problem.has_token());
    without_token.for_each(|problem| cover(problem.span.start, problem.span.end));
    tokens.lost.iter().for_each(|lost| cover(lost.start, lost.end));
    for (byte, n) in bytes.iter().zip(covered) {
        assert!(n == 1 || n == 0 && matches!(byte, b' ' | b'\t'), "tokens do not tile the text");
    }
    assert_eq!(tokens.tokens.last().map(|token| token.kind), Some(TokenKind::End));
}

fn no_bug(diags: &Diags) {
    let bug = diags.iter().find(|diagnostic| diagnostic.severity == Severity::Bug);
    assert!(bug.is_none(), "{bug:?}");
}

/// The function graph of a program; nothing for one with errors.
fn graph(files: &Files) -> Option<String> {
    let compiled = compile(&world(files), "/main.mcl", Setup { hostname: "" });
    no_bug(&compiled.diags);
    render_text::render_all(&compiled.diags, &compiled.sources, render_text::Shown::PLAIN);
    compiled.program.and_then(|program| program.graph().ok()).map(|graph| fgraph::text(&graph))
}

/// The program with its top statements the other way round.
fn reversed(files: &Files) -> Option<Files> {
    let text = &files[0].1;
    let source = Source::new("/main.mcl", text.as_slice());
    let mut diags = Diags::default();
    let tree = parse(&lex(&source, FileId(0), &mut diags), &source, &mut diags);
    // Of star imports the later one counts: there the order is the meaning.
    let is_star = |kind: &StmtKind| matches!(kind, StmtKind::Import { alias: Alias::Star, .. });
    if diags.has_errors() || tree.stmts.values().any(|stmt| is_star(&stmt.kind)) {
        return None;
    }
    let spans = tree.root.stmts.iter().rev().map(|id| tree.stmts[*id].span);
    let stmts: Vec<u8> =
        spans.flat_map(|span| [&text[span.start as usize..span.end as usize], b"\n"].concat()).collect();
    let mut files = files.clone();
    files[0].1 = stmts;
    Some(files)
}

fn assert_all(files: &Files) {
    for (_, text) in files {
        assert_tiled(text);
        if let Err(diags) = fmt::format(text) {
            no_bug(&diags);
        }
    }
    let forth = graph(files);
    if let Some(reversed) = reversed(files) {
        assert_eq!(graph(&reversed), forth, "the order of statements matters");
    }
    let entry = files[0].0.as_str();
    check(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())), entry, "");
}

fn to_archive(files: &Files) -> Vec<u8> {
    let file = |(name, text): &(String, Vec<u8>)| [format!("-- {name} --\n").as_bytes(), text, b"\n"].concat();
    files.iter().flat_map(file).collect()
}

/// Runs the checks where a panic, a deep recursion or a hang is seen.
fn failure(files: &Files) -> Option<String> {
    let begun = Instant::now();
    let checked = files.clone();
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(move || assert_all(&checked));
    let failed = thread.expect("a thread can be started").join().err().map(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
    });
    failed.or_else(|| (begun.elapsed() > TOO_LONG).then(|| format!("took {:?}", begun.elapsed())))
}

/// Like [`failure`]; what only took long is tried again, since the machine may have been busy.
fn lasting_failure(files: &Files) -> Option<String> {
    failure(files).and_then(|_| failure(files))
}

#[test]
fn what_was_found_stays_fixed() {
    let mut paths = Vec::new();
    below(&root().join("tests/findings"), &mut paths);
    for path in paths {
        let files = read(&path).expect("a finding is an archive");
        assert_eq!(failure(&files), None, "{}", path.display());
    }
}

#[test]
fn mutated_programs_end_well() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let seconds = number("MCLIVE_FUZZ_SECONDS", 5);
    let mut dice = Dice(number("MCLIVE_FUZZ_SEED", 0x5eed) | 1);
    let seeds = seeds();
    let begun = Instant::now();
    // The program at work, for what ends the whole process.
    let current = std::env::temp_dir().join(format!("mclive-mutation-{}.txtar", std::process::id()));
    let (mut n_programs, mut failures) = (0_u64, Vec::new());
    while begun.elapsed() < Duration::from_secs(seconds) {
        let files = mutate(&mut dice, &seeds);
        let archive = to_archive(&files);
        std::fs::write(&current, &archive).expect("the temporary folder can be written");
        n_programs += 1;
        if let Some(why) = lasting_failure(&files) {
            let name: String = sha256(&archive)[..6].iter().map(|byte| format!("{byte:02x}")).collect();
            let findings = root().join("tests/findings");
            std::fs::create_dir_all(&findings).expect("findings can be kept");
            let kept = findings.join(format!("{name}.txtar"));
            std::fs::write(&kept, &archive).expect("findings can be kept");
            println!("{}: {}", kept.display(), why.chars().take(300).collect::<String>());
            failures.push(kept);
            if failures.len() == 20 {
                break;
            }
        }
    }
    let _ = std::fs::remove_file(&current);
    println!("{n_programs} programs in {:?}", begun.elapsed());
    assert!(failures.is_empty(), "{failures:?}");
}
