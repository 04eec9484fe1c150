//! The front: lex, parse, lower and format generated programs of `file` statements. The growth
//! from one size to the next is to be linear.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use mclive_compiler::ast::Tree;
use mclive_compiler::diag::Diags;
use mclive_compiler::lex::{Tokens, lex};
use mclive_compiler::lower::lower;
use mclive_compiler::parse::parse;
use mclive_compiler::source::Source;
use mclive_compiler::span::FileId;

fn main() {
    divan::main();
}

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

/// So many statements, each with two fields, a hole in a string and an operator.
fn program(n_stmts: usize) -> Source {
    let stmt = |n: usize| {
        format!(
            "file \"/tmp/dir/f{n}\" {{\n\tcontent => \"content ${{host}} {n}\\n\",\n\tstate => \"exists\" + $suffix,\n}}\n"
        )
    };
    Source::new("/main.mcl", (0..n_stmts).map(stmt).collect::<String>().into_bytes())
}

fn lexed(source: &Source) -> Tokens {
    lex(source, FileId(0), &mut Diags::default())
}

fn parsed(source: &Source) -> Tree {
    parse(&lexed(source), source, &mut Diags::default())
}

/// Counts bytes and statements.
fn counted<'a, 'b>(bencher: Bencher<'a, 'b>, source: &Source, n_stmts: usize) -> Bencher<'a, 'b> {
    bencher.counter(BytesCount::new(source.text.len())).counter(ItemsCount::new(n_stmts))
}

#[divan::bench(args = SIZES)]
fn lex_files(bencher: Bencher, n_stmts: usize) {
    let source = program(n_stmts);
    counted(bencher, &source, n_stmts).bench(|| lexed(&source));
}

#[divan::bench(args = SIZES)]
fn parse_files(bencher: Bencher, n_stmts: usize) {
    let source = program(n_stmts);
    let tokens = lexed(&source);
    counted(bencher, &source, n_stmts).bench(|| parse(&tokens, &source, &mut Diags::default()));
}

#[divan::bench(args = SIZES)]
fn lower_files(bencher: Bencher, n_stmts: usize) {
    let source = program(n_stmts);
    let tree = parsed(&source);
    counted(bencher, &source, n_stmts).bench(|| lower(&tree, &source, &mut Diags::default()));
}

#[divan::bench(args = SIZES)]
fn fmt_files(bencher: Bencher, n_stmts: usize) {
    let source = program(n_stmts);
    counted(bencher, &source, n_stmts).bench(|| mclive_compiler::fmt::format(&source.text).expect("it parses"));
}
