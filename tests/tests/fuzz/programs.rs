//! MCL: nothing panics; tokens tile the text; formatting keeps the program and settles; the order of statements changes
//! nothing.

use crate::hunt::Target;
use crate::text::{self, Files};
use mclive_compiler::ast::{Alias, StmtKind};
use mclive_compiler::compile::{Setup, compile};
use mclive_compiler::diag::{Diags, Severity, render_text};
use mclive_compiler::face::check::check;
use mclive_compiler::lex::{TokenKind, lex};
use mclive_compiler::parse::parse;
use mclive_compiler::source::{MemoryWorld, Source};
use mclive_compiler::span::FileId;
use mclive_compiler::{fgraph, fmt};

#[path = "../../../compiler/tests/pieces/mod.rs"]
mod pieces;

pub(crate) static TARGET: Target = Target {
    name: "programs",
    ending: "txtar",
    seeds: || text::seeds(&FOLDERS, &["mcl", "badmcl"]),
    make: |dice, seeds| {
        let pieces: Vec<&[u8]> = pieces::PIECES.iter().map(|piece| piece.as_bytes()).collect();
        text::mutate(dice, seeds, &pieces)
    },
    check: |input| holds(&text::program(input)),
};

const FOLDERS: [&str; 5] =
    ["tests/corpus", "tests/gallery", "playground/examples", "tests/findings", "../shared/conformance"];

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

fn holds(files: &Files) {
    for (_, text) in files {
        assert_tiled(text);
        if let Err(diags) = fmt::format(text) {
            no_bug(&diags);
        }
    }
    let forth = graph(files);
    if let Some(reversed) = files.first().and_then(|_| reversed(files)) {
        assert_eq!(graph(&reversed), forth, "the order of statements matters");
    }
    if let Some((entry, _)) = files.first() {
        check(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())), entry, "");
    }
}
