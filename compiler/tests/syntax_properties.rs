//! Properties of the front over programs that were cut and changed at random: no panic, tokens tile
//! the text, and formatting neither changes a program nor needs a second try.

use mclive_compiler::ast::dump;
use mclive_compiler::diag::{Diags, Severity};
use mclive_compiler::fmt::format;
use mclive_compiler::front::read_module;
use mclive_compiler::lex::{TokenKind, lex};
use mclive_compiler::parse::parse;
use mclive_compiler::source::Source;
use mclive_compiler::span::{FileId, Span};
use proptest::prelude::*;

mod pieces;

use pieces::PIECES;

/// Programs that use every construct, with comments in odd places.
const PROGRAMS: &[&str] = &[
    include_str!("programs/resources.mcl"),
    include_str!("programs/expressions.mcl"),
    include_str!("programs/definitions.mcl"),
    include_str!("programs/comments.mcl"),
];

fn read(bytes: &[u8]) -> (Source, Diags) {
    let source = Source::new("/main.mcl", bytes);
    let mut diags = Diags::default();
    read_module(&source, FileId(0), &mut diags);
    (source, diags)
}

/// Every byte is in exactly one token, comment, problem or blank, or is lost.
fn assert_tiled(bytes: &[u8]) {
    let source = Source::new("/main.mcl", bytes);
    let tokens = lex(&source, FileId(0), &mut Diags::default());
    let mut covered = vec![0u8; bytes.len()];
    let mut cover = |start: u32, end: u32| covered[start as usize..end as usize].iter_mut().for_each(|n| *n += 1);
    tokens.tokens.iter().for_each(|token| cover(token.start, token.end));
    tokens.comments.iter().for_each(|comment| cover(comment.start, comment.end));
    let without_token = tokens.problems.iter().filter(|problem| !problem.has_token());
    without_token.for_each(|problem| cover(problem.span.start, problem.span.end));
    tokens.lost.iter().for_each(|lost| cover(lost.start, lost.end));
    for (at, n) in covered.iter().enumerate() {
        let expected = u8::from(!matches!(bytes[at], b' ' | b'\t') || *n > 0);
        assert_eq!(*n, expected, "byte {at} of {:?}", String::from_utf8_lossy(bytes));
    }
    assert_eq!(tokens.tokens.last().map(|token| token.kind), Some(TokenKind::End));
}

/// Every place that a diagnostic names is in the file.
fn assert_places(source: &Source, diags: &Diags) {
    let is_inside = |span: Span| span.start <= span.end && span.end as usize <= source.text.len();
    for diagnostic in diags.iter() {
        let labels = diagnostic.primary.iter().chain(&diagnostic.secondary).map(|label| label.span);
        assert!(labels.chain(diagnostic.edits.iter().map(|edit| edit.span)).all(is_inside), "{diagnostic:?}");
        assert_ne!(diagnostic.severity, Severity::Bug, "{diagnostic:?}");
    }
}

fn tree_of(bytes: &[u8]) -> String {
    let source = Source::new("/main.mcl", bytes);
    let mut diags = Diags::default();
    let tree = parse(&lex(&source, FileId(0), &mut diags), &source, &mut diags);
    assert!(!diags.has_errors(), "{diags:?}");
    dump(&tree, &source)
}

/// If it can be formatted, the result means the same and stays as it is.
fn assert_formats(bytes: &[u8]) {
    match format(bytes) {
        Ok(printed) => {
            let mut complete = bytes.to_vec();
            complete.push(b'\n');
            assert_eq!(tree_of(&printed), tree_of(&complete));
            assert_eq!(format(&printed).as_ref(), Ok(&printed));
        }
        Err(diags) => {
            assert!(diags.has_errors());
            assert!(diags.iter().all(|diagnostic| diagnostic.severity != Severity::Bug), "{diags:?}");
        }
    }
}

fn assert_all(bytes: &[u8]) {
    assert_tiled(bytes);
    let (source, diags) = read(bytes);
    assert_places(&source, &diags);
    assert_formats(bytes);
}

#[test]
fn the_programs_are_canonical() {
    for program in PROGRAMS {
        let (_, diags) = read(program.as_bytes());
        assert!(diags.is_empty(), "{diags:?}");
        assert_eq!(
            format(program.as_bytes()).map(|printed| String::from_utf8(printed).expect("text")),
            Ok((*program).into())
        );
    }
}

#[test]
fn every_prefix_is_read() {
    for program in PROGRAMS {
        for end in 0..program.len() {
            assert_all(&program.as_bytes()[..end]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_mutation_is_read(
        program in 0..PROGRAMS.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..4usize, 0..PIECES.len()), 1..4),
    ) {
        let mut bytes = PROGRAMS[program].as_bytes().to_vec();
        for (index, n_removed, piece) in changes {
            let at = index.index(bytes.len());
            let end = (at + n_removed).min(bytes.len());
            bytes.splice(at..end, PIECES[piece].bytes());
        }
        assert_all(&bytes);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        assert_all(&bytes);
    }

    #[test]
    fn any_words_are_read(words in prop::collection::vec(0..PIECES.len(), 0..60)) {
        let text: String = words.into_iter().map(|word| PIECES[word]).collect();
        assert_all(text.as_bytes());
    }
}
