//! What a program of many resources costs on a simulated host, from the deploy until all is applied, and what one
//! repair costs beside them. Twice as many should take about twice as long, and a repair always the same.
//!
//! `cargo bench -p mclive-compiler --bench simulated`.

use divan::Bencher;
use mclive_compiler::brain::Brain;
use mclive_compiler::protocol::{Deploy, Input, Options};
use mclive_compiler::sim::{Sim, SimHost};
use std::fmt::Write as _;

/// Far more than any of these needs.
const STEPS: usize = 100_000_000;
/// Virtual time. Units: milliseconds.
const LONG: u64 = 600_000;

fn main() {
    divan::main();
}

/// So many resources of a kind.
fn program(kind: &str, n: usize) -> String {
    let mut text = String::new();
    for at in 0..n {
        let _ = match kind {
            "file" => writeln!(text, "file \"/srv/f{at}\" {{\n\tstate => \"exists\",\n\tcontent => \"{at}\",\n}}"),
            "svc" => writeln!(text, "svc \"s{at}\" {{\n\tstate => \"running\",\n}}"),
            "pkg" => writeln!(text, "pkg \"p{at}\" {{\n\tstate => \"installed\",\n}}"),
            kind => writeln!(text, "{kind} \"u{at}\" {{\n\tstate => \"exists\",\n}}"),
        };
    }
    text
}

/// A host on which the program was applied.
fn applied(text: &str) -> Sim<Brain> {
    let mut sim = Sim::new(Brain::new(), SimHost::new("host1"));
    let files = vec![("/main.mcl".to_owned(), text.as_bytes().to_vec())];
    sim.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options: Options::default() }));
    settle(&mut sim);
    sim
}

fn settle(sim: &mut Sim<Brain>) {
    let until = sim.now().plus_ms(LONG);
    assert!(sim.advance(until, STEPS), "it comes to rest");
    sim.take_reports();
}

#[divan::bench(args = [10, 1_000, 10_000, 100_000], sample_count = 1, sample_size = 1)]
fn files(bencher: Bencher<'_, '_>, n: usize) {
    let text = program("file", n);
    bencher.bench_local(|| applied(&text));
}

#[divan::bench(args = [10, 1_000, 10_000], sample_count = 1, sample_size = 1)]
fn services(bencher: Bencher<'_, '_>, n: usize) {
    let text = program("svc", n);
    bencher.bench_local(|| applied(&text));
}

#[divan::bench(args = [10, 1_000, 10_000], sample_count = 1, sample_size = 1)]
fn packages(bencher: Bencher<'_, '_>, n: usize) {
    let text = program("pkg", n);
    bencher.bench_local(|| applied(&text));
}

#[divan::bench(args = [10, 1_000, 3_000], sample_count = 1, sample_size = 1)]
fn users(bencher: Bencher<'_, '_>, n: usize) {
    let text = program("user", n);
    bencher.bench_local(|| applied(&text));
}

/// One of so many files is removed, and made again.
#[divan::bench(args = [10, 1_000, 10_000], sample_count = 10, sample_size = 1)]
fn one_repair_among_files(bencher: Bencher<'_, '_>, n: usize) {
    let mut sim = applied(&program("file", n));
    bencher.bench_local(|| {
        sim.change(|world| world.remove("/srv/f5").expect("it exists"));
        settle(&mut sim);
    });
}
