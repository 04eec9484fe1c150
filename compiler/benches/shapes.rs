//! What programs of odd shapes cost from their text to their resource graph: long chains, deep directories, structs
//! of many fields. Twice as much should take about twice as long.
//!
//! `cargo bench -p mclive-compiler --bench shapes`.

use divan::Bencher;
use mclive_compiler::compile::{Setup, compile};
use mclive_compiler::rgraph::{Passes, first_graph};
use mclive_compiler::source::MemoryWorld;
use std::fmt::Write as _;
use std::sync::Arc;

fn main() {
    divan::main();
}

/// The number of edges.
fn graph(text: &str) -> usize {
    let world = MemoryWorld::single(text);
    let compilation = compile(&world, "/main.mcl", Setup { hostname: "" });
    let program = compilation.program.unwrap_or_else(|| panic!("{:?}", compilation.diags.first_error()));
    let passes = Passes { autoedge: true, autogroup: true, ask_host: false };
    let graph = first_graph(program.ir, Arc::new(world), &mut |_, _| None, passes);
    graph.unwrap_or_else(|diags| panic!("{:?}", diags.first_error())).edges.len()
}

/// So many `noop` one after the other.
fn chain(n: usize) -> String {
    let names: Vec<String> = (0..n).map(|at| format!("\"n{at}\"")).collect();
    let edges: Vec<String> = names.iter().map(|name| format!("Noop[{name}]")).collect();
    format!("noop [{}] {{}}\n{}\n", names.join(", "), edges.join(" -> "))
}

/// So many directories, each in the one before.
fn nested(n: usize) -> String {
    let paths: Vec<String> = (1..=n).map(|depth| format!("\"{}/\"", "/d".repeat(depth))).collect();
    format!("file [{}] {{\n\tstate => \"exists\",\n}}\n", paths.join(", "))
}

/// A struct of so many fields, each of which is looked up.
fn fields(n: usize) -> String {
    let mut text = String::from("$s = struct{");
    (0..n).for_each(|at| _ = write!(text, "f{at} => {at}, "));
    text += "}\n";
    (0..n).for_each(|at| _ = writeln!(text, "test \"t{at}\" {{\n\tint64 => $s->f{at},\n}}"));
    text
}

#[divan::bench(args = [2_500, 5_000, 10_000, 20_000], sample_count = 5, sample_size = 1)]
fn chain_of_noops(bencher: Bencher<'_, '_>, n: usize) {
    let text = chain(n);
    bencher.bench_local(|| graph(&text));
}

#[divan::bench(args = [400, 800, 1_600], sample_count = 5, sample_size = 1)]
fn nested_directories(bencher: Bencher<'_, '_>, n: usize) {
    let text = nested(n);
    bencher.bench_local(|| graph(&text));
}

#[divan::bench(args = [1_000, 2_000, 4_000, 8_000], sample_count = 3, sample_size = 1)]
fn fields_and_lookups(bencher: Bencher<'_, '_>, n: usize) {
    let text = fields(n);
    bencher.bench_local(|| graph(&text));
}
