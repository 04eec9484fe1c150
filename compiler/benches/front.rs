//! The front: lex, parse, lower and format generated programs of `file` statements. The growth
//! from one size to the next is to be linear.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use mclive_compiler::ast::Tree;
use mclive_compiler::compile::{Reach, Setup, understand};
use mclive_compiler::diag::Diags;
use mclive_compiler::lex::{Tokens, lex};
use mclive_compiler::lint::{Levels, Subject, Switches, lint};
use mclive_compiler::lower::lower;
use mclive_compiler::parse::parse;
use mclive_compiler::source::{MemoryWorld, Source};
use mclive_compiler::span::FileId;

fn main() {
    divan::main();
}

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

/// So many statements, each with two fields, an interpolation and an operator.
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

/// Binds that use the one before: what a definition is used by is looked up, not searched for.
#[divan::bench(args = SIZES)]
fn lint_binds(bencher: Bencher, n_stmts: usize) {
    let bind = |n: usize| if n == 0 { "$v0 = 1\n".to_owned() } else { format!("$v{n} = $v{} + 1\n", n - 1) };
    let text: String = (0..n_stmts).map(bind).collect();
    let world = MemoryWorld::of([("/main.mcl", text.as_bytes())]);
    let setup = Setup { hostname: "h" };
    let understood = understand(&world, "/main.mcl", setup, Reach::Program);
    let (sources, modules) = (&understood.sources, &understood.modules[..]);
    let switches = Switches::of(modules, sources);
    let subject = Subject { world: &world, path: "/main.mcl", setup, sources, modules };
    bencher.counter(ItemsCount::new(n_stmts)).bench_local(|| lint(subject, &switches, &Levels::default()));
}
