//! The way back in the playground: runs of 10,000 events, and how long it takes to get to any moment of them. The goal is
//! 100 ms in a browser, which takes about twice as long as this.
//!
//! `cargo bench -p mclive-compiler --bench seek`.

#![allow(clippy::disallowed_types, clippy::disallowed_macros, reason = "a bench measures time and prints it")]

use mclive_compiler::face::fleet::Fleet;
use mclive_compiler::language::Mcl;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

const EVENTS: u64 = 10_000;
const MOMENTS: usize = 100;

/// A clock, and so many files beside it.
fn program(n_files: usize) -> String {
    let mut text = "import \"datetime\"\nimport \"fmt\"\n".to_owned();
    text.push_str("file \"/srv/${hostname}\" {\n\tstate => \"exists\",\n");
    text.push_str("\tcontent => fmt.printf(\"%d\\n\", datetime.now()),\n}\n");
    for at in 0..n_files {
        let _ = writeln!(text, "file \"/srv/f{at}\" {{\n\tstate => \"exists\",\n\tcontent => \"{at}\",\n}}");
    }
    text
}

/// So many hosts with this program, after all the events.
fn run(n_hosts: usize, n_files: usize) -> Fleet {
    let mut fleet = Fleet::new(vec![&Mcl]);
    let hosts: Vec<String> = (1..=n_hosts).map(|n| format!("web{n}")).collect();
    let text = program(n_files);
    fleet.deploy(&hosts, &[], [("/main.mcl", text.as_bytes())], "/main.mcl").expect("there is room");
    while fleet.step() < EVENTS {
        fleet.advance(1_000, 1_000_000);
    }
    fleet
}

/// Evenly spread, in no order; the same each time.
fn moments(end: u64) -> Vec<u64> {
    (1..=MOMENTS as u64).map(|n| n * 7_919 * end / 100_000 % end).collect()
}

fn main() {
    println!(
        "hosts  files   run of {EVENTS} events   snapshots      MB   seek p50      p99      max   steps p50      p99"
    );
    for (n_hosts, n_files) in [(1, 3), (1, 100), (1, 1_000), (1, 10_000), (5, 10), (20, 10), (20, 100)] {
        let began = Instant::now();
        let mut fleet = run(n_hosts, n_files);
        let ran = began.elapsed();
        let (n_kept, weight) = fleet.n_snapshots();
        let (mut times, mut steps) = (Vec::new(), Vec::new());
        for moment in moments(fleet.step()) {
            let before = fleet.n_performed();
            let began = Instant::now();
            assert!(fleet.seek(moment, usize::MAX));
            // What the page shows of it is part of the wait.
            black_box(fleet.snapshot("web1", None));
            times.push(began.elapsed());
            steps.push(fleet.n_performed() - before);
        }
        times.sort_unstable();
        steps.sort_unstable();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let at = |percent: usize| (MOMENTS * percent / 100).min(MOMENTS - 1);
        println!(
            "{n_hosts:>5} {n_files:>6} {:>20.0} ms {n_kept:>11} {:>7.1} {:>7.2} ms {:>5.2} ms {:>5.2} ms {:>11} {:>8}",
            ms(ran),
            weight as f64 / 1e6,
            ms(times[at(50)]),
            ms(times[at(99)]),
            ms(times[MOMENTS - 1]),
            steps[at(50)],
            steps[at(99)],
        );
    }
}
